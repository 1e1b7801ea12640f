import type { ServerName } from '../migrations.ts';
import type { Connection, Session } from './connection.ts';

/**
 * A server names itself by an advisory lock, which everybody can see and which ends with its session:
 * 16 bits that mark it, 16 of the port, and 32 of the process id.
 */
const MARK = 0x5053n;

/** Names this process on a connection that it keeps. */
export async function nameServer(connection: Connection, server: ServerName): Promise<void> {
  const key = (MARK << 48n) | (BigInt(server.port) << 32n) | BigInt(server.process);
  await connection.query('SELECT pg_advisory_lock_shared($1)', key);
}

/** Returns the servers with a session on this database. */
export async function otherServers(session: Session): Promise<readonly ServerName[]> {
  const rows = await session.query<{ high: bigint; process: bigint; host: string | null }>(
    `SELECT DISTINCT locks.classid::bigint AS high, locks.objid::bigint AS process,
       host(client_addr) AS host
     FROM pg_locks AS locks LEFT JOIN pg_stat_activity AS sessions ON sessions.pid = locks.pid
     WHERE locks.locktype = 'advisory' AND locks.objsubid = 1
       AND locks.classid::bigint >> 16 = ${MARK}
       AND locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
     ORDER BY 1, 2`,
  );
  return rows.map(({ high, process, host }) => ({
    process: Number(process),
    host: host ?? 'the host of the database',
    port: Number(high & 0xffffn),
  }));
}
