/**
 * JSON with exact integers (RFC 8259). Reading keeps each number as its text; writing takes
 * `bigint`. docs/decisions/0002-json.md says why it builds on the runtime's parser.
 */

declare global {
  /** Missing from the compiler's library. */
  interface JSON {
    rawJSON(text: string): object;
  }
}

/** A number as it was written. The reader of `source` decides on its type. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** A value that `parseJson` returns. */
export type JsonValue =
  | string
  | boolean
  | null
  | JsonNumber
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A value that `writeJson` accepts. Undefined members are left out. */
export type WritableJson =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly WritableJson[]
  | { readonly [key: string]: WritableJson | undefined };

/** A value with plain numbers. */
export type PlainJson =
  | string
  | number
  | boolean
  | null
  | readonly PlainJson[]
  | { readonly [key: string]: PlainJson };

/** The text is not JSON, repeats a key, or is too large or too deeply nested. */
export class JsonProblem extends Error {}

/** Whole numbers with up to this many digits are exact, and `String` writes them unchanged. */
const PLAIN_DIGITS_MAX = 15;

/** The shape of a text before it is parsed. Correct only for valid JSON. */
interface Survey {
  /** The number of `key: value` pairs. */
  readonly members: number;
  /** The number of values that another one follows, in objects and arrays. */
  readonly followed: number;
  /** One flat object with only strings, literals and plain non-negative integers. */
  readonly isPlain: boolean;
}

function survey(text: string): Survey {
  let members = 0;
  let followed = 0;
  let objects = 0;
  let digits = 0;
  let hasMore = false;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
      continue;
    }
    if (code >= 0x30 && code <= 0x39) {
      if (++digits > PLAIN_DIGITS_MAX) hasMore = true;
      continue;
    }
    if (code === 0x22) inString = true;
    else if (code === 0x3a) members++;
    else if (code === 0x2c) followed++;
    else if (code === 0x7b) objects++;
    // An array, a sign or a fraction; or an exponent, since the e of a literal follows no digit.
    else if (code === 0x5b || code === 0x2d || code === 0x2e) hasMore = true;
    else if (digits > 0 && (code === 0x65 || code === 0x45)) hasMore = true;
    digits = 0;
  }
  return { members, followed, isPlain: objects === 1 && !hasMore };
}

/** Returns how many members the objects of a valid JSON text have, repeated ones too. */
export function membersIn(text: string): number {
  return survey(text).members;
}

/**
 * Parses a JSON text. Throws `JsonProblem` with a message for the caller, also for more than
 * `valuesMax` members or items: an attacker can choose keys that collide in a hash table, where each new key
 * costs as much as all before it, and items that a schema each has something to say about.
 *
 * The parser keeps only the last of repeated keys, so a text that has more members than the parsed
 * value repeats a key.
 */
export function parseJson(text: string, valuesMax = Number.POSITIVE_INFINITY): JsonValue {
  const { members, followed, isPlain } = survey(text);
  if (Math.max(members, followed) > valuesMax) {
    throw new JsonProblem(`has more than ${valuesMax} members and items`);
  }
  let parsed: Parsed;
  try {
    parsed = isPlain ? parsePlain(text) : parseAny(text);
  } catch (error) {
    if (error instanceof RangeError) throw new JsonProblem('is nested too deeply');
    throw new JsonProblem('is not valid JSON');
  }
  if (parsed.members !== members) throw new JsonProblem('repeats a key');
  return parsed.value;
}

/** A value, and the number of members in its objects. */
interface Parsed {
  readonly value: JsonValue;
  readonly members: number;
}

/** Parses with a reviver, which visits each member once and receives the text of each number. */
function parseAny(text: string): Parsed {
  let members = -1; // The reviver also visits the root, as a member of a wrapper.
  function revive(this: unknown, _key: string, member: unknown, context?: { source: string }) {
    if (!Array.isArray(this)) members++;
    return typeof member === 'number' ? new JsonNumber(context?.source ?? '') : member;
  }
  const value: JsonValue = JSON.parse(text, revive);
  return { value, members };
}

/** Parses a plain text, as nearly every body is, in a third of the time a reviver takes. */
function parsePlain(text: string): Parsed {
  let members = 0;
  const value: Record<string, JsonValue> = JSON.parse(text);
  for (const key in value) {
    members++;
    if (typeof value[key] === 'number') value[key] = new JsonNumber(String(value[key]));
  }
  return { value, members };
}

/**
 * Returns a parsed value with its numbers as the runtime has them, inexact beyond 53 bits. Throws
 * `JsonProblem` if it is nested deeper than `depth`.
 */
export function plainJson(value: JsonValue, depth: number): PlainJson {
  if (value instanceof JsonNumber) return Number(value.source);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) throw new JsonProblem('is nested too deeply');
  if (isArray(value)) return value.map((item) => plainJson(item, depth - 1));
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([key, item]) => [key, plainJson(item, depth - 1)]));
}

/** Writes a value as JSON text. */
export function writeJson(value: WritableJson): string {
  return JSON.stringify(writable(value));
}

/** Replaces each `bigint` by a value that the runtime can write. What has none is not copied. */
function writable(value: WritableJson | undefined): unknown {
  if (typeof value === 'bigint') return exactNumber(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map(writable);
  let copy: Record<string, unknown> | undefined;
  for (const key in value) {
    const member = value[key];
    if (typeof member !== 'bigint' && (typeof member !== 'object' || member === null)) continue;
    const written = writable(member);
    if (written === member) continue;
    copy ??= { ...value };
    copy[key] = written;
  }
  return copy ?? value;
}

/** Uses a number while it is exact, which is nearly always: `rawJSON` is slow. */
function exactNumber(value: bigint): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value));
}

/** `Array.isArray`, but narrows readonly arrays too. */
function isArray<T>(value: object | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
