import { INT64_MAX } from '../../domain/int64.ts';
import { HASH_PREFIX_LENGTH } from '../../domain/secrets.ts';
import {
  SESSION_IDLE_MS,
  SESSION_KEPT_MS,
  SESSION_LIFETIME_MS,
  SESSIONS_PER_KEY_MAX,
  type SessionStorage,
  type SessionWithKey,
} from '../../domain/session.ts';
import { isChosen, skipLocked } from '../chosen-rows.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import {
  givenLocked,
  greatest,
  methodsOf,
  sql,
  type Transactions,
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

const HASH_PREFIXES =
  sql`SELECT substr(hash, 1, ${HASH_PREFIX_LENGTH}) AS prefix FROM sessions`.value<string>();
const BY_HASH = sql`SELECT api_keys.*, ${SESSION.columns}
    FROM sessions JOIN (SELECT ${KEY.columns} FROM api_keys) AS api_keys ON api_keys.id = key_id
    WHERE sessions.hash = $1`.as(sessionOf);
const LIST = sql`SELECT hash, created_at, last_used_at FROM sessions
    WHERE key_id = $1 AND created_at > $2 AND last_used_at > $3 ORDER BY created_at DESC, hash`.as(
  fieldsOf({ hash: plain<string>(), createdAt: number, lastUsedAt: number }).of,
);
const INSERT = sql`INSERT INTO sessions (hash, key_id, created_at, last_used_at)
  VALUES ($1, $2, $3, $3)`;
const REMOVE = sql`DELETE FROM sessions WHERE hash = $1`;
// Other instances may be removing the same sessions, here and in the sweep.
const REMOVE_EXCESS = sql`DELETE FROM sessions WHERE hash ${isChosen(sql`
    SELECT hash FROM sessions WHERE key_id = $1 AND hash <> $2
    ORDER BY last_used_at DESC LIMIT ${INT64_MAX} OFFSET $3 ${skipLocked}`)}`;
const USE = sql`UPDATE sessions SET last_used_at = ${greatest}(last_used_at, given.at)
  FROM ${givenLocked('hash text, at bigint', 'sessions')} WHERE sessions.hash = given.hash`;
const SWEEP = sql`DELETE FROM sessions WHERE hash ${isChosen(sql`
    SELECT hash FROM sessions WHERE created_at <= $1 OR last_used_at <= $2 LIMIT $3 ${skipLocked}`)}`;

/** Sessions of the console. */
export function createSessionStorage(transactions: Transactions): SessionStorage {
  const { reads, writes } = methodsOf<SessionStorage>(transactions);
  return {
    ...reads({
      hashPrefixes: () => HASH_PREFIXES.all(),
      find: (hash) => BY_HASH.one(hash),
      list: (keyId, now) => LIST.all(keyId, now - SESSION_LIFETIME_MS, now - SESSION_IDLE_MS),
    }),
    ...writes({
      *create({ hash, keyId, createdAt, passwordHash }, replaces) {
        if (passwordHash !== undefined) yield* noteSignIn(keyId, passwordHash, createdAt);
        for (const replaced of replaces) yield* REMOVE.run(replaced);
        yield* INSERT.run(hash, keyId, createdAt);
        yield* REMOVE_EXCESS.run(keyId, hash, SESSIONS_PER_KEY_MAX - 1);
      },
      *remove(hash) {
        return (yield* REMOVE.changes(hash)) > 0;
      },
      removeEnded: (now, most) =>
        SWEEP.changes(now - SESSION_LIFETIME_MS, now - SESSION_IDLE_MS - SESSION_KEPT_MS, most),
    }),
    recordUse: (lastUsedAt) =>
      writeInSlices(transactions, [...lastUsedAt], (slice) =>
        USE.forRows(slice.map(([hash, at]) => ({ hash, at }))),
      ),
  };
}
