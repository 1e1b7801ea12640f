import { int64FromJsonNumber } from '../domain/int64.ts';
import { membersIn } from '../http/json.ts';
import { ImportFailure } from './failure.ts';
import {
  COLUMNS_MAX,
  LINE_CHARACTERS_MAX,
  Rejection,
  type Row,
  type RowSource,
  type TextChunks,
  tooManyColumns,
} from './row-source.ts';

interface Line {
  readonly number: number;
  readonly text: string;
}

/** Reads NDJSON: one JSON object per line, whose members are the columns. */
export function createNdjsonSource(name: string, chunks: TextChunks): RowSource {
  return createObjectSource(name, () => linesOf(name, chunks()));
}

/** Reads JSON objects. Members of objects in them are columns with a path: `breeds.primary`. */
export function createObjectSource(name: string, lines: () => AsyncIterable<Line>): RowSource {
  const columns = new Map<string, number>();

  async function* rows(): AsyncGenerator<Row> {
    let empty = true;
    let unread: string | undefined;
    for await (const line of lines()) {
      if (line.text.trim() === '') continue;
      empty = false;
      const members = membersOf(line.text);
      if (typeof members === 'string') unread ??= `line ${line.number}: ${members}`;
      const row = rowOf(line, members);
      for (const column of row.members.keys()) columns.set(column, 1);
      if (columns.size > COLUMNS_MAX) throw tooManyColumns(name);
      yield row;
    }
    if (empty) throw new ImportFailure(`${name} is empty; it must hold one JSON object per line.`);
    if (columns.size === 0 && unread !== undefined) {
      throw new ImportFailure(
        `${name} holds no JSON object with columns: ${unread}. Nothing was imported.`,
      );
    }
  }

  return { name, columns, originalColumns: ['row'], rows };
}

/** Objects deeper than this are no columns. */
const DEPTH_MAX = 4;

/** Adds the members of an object, and of those in it, by their paths. */
function flatten(value: object, prefix: string, into: Map<string, unknown>, depth = 1): void {
  for (const [key, member] of Object.entries(value)) {
    const isObject = typeof member === 'object' && member !== null && !Array.isArray(member);
    into.set(prefix + key, member);
    if (isObject && depth < DEPTH_MAX) flatten(member, `${prefix}${key}.`, into, depth + 1);
  }
}

function rowOf(line: Line, value: object | string) {
  const members = new Map<string, unknown>();
  if (typeof value === 'object') flatten(value, '', members);
  const textOf = (member: unknown) => {
    if (typeof member === 'string') return member;
    return member === undefined || member === null ? '' : JSON.stringify(member);
  };
  return {
    line: line.number,
    original: [line.text],
    members,
    text: (column: string) => textOf(members.get(column)),
    cell(column: string) {
      if (typeof value === 'string') throw new Rejection(value);
      const member = members.get(column);
      if (typeof member !== 'string' && member !== undefined && member !== null) {
        throw new Rejection(`"${column}" must be a string or a number`);
      }
      return textOf(member);
    },
  };
}

/** Parses an object, with each number as its exact text. Returns the reason why a line is rejected. */
function membersOf(text: string): object | string {
  let members = -1; // The reviver also visits the root, as a member of a wrapper.
  function revive(this: unknown, _key: string, member: unknown, context?: { source: string }) {
    if (!Array.isArray(this)) members++;
    return typeof member === 'number' ? numberText(context?.source ?? '') : member;
  }
  try {
    const value: unknown = JSON.parse(text, revive);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return NO_OBJECT;
    return members === membersIn(text) ? value : 'the line repeats a member of its JSON object';
  } catch (error) {
    return error instanceof RangeError ? 'the line is nested too deeply' : NO_OBJECT;
  }
}

const NO_OBJECT = 'the line is not a JSON object';

/** Returns an integer in plain form even if it was written as `3.0` or `3e0`. */
function numberText(source: string): string {
  const integer = int64FromJsonNumber(source);
  return typeof integer === 'bigint' ? String(integer) : source;
}

async function* linesOf(name: string, chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let number = 1;
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      requireShort(name, number, text);
      yield { number: number++, text };
    }
    requireShort(name, number, rest);
  }
  yield { number, text: rest };
}

function requireShort(name: string, number: number, text: string): void {
  if (text.length <= LINE_CHARACTERS_MAX) return;
  throw new ImportFailure(`${name}: line ${number} is too long; nothing was imported.`);
}
