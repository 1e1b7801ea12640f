import { HASH_BEGINNING } from '../../domain/key-hash.ts';
import {
  type NewSession,
  SESSION_IDLE_MS,
  SESSION_LIFETIME_MS,
  SESSIONS_PER_KEY_MAX,
  type SessionStorage,
} from '../../domain/session.ts';
import { type SessionRow, sessionByHash, sessionOf } from '../rows/session.ts';
import type { Session } from './connection.ts';
import { records } from './json.ts';
import type { Access } from './writer.ts';

/** Sessions in PostgreSQL. */
export function createSessionStorage({ read, write }: Access): SessionStorage {
  return {
    hashBeginnings: () =>
      read(async (session) => {
        const text = 'SELECT left(hash, $1) AS beginning FROM sessions';
        const rows = await session.query<{ beginning: string }>(text, HASH_BEGINNING);
        return rows.map(({ beginning }) => beginning);
      }),
    find: (hash) =>
      read(async (session) => {
        const [row] = await session.query<SessionRow>(sessionByHash('$1'), hash);
        return row === undefined ? undefined : sessionOf(row);
      }),
    create: (added, replaces) => write((session) => create(session, added, replaces)),
    remove: (hash) => write((session) => remove(session, hash)),
    recordUse: (lastUsedAt) => write((session) => recordUse(session, lastUsedAt)),
    removeEnded: (now, most) => write((session) => removeEnded(session, now, most)),
  };
}

async function create(
  session: Session,
  { hash, keyId, createdAt }: NewSession,
  replaces: readonly string[],
): Promise<void> {
  for (const replaced of replaces) await remove(session, replaced);
  await session.run(
    'INSERT INTO sessions (hash, key_id, created_at, last_used_at) VALUES ($1, $2, $3, $3)',
    hash,
    keyId,
    BigInt(createdAt),
  );
  // Sign-ins of other instances may be ending the same sessions.
  await session.run(
    `DELETE FROM sessions WHERE hash IN (
       SELECT hash FROM sessions WHERE key_id = $1 AND hash <> $2
       ORDER BY last_used_at DESC OFFSET $3 FOR UPDATE SKIP LOCKED
     )`,
    keyId,
    hash,
    SESSIONS_PER_KEY_MAX - 1,
  );
}

async function remove(session: Session, hash: string): Promise<boolean> {
  return (await session.run('DELETE FROM sessions WHERE hash = $1', hash)) > 0;
}

async function recordUse(session: Session, lastUsedAt: ReadonlyMap<string, number>): Promise<void> {
  const rows = [...lastUsedAt].map(([hash, at]) => ({ hash, at }));
  // Locked in a fixed order, so that instances that write at once cannot deadlock.
  await session.run(
    `WITH used AS (
       SELECT sessions.hash, given.at
       FROM ${records('$1', 'hash text, at bigint')} JOIN sessions ON sessions.hash = given.hash
       ORDER BY sessions.hash FOR UPDATE OF sessions
     )
     UPDATE sessions SET last_used_at = greatest(last_used_at, used.at)
     FROM used WHERE sessions.hash = used.hash`,
    JSON.stringify(rows),
  );
}

async function removeEnded(session: Session, now: number, most: number): Promise<number> {
  return await session.run(
    `DELETE FROM sessions WHERE hash IN (
       SELECT hash FROM sessions WHERE created_at <= $1 OR last_used_at <= $2
       LIMIT $3 FOR UPDATE SKIP LOCKED
     )`,
    BigInt(now - SESSION_LIFETIME_MS),
    BigInt(now - SESSION_IDLE_MS),
    most,
  );
}
