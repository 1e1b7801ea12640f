import type { Environment } from '../../domain/deployment.ts';
import type { OpeningNotices } from '../opening.ts';
import type { Compacted } from '../portable-database.ts';
import type { Connection, Session } from './connection.ts';
import { failureOf } from './faults.ts';
import { createConnect } from './primary.ts';
import { prepareDatabase } from './schema.ts';
import { measureSpace } from './storage.ts';

const HINT =
  'The space of removed rows inside the tables is used again. To give it back to the system, stop the ' +
  'service and run VACUUM FULL in psql, which needs the space of the largest table once more.';

/** Vacuums every table while others read and write. */
export async function compactPostgres(
  url: string,
  environment: Environment,
  notices: OpeningNotices,
): Promise<Compacted> {
  let connection: Connection | undefined;
  const connect = createConnect(url);
  async function run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      connection ??= await connect();
      return await work(connection);
    } catch (error) {
      throw failureOf(error);
    }
  }
  try {
    await prepareDatabase(run, url, environment, { ...notices, access: 'change' });
    return await run(vacuum);
  } finally {
    connection?.end();
  }
}

async function vacuum(session: Session): Promise<Compacted> {
  const { size: before } = await measureSpace(session);
  // The larger the tables, the longer it takes; it gives way to others.
  await session.run('SET statement_timeout = 0');
  const tables = await session.query<{ name: string }>(
    'SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema()',
  );
  for (const { name } of tables) await session.run(`VACUUM (ANALYZE) ${name}`);
  const { size: after } = await measureSpace(session);
  return { before, after, hint: HINT };
}
