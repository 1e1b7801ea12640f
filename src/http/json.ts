/**
 * JSON with exact integers (RFC 8259). Reading keeps each number as its text; writing takes
 * `bigint`. docs/decisions/0002-json.md says why it is made of the runtime's parser.
 */

declare global {
  /** What the compiler's library does not know yet. */
  interface JSON {
    rawJSON(text: string): object;
  }
}

/** A number as it was written: its value is read from `source` by whoever knows its type. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** What `parseJson` gives. */
export type JsonValue =
  | string
  | boolean
  | null
  | JsonNumber
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** What `writeJson` takes; members that are undefined are left out. */
export type WritableJson =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly WritableJson[]
  | { readonly [key: string]: WritableJson | undefined };

/** A text that is not JSON, or JSON that repeats a key or is too large or too deep to be read. */
export class JsonProblem extends Error {}

/** Whole numbers of so many digits are exact, and `String` writes them as they stood. */
const PLAIN_DIGITS_MAX = 15;

/** What is seen of a text before it is parsed. Right only for valid JSON. */
interface Survey {
  /** How many `key: value` pairs it holds. */
  readonly members: number;
  /** Whether it is one object with nothing in it but texts, words and plain numbers, 0 or more. */
  readonly isPlain: boolean;
}

function survey(text: string): Survey {
  let members = 0;
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
    else if (code === 0x7b) objects++;
    // An array, a sign or a fraction; or an exponent, since the e of a word is behind no digit.
    else if (code === 0x5b || code === 0x2d || code === 0x2e) hasMore = true;
    else if (digits > 0 && (code === 0x65 || code === 0x45)) hasMore = true;
    digits = 0;
  }
  return { members, isPlain: objects === 1 && !hasMore };
}

/**
 * Parses a JSON text. Throws `JsonProblem` with a message for the caller, also for more than
 * `membersMax` members: keys can be chosen such that they meet in one place of a hash table, where
 * each costs as much as all before it.
 *
 * Repeated keys: the parser keeps the last of them, so a text that writes more members than were
 * kept repeats one somewhere.
 */
export function parseJson(text: string, membersMax = Number.POSITIVE_INFINITY): JsonValue {
  const { members, isPlain } = survey(text);
  if (members > membersMax) throw new JsonProblem(`has more than ${membersMax} members`);
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

/** A value, and how many members its objects have kept. */
interface Parsed {
  readonly value: JsonValue;
  readonly members: number;
}

/** Parses with a reviver, which sees each kept member once and is told the text of each number. */
function parseAny(text: string): Parsed {
  let members = -1; // The reviver also visits the root, as a member of a wrapper.
  function revive(this: unknown, _key: string, member: unknown, context?: { source: string }) {
    if (!Array.isArray(this)) members++;
    return typeof member === 'number' ? new JsonNumber(context?.source ?? '') : member;
  }
  const value: JsonValue = JSON.parse(text, revive);
  return { value, members };
}

/** Parses what is plain, as nearly every body is: a third of the time that a reviver takes. */
function parsePlain(text: string): Parsed {
  let members = 0;
  const value: Record<string, JsonValue> = JSON.parse(text);
  for (const key in value) {
    members++;
    if (typeof value[key] === 'number') value[key] = new JsonNumber(String(value[key]));
  }
  return { value, members };
}

/** Writes a value as JSON text. */
export function writeJson(value: WritableJson): string {
  return JSON.stringify(writable(value));
}

/** The same value with each `bigint` as what the runtime's writer takes in its place. */
function writable(value: WritableJson | undefined): unknown {
  if (typeof value === 'bigint') return exactNumber(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map(writable);
  const copy: Record<string, unknown> = { ...value };
  for (const key in value) {
    const member = value[key];
    if (typeof member === 'bigint' || typeof member === 'object') copy[key] = writable(member);
  }
  return copy;
}

/** A number where it holds the value exactly, as it nearly always does: raw texts are slow. */
function exactNumber(value: bigint): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value));
}

/** `Array.isArray` that also narrows a readonly array. */
function isArray(value: object): value is readonly WritableJson[] {
  return Array.isArray(value);
}
