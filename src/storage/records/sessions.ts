import { INT64_MAX } from '../../domain/int64.ts';
import { HASH_PREFIX_LENGTH } from '../../domain/secrets.ts';
import {
  type NewSession,
  SESSION_IDLE_MS,
  SESSION_KEPT_MS,
  SESSION_LIFETIME_MS,
  SESSIONS_PER_KEY_MAX,
  type SessionStorage,
  type SessionWithKey,
} from '../../domain/session.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import {
  all,
  changes,
  given,
  one,
  onPostgres,
  query,
  run,
  runForRows,
  type Sql,
  sql,
  type Transactions,
  type Work,
  writeInSlices,
} from '../statements.ts';
import { KEY } from './keys.ts';
import { noteSignIn } from './people.ts';

const SESSION = fieldsOf(
  { sessionCreatedAt: number, sessionLastUsedAt: number },
  { sessionCreatedAt: 'sessions.created_at', sessionLastUsedAt: 'sessions.last_used_at' },
);

function sessionOf(row: object): SessionWithKey {
  const { sessionCreatedAt: createdAt, sessionLastUsedAt: lastUsedAt } = SESSION.of(row);
  return { session: { createdAt, lastUsedAt }, key: KEY.of(row) };
}

const HASH_PREFIXES = query(
  ({ prefix }: { prefix: string }) => prefix,
  sql`SELECT substr(hash, 1, ${HASH_PREFIX_LENGTH}) AS prefix FROM sessions`,
);
const BY_HASH = query(
  sessionOf,
  sql`SELECT api_keys.*, ${SESSION.columns}
    FROM sessions JOIN (SELECT ${KEY.columns} FROM api_keys) AS api_keys ON api_keys.id = key_id
    WHERE sessions.hash = $1`,
);
const LIST = query(
  fieldsOf({ hash: plain<string>(), createdAt: number, lastUsedAt: number }).of,
  sql`SELECT hash, created_at, last_used_at FROM sessions
    WHERE key_id = $1 AND created_at > $2 AND last_used_at > $3 ORDER BY created_at DESC, hash`,
);
const INSERT = sql`INSERT INTO sessions (hash, key_id, created_at, last_used_at)
  VALUES ($1, $2, $3, $3)`;
const REMOVE = sql`DELETE FROM sessions WHERE hash = $1`;
// Other instances may be removing the same sessions, here and in the sweep.
const skipLocked = onPostgres('FOR UPDATE SKIP LOCKED');
const REMOVE_EXCESS = sql`DELETE FROM sessions WHERE hash IN (
    SELECT hash FROM sessions WHERE key_id = $1 AND hash <> $2
    ORDER BY last_used_at DESC LIMIT ${INT64_MAX} OFFSET $3 ${skipLocked}
  )`;
const USE: Sql = {
  sqlite: 'UPDATE sessions SET last_used_at = max(last_used_at, $at) WHERE hash = $hash',
  // Locked in a fixed order, so that instances that write at once cannot deadlock.
  postgres: `WITH used AS (
      SELECT sessions.hash, given.at
      FROM ${given('hash text, at bigint').postgres} JOIN sessions ON sessions.hash = given.hash
      ORDER BY sessions.hash FOR UPDATE OF sessions
    )
    UPDATE sessions SET last_used_at = greatest(last_used_at, used.at)
    FROM used WHERE sessions.hash = used.hash`,
};
const SWEEP = sql`DELETE FROM sessions WHERE hash IN (
    SELECT hash FROM sessions WHERE created_at <= $1 OR last_used_at <= $2 LIMIT $3 ${skipLocked}
  )`;

function* create(
  { hash, keyId, createdAt, passwordHash }: NewSession,
  replaces: readonly string[],
): Work<void> {
  if (passwordHash !== undefined) yield* noteSignIn(keyId, passwordHash, createdAt);
  for (const replaced of replaces) yield* run(REMOVE, replaced);
  yield* run(INSERT, hash, keyId, createdAt);
  yield* run(REMOVE_EXCESS, keyId, hash, SESSIONS_PER_KEY_MAX - 1);
}

function* remove(hash: string): Work<boolean> {
  return (yield* changes(REMOVE, hash)) > 0;
}

/** Sessions of the console. */
export function createSessionStorage(transactions: Transactions): SessionStorage {
  const { read, write } = transactions;
  return {
    hashPrefixes: () => read(() => all(HASH_PREFIXES)),
    find: (hash) => read(() => one(BY_HASH, hash)),
    create: (session, replaces) => write(() => create(session, replaces)),
    list: (keyId, now) =>
      read(() => all(LIST, keyId, now - SESSION_LIFETIME_MS, now - SESSION_IDLE_MS)),
    remove: (hash) => write(() => remove(hash)),
    recordUse: (lastUsedAt) =>
      writeInSlices(transactions, [...lastUsedAt], (slice) =>
        runForRows(
          USE,
          slice.map(([hash, at]) => ({ hash, at })),
        ),
      ),
    removeEnded: (now, most) =>
      write(() =>
        changes(SWEEP, now - SESSION_LIFETIME_MS, now - SESSION_IDLE_MS - SESSION_KEPT_MS, most),
      ),
  };
}
