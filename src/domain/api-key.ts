import type { Environment } from './deployment.ts';
import { nameProblem } from './name.ts';
import type { Page, PageRequest } from './page.ts';
import { type Plan, type PlanName, planOf } from './plan.ts';
import { BASE62, type RandomBytes, randomText } from './secrets.ts';

/**
 * The scopes of a key. Each includes those before it, except `webhooks`. `read` lists and gets records, `adopt` also
 * places orders (for the key of a web site), `write` also changes records and sees personal data of
 * orders. `webhooks` is beside them: it manages webhooks of its own. `admin` includes all of them.
 */
export const SCOPES = ['read', 'adopt', 'write', 'webhooks', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export const KEY_NAME_MAX = 255;

/** Returns what is wrong with the name of a key, as the end of a sentence, or undefined. */
export function keyNameProblem(name: string): string | undefined {
  return nameProblem(name, KEY_NAME_MAX);
}

/** The stored record of a key. The key itself is shown once and never stored. */
export interface ApiKey {
  readonly id: bigint;
  readonly name: string;
  readonly plan: PlanName;
  /** Set only for `enterprise`. */
  readonly perMinute: number | null;
  readonly perDay: number | null;
  readonly scopes: readonly Scope[];
  /** All times in milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** The lifetime that it was created with. A rotation may end the key sooner. */
  readonly lifetimeMs: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
  /** When a ban was last lifted. */
  readonly unbannedAt: number | null;
  /** The key that this one replaces. */
  readonly predecessorId: bigint | null;
  /**
   * The first key of its family: the key itself, unless it replaces another. A family is a key and
   * all its successors, which share one allowance and the results of idempotent requests.
   */
  readonly familyId: bigint;
}

/** A key to store. */
export interface NewApiKey
  extends Pick<
    ApiKey,
    'name' | 'plan' | 'perMinute' | 'perDay' | 'scopes' | 'createdAt' | 'expiresAt'
  > {
  /** SHA-256 of the whole key, in hexadecimal. */
  readonly hash: string;
}

/** What a change of a key may set. */
export type KeySettings = Pick<
  ApiKey,
  'name' | 'plan' | 'perMinute' | 'perDay' | 'scopes' | 'expiresAt' | 'lifetimeMs' | 'revokedAt'
>;

/** The replacement of a key. */
export interface Rotation {
  /** SHA-256 of the whole successor, in hexadecimal. */
  readonly hash: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The old key keeps working for this long, unless it expires sooner. */
  readonly overlapMs: number;
}

/** The result of a rotation. */
export interface Rotated {
  readonly successor: ApiKey;
  /** When the old key ends, in milliseconds since the Unix epoch. */
  readonly oldEndsAt: number;
}

/**
 * The storage contract of API keys. `by` is the key that makes a change, for the audit; null for a command.
 */
export interface KeyStorage {
  /** The first `HASH_PREFIX_LENGTH` characters of the hashes of all keys, in any order. */
  hashPrefixes(): Promise<readonly string[]>;
  findByHash(hash: string): Promise<ApiKey | undefined>;
  find(id: bigint): Promise<ApiKey | undefined>;
  /** Returns the keys for programs in ascending order of id, including revoked and expired ones. */
  list(): Promise<readonly ApiKey[]>;
  /** Returns a page of the same list. */
  page(request: PageRequest): Promise<Page<ApiKey>>;
  create(key: NewApiKey, by?: bigint | null): Promise<ApiKey>;
  /**
   * Creates the successor of a key (`successorOf` in key-lifecycle.ts) and ends the key after the
   * overlap, in one transaction. Returns undefined if the key does not exist. Throws `conflict` if the
   * key is revoked or expired.
   */
  rotate(id: bigint, rotation: Rotation, by?: bigint | null): Promise<Rotated | undefined>;
  /**
   * Stores what `change` returns for the current key, in one transaction. Returns undefined if the
   * key does not exist. Throws what `change` throws, or `conflict` if nobody could manage keys any more
   * (`earlierAdminEnd` in key-lifecycle.ts), even when several changes arrive at once, and for the key
   * of a person, which only changes with the person.
   */
  update(
    id: bigint,
    at: number,
    change: (current: ApiKey) => KeySettings,
    by?: bigint | null,
  ): Promise<ApiKey | undefined>;
  /**
   * Revokes a key, even the last one that may manage keys. A key that is already revoked keeps its
   * first `revokedAt`.
   */
  revoke(id: bigint, at: number, by?: bigint | null): Promise<void>;
  /**
   * Lifts the ban of a key and its whole family. The limiter applies it when one of these keys is
   * used next. The stored time is later than that of every earlier unban, even if the clock was set
   * back.
   */
  unban(id: bigint, at: number, by?: bigint | null): Promise<void>;
  /** Stores when keys were last used. A later time that is already stored stays. */
  recordUse(lastUsedAt: ReadonlyMap<bigint, number>): Promise<void>;
  /**
   * Removes keys, those of people too, that were revoked or had expired at or before `time`, with their
   * counts of usage; at most `most`. The first key of a family stays until all of them have ended. Ids are
   * not used again. Returns the number removed.
   */
  removeEnded(time: number, most: number): Promise<number>;
}

const PREFIX: Record<Environment, string> = {
  production: 'petstore_live_',
  staging: 'petstore_test_',
};
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHAPE = /^petstore_(?:live|test)_[0-9A-Za-z]{38}$/;

/** Why a text is not a key of this deployment. */
type KeyProblem = 'malformed' | 'other_deployment';

/** CRC-32 (IEEE 802.3) of a text in 6 characters of base62. */
function checksum(text: string): string {
  let rest = Bun.hash.crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}

/**
 * Generates a key for a deployment: prefix, 32 random base62 characters (190 bits), checksum. Tests
 * can make `randomBytes` predictable.
 */
export function generateKey(environment: Environment, randomBytes: RandomBytes): string {
  const text = PREFIX[environment] + randomText(RANDOM_LENGTH, randomBytes);
  return text + checksum(text);
}

/** Checks shape, checksum and deployment, so that a mistyped key costs no lookup. */
export function keyProblem(text: string, environment: Environment): KeyProblem | undefined {
  if (!SHAPE.test(text)) return 'malformed';
  const end = text.length - CHECKSUM_LENGTH;
  if (checksum(text.slice(0, end)) !== text.slice(end)) return 'malformed';
  return text.startsWith(PREFIX[environment]) ? undefined : 'other_deployment';
}

/** Also finds tokens of sessions and invitations, each with percent-encoded characters too. */
const KEY_IN_TEXT = /petstore(?:_|%5f)(live|test|session|invite)(?:_|%5f)[0-9A-Za-z%]+/gi;

/** Redacts keys and such tokens in a text for the log: people send them where they do not belong. */
export function redactKeys(text: string): string {
  const shown = text.includes('%') ? text.replace(ENCODED, hiddenIfKey) : text;
  return shown.includes('petstore') ? shown.replace(KEY_IN_TEXT, 'petstore_$1_...') : shown;
}

/** Text without blanks, quotes and slashes, which may be percent-encoded. */
const ENCODED = /[\w%~.+-]+/g;
const KEY = new RegExp(KEY_IN_TEXT, 'i');
/** More often than anybody encodes by mistake. */
const DECODINGS_MAX = 8;

function hiddenIfKey(piece: string): string {
  let decoded = piece;
  for (let i = 0; i < DECODINGS_MAX && decoded.includes('%'); i++) {
    decoded = decoded.replace(/%([0-7][0-9a-f])/gi, (_, code) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
  const [, kind] = decoded === piece ? [] : (KEY.exec(decoded) ?? []);
  return kind === undefined ? piece : `petstore_${kind}_...`;
}

/** The sender of a request: the holder of a valid API key. */
export interface Caller {
  readonly keyId: bigint;
  readonly name: string;
  /** The family whose allowance and idempotency results are used: see `ApiKey`. */
  readonly familyId: bigint;
  readonly scopes: readonly Scope[];
  readonly plan: Plan;
  /** When a ban of the key was last lifted, in milliseconds since the Unix epoch. */
  readonly unbannedAt: number | null;
  /** When the key ends, likewise; null for never. */
  readonly expiresAt: number | null;
  /** The hash of the session that the request came with; undefined if it came with the key. */
  readonly sessionHash?: string;
}

/** Returns the holder of a key. */
export function callerOf(key: ApiKey): Caller {
  const { id: keyId, name, familyId, scopes, unbannedAt, expiresAt } = key;
  const plan = planOf(key.plan, key.perMinute, key.perDay);
  return { keyId, name, familyId, scopes, plan, unbannedAt, expiresAt };
}

/** Returns whether the caller has this scope, or one that includes it. */
export function mayUse(caller: Caller, scope: Scope): boolean {
  const required = SCOPES.indexOf(scope);
  for (const granted of caller.scopes) {
    if (granted === scope) return true;
    if (granted !== 'webhooks' && SCOPES.indexOf(granted) >= required) return true;
  }
  return false;
}
