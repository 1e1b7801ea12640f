/**
 * JSON with exact integers (RFC 8259). Reading keeps each number as its text; writing takes
 * `bigint`. docs/decisions/0002-json.md says why it is made of the runtime's parser.
 */

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

/** How many `key: value` pairs a text holds. Right only for valid JSON. */
function countWrittenMembers(text: string): number {
  let members = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x3a) members++;
  }
  return members;
}

/**
 * Parses a JSON text. Throws `JsonProblem` with a message for the caller, also for more than
 * `membersMax` members: keys can be chosen such that they meet in one place of a hash table, where
 * each costs as much as all before it.
 *
 * Repeated keys: the parser keeps the last of them and the reviver sees each kept member once, so
 * a text that writes more members than the reviver saw repeats one somewhere.
 */
export function parseJson(text: string, membersMax = Number.POSITIVE_INFINITY): JsonValue {
  const writtenMembers = countWrittenMembers(text);
  if (writtenMembers > membersMax) throw new JsonProblem(`has more than ${membersMax} members`);
  let keptMembers = -1; // The reviver also visits the root, as a member of a wrapper.
  let value: JsonValue;
  function revive(this: unknown, _key: string, member: unknown, context?: { source: string }) {
    if (!Array.isArray(this)) keptMembers++;
    return typeof member === 'number' ? new JsonNumber(context?.source ?? '') : member;
  }
  try {
    value = JSON.parse(text, revive);
  } catch (error) {
    if (error instanceof RangeError) throw new JsonProblem('is nested too deeply');
    throw new JsonProblem('is not valid JSON');
  }
  if (keptMembers !== writtenMembers) throw new JsonProblem('repeats a key');
  return value;
}

/** Writes a value as JSON text. */
export function writeJson(value: WritableJson): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'object':
      break;
    default:
      return String(value);
  }
  if (value === null) return 'null';
  if (isArray(value)) return writeArray(value);
  let text = '{';
  for (const key in value) {
    const member = value[key];
    if (member === undefined) continue;
    text += `${text === '{' ? '' : ','}${JSON.stringify(key)}:${writeJson(member)}`;
  }
  return `${text}}`;
}

function writeArray(items: readonly WritableJson[]): string {
  let text = '[';
  for (let i = 0; i < items.length; i++) {
    if (i > 0) text += ',';
    text += writeJson(items[i] ?? null);
  }
  return `${text}]`;
}

/** `Array.isArray` that also narrows a readonly array. */
function isArray(value: object): value is readonly WritableJson[] {
  return Array.isArray(value);
}
