import { int64FromJsonNumber } from '../domain/int64.ts';
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
  const columns = new Map<string, number>();

  async function* rows(): AsyncGenerator<Row> {
    let empty = true;
    for await (const line of linesOf(name, chunks())) {
      if (line.text.trim() === '') continue;
      empty = false;
      const members = membersOf(line.text);
      if (members !== undefined) for (const column of Object.keys(members)) columns.set(column, 1);
      if (columns.size > COLUMNS_MAX) throw tooManyColumns(name);
      yield rowOf(line, members);
    }
    if (empty) throw new ImportFailure(`${name} is empty; it must hold one JSON object per line.`);
  }

  return { name, columns, originalColumns: ['row'], rows };
}

function rowOf(line: Line, members: object | undefined): Row {
  const memberIn = (column: string): unknown =>
    (members && Object.getOwnPropertyDescriptor(members, column)?.value) ?? '';
  return {
    line: line.number,
    original: [line.text],
    text(column) {
      const value = memberIn(column);
      return typeof value === 'string' ? value : JSON.stringify(value);
    },
    cell(column) {
      if (members === undefined) throw new Rejection('the line is not a JSON object');
      const value = memberIn(column);
      if (typeof value === 'string') return value;
      throw new Rejection(`"${column}" must be a string or a number`);
    },
  };
}

/** Parses an object, with each number as its exact text. Undefined for anything else. */
function membersOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text, (_key, member, context?: { source: string }) =>
      typeof member === 'number' ? numberText(context?.source ?? '') : member,
    );
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

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
