import type { Database } from 'bun:sqlite';
import { HASH_BEGINNING } from '../../domain/key-hash.ts';
import {
  type NewSession,
  SESSION_IDLE_MS,
  SESSION_LIFETIME_MS,
  SESSIONS_PER_KEY_MAX,
  type SessionStorage,
} from '../../domain/session.ts';
import { type SessionRow, sessionByHash, sessionOf } from '../rows/session.ts';
import type { Access } from './access.ts';
import { writeInSlices } from './slices.ts';

/** Sessions in SQLite. */
export function createSessionStorage(database: Database, { read, write }: Access): SessionStorage {
  const beginnings = database.query<{ beginning: string }, []>(
    `SELECT substr(hash, 1, ${HASH_BEGINNING}) AS beginning FROM sessions`,
  );
  const byHash = database.query<SessionRow, [string]>(sessionByHash('?'));
  const insert = database.query<null, [string, bigint, number, number]>(
    'INSERT INTO sessions (hash, key_id, created_at, last_used_at) VALUES (?, ?, ?, ?)',
  );
  const limit = database.query<null, [bigint, string, number]>(
    `DELETE FROM sessions WHERE hash IN (
       SELECT hash FROM sessions WHERE key_id = ? AND hash <> ?
       ORDER BY last_used_at DESC LIMIT -1 OFFSET ?
     )`,
  );
  const remove = database.query<null, [string]>('DELETE FROM sessions WHERE hash = ?');
  const use = database.query<null, [number, string]>(
    'UPDATE sessions SET last_used_at = max(last_used_at, ?) WHERE hash = ?',
  );
  const sweep = database.query<null, [number, number, number]>(
    `DELETE FROM sessions WHERE hash IN (
       SELECT hash FROM sessions WHERE created_at <= ? OR last_used_at <= ? LIMIT ?
     )`,
  );

  function create({ hash, keyId, createdAt }: NewSession, replaces: readonly string[]): void {
    for (const replaced of replaces) remove.run(replaced);
    insert.run(hash, keyId, createdAt, createdAt);
    limit.run(keyId, hash, SESSIONS_PER_KEY_MAX - 1);
  }

  return {
    hashBeginnings: () => read(() => beginnings.all().map(({ beginning }) => beginning)),
    find: (hash) =>
      read(() => {
        const row = byHash.get(hash);
        return row === null ? undefined : sessionOf(row);
      }),
    create: (session, replaces) => write(() => create(session, replaces)),
    remove: (hash) => write(() => remove.run(hash).changes > 0),
    recordUse: (lastUsedAt) =>
      writeInSlices(write, [...lastUsedAt], ([hash, at]) => void use.run(at, hash)),
    removeEnded: (now, most) =>
      write(() => sweep.run(now - SESSION_LIFETIME_MS, now - SESSION_IDLE_MS, most).changes),
  };
}
