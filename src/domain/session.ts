import type { ApiKey } from './api-key.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './clock.ts';
import { type RandomBytes, randomText } from './secrets.ts';

/** A session ends when nobody has used it for this long, in milliseconds. */
export const SESSION_IDLE_MS = 8 * HOUR_MS;
/** An idle session is removed this much later: while the database cannot be written, its last use is not stored. */
export const SESSION_KEPT_MS = DAY_MS;
/** A session ends this long after the sign-in, however often it is used. */
export const SESSION_LIFETIME_MS = 7 * DAY_MS;
/** A session may issue keys only this long after the sign-in, so that nobody can at an unattended computer. */
export const SESSION_RECENT_MS = 5 * MINUTE_MS;
/** Uses within this time of the stored one are not stored, so a session may end that much sooner. */
export const SESSION_USE_MS = MINUTE_MS;
/** A key has at most this many sessions. The sign-in after that ends the one unused for longest. */
export const SESSIONS_PER_KEY_MAX = 1_000;
/** The clocks of instances may differ by this much. A session from further ahead is not accepted. */
const SESSION_CLOCK_TOLERANCE_MS = MINUTE_MS;

/** Somebody signed in to the console with a key. Times are in milliseconds since the Unix epoch. */
export interface Session {
  readonly createdAt: number;
  readonly lastUsedAt: number;
}

/** A session to store. */
export interface NewSession {
  /** `hashKey` of the token in the cookie. The token itself is never stored. */
  readonly hash: string;
  readonly keyId: bigint;
  readonly createdAt: number;
  /** The hash of the password that a person signed in with. The session starts only if it still is. */
  readonly passwordHash?: string | undefined;
}

/** A session with its hash. */
interface ListedSession extends Session {
  readonly hash: string;
}

/** A session with its key, as it is now. */
export interface SessionWithKey {
  readonly session: Session;
  readonly key: ApiKey;
}

/** The storage contract of sessions. */
export interface SessionStorage {
  /** The first `HASH_PREFIX_LENGTH` characters of the hashes of all sessions, in any order. */
  hashPrefixes(): Promise<readonly string[]>;
  /** Returns a session even if it, or its key, has ended. */
  find(hash: string): Promise<SessionWithKey | undefined>;
  /**
   * Stores a session and removes those it replaces, in one transaction. Throws `wrong_password` if the
   * password is no longer what it was.
   */
  create(session: NewSession, replaces: readonly string[]): Promise<void>;
  /** Returns the sessions of a key that have not ended at `now`, the newest first. */
  list(keyId: bigint, now: number): Promise<readonly ListedSession[]>;
  /** Removes a session. Returns whether it existed. */
  remove(hash: string): Promise<boolean>;
  /** Stores when sessions were last used. A later time that is already stored stays. */
  recordUse(lastUsedAt: ReadonlyMap<string, number>): Promise<void>;
  /** Removes at most `most` sessions that have ended at `now`, and returns their number. */
  removeEnded(now: number, most: number): Promise<number>;
}

/** Tokens start like keys, so that the log and scanners for secrets recognise them. */
const TOKEN_PREFIX = 'petstore_session_';
const RANDOM_LENGTH = 43;
const TOKEN = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH}}$`);

/** Generates the token of a session, with 256 random bits. */
export function generateSessionToken(randomBytes: RandomBytes): string {
  return TOKEN_PREFIX + randomText(RANDOM_LENGTH, randomBytes);
}

/** Returns whether a text has the form of a token, so that anything else costs no lookup. */
export function isSessionToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Returns whether a session has not ended. Its key may have. */
export function isLive({ createdAt, lastUsedAt }: Session, now: number): boolean {
  return (
    createdAt > now - SESSION_LIFETIME_MS &&
    lastUsedAt > now - SESSION_IDLE_MS &&
    // A clock that was ahead and is set back must not lengthen a session.
    Math.max(createdAt, lastUsedAt) <= now + SESSION_CLOCK_TOLERANCE_MS
  );
}
