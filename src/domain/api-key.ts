import type { Environment } from './deployment.ts';
import type { MaybePromise } from './maybe-promise.ts';
import { nameProblem } from './name.ts';
import type { Plan, PlanName } from './plan.ts';

/**
 * What a key may do, from the least to the most; each scope includes those before it. `adopt` may
 * place orders and nothing else: it is the scope for the key of a web site.
 */
export const SCOPES = ['read', 'adopt', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

const KEY_NAME_MAX = 255;

/** Returns what is wrong with the name of a key, as the end of a sentence, or undefined. */
export function keyNameProblem(name: string): string | undefined {
  return nameProblem(name, KEY_NAME_MAX);
}

/** What is kept of a key. The key itself is shown once and never stored. */
export interface ApiKey {
  readonly id: bigint;
  readonly name: string;
  readonly plan: PlanName;
  /** Set for `enterprise` alone. */
  readonly perMinute: number | null;
  readonly perDay: number | null;
  readonly scopes: readonly Scope[];
  /** All times in milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** How long it was meant to be good when it was made; a rotation may end it sooner. */
  readonly lifetimeMs: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
  /** When a ban was lifted last. */
  readonly unbannedAt: number | null;
  /** The key that this one replaces. */
  readonly predecessorId: bigint | null;
  /**
   * The first key of its family: the key itself, unless it replaces another one. A family is a key
   * with all its successors. It has one allowance, and one set of results of idempotent requests.
   */
  readonly familyId: bigint;
}

/** A key about to be stored: what it is to be, and nothing that happens to it later. */
export interface NewApiKey
  extends Pick<
    ApiKey,
    'name' | 'plan' | 'perMinute' | 'perDay' | 'scopes' | 'createdAt' | 'expiresAt'
  > {
  /** SHA-256 of the whole key, in hexadecimal. */
  readonly hash: string;
}

/** How a key is replaced. */
export interface Rotation {
  /** SHA-256 of the whole successor, in hexadecimal. */
  readonly hash: string;
  /** When it happens, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** How long the old key stays good, unless it ends sooner anyway. */
  readonly overlapMs: number;
}

/** What a rotation leaves. */
export interface Rotated {
  readonly successor: ApiKey;
  /** When the old key ends, in milliseconds since the Unix epoch. */
  readonly oldEndsAt: number;
}

/** How many characters of a hash tell keys apart, where a false match would do no harm. */
export const HASH_BEGINNING = 16;

export interface KeyStorage {
  /** The first `HASH_BEGINNING` characters of the hashes of all keys, in any order. */
  hashBeginnings(): MaybePromise<readonly string[]>;
  findByHash(hash: string): MaybePromise<ApiKey | undefined>;
  find(id: bigint): MaybePromise<ApiKey | undefined>;
  /** Ascending by id, revoked and expired ones included. */
  list(): MaybePromise<readonly ApiKey[]>;
  create(key: NewApiKey): MaybePromise<ApiKey>;
  /**
   * Creates the successor of a key (`successorOf` in key-lifecycle.ts) and ends the key after the
   * overlap, in one step. Undefined where there is no such key. Throws `conflict` for one that has
   * ended.
   */
  rotate(id: bigint, rotation: Rotation): MaybePromise<Rotated | undefined>;
  /** A key that is revoked already keeps its first time. */
  revoke(id: bigint, at: number): MaybePromise<void>;
  /**
   * Gives a key another plan, or its plan other numbers, at `at`. Undefined where there is no such
   * key. Throws `conflict` for one that has ended.
   */
  changePlan(id: bigint, plan: Plan, at: number): MaybePromise<ApiKey | undefined>;
  /**
   * Lifts the ban of a key and its whole family; the limiter acts on it when it sees one of them
   * next. The time that is noted is later than that of every unban before it, even if the clock was
   * set back.
   */
  unban(id: bigint, at: number): MaybePromise<void>;
  /** Notes when keys were last used; a later time that is stored already stays. */
  recordUse(lastUsedAt: ReadonlyMap<bigint, number>): MaybePromise<void>;
}

const PREFIX: Record<Environment, string> = {
  production: 'petstore_live_',
  staging: 'petstore_test_',
};
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
/** Bytes from 248 on are drawn again, so that each of the 62 characters is equally likely. */
const UNBIASED_BYTES = 4 * BASE62.length;
const SHAPE = /^petstore_(?:live|test)_[0-9A-Za-z]{38}$/;

/** Why a text is no key of this deployment. */
export type KeyProblem = 'malformed' | 'other_deployment';

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
 * Makes a new key for a deployment: prefix, 32 random base62 characters (190 bits), checksum.
 * `randomBytes` gives that many random bytes; tests may fix them.
 */
export function generateKey(
  environment: Environment,
  randomBytes: (count: number) => Uint8Array,
): string {
  let text = PREFIX[environment];
  const end = text.length + RANDOM_LENGTH;
  while (text.length < end) {
    for (const byte of randomBytes(end - text.length)) {
      if (byte < UNBIASED_BYTES) text += BASE62.charAt(byte % BASE62.length);
    }
  }
  return text + checksum(text);
}

/** Checks shape, checksum and deployment, so that a mistyped key costs no look-up. */
export function keyProblem(text: string, environment: Environment): KeyProblem | undefined {
  if (!SHAPE.test(text)) return 'malformed';
  const end = text.length - CHECKSUM_LENGTH;
  if (checksum(text.slice(0, end)) !== text.slice(end)) return 'malformed';
  return text.startsWith(PREFIX[environment]) ? undefined : 'other_deployment';
}

/** However its signs are encoded, as far as that leaves anything to read. */
const KEY_IN_TEXT = /petstore(?:_|%5f)(live|test)(?:_|%5f)[0-9A-Za-z%]+/gi;

/** Takes keys out of a text for the log: people send them in places where they do not belong. */
export function redactKeys(text: string): string {
  return text.includes('petstore') ? text.replace(KEY_IN_TEXT, 'petstore_$1_...') : text;
}

/**
 * What is stored of a key: its SHA-256, in hexadecimal. 190 random bits need no salt and no slow
 * hash. Keys are looked up by this, so the time a look-up takes says nothing about a stored key.
 */
export function hashKey(text: string): string {
  return Bun.SHA256.hash(text, 'hex');
}
