import { finished } from 'node:stream/promises';
import { CsvError, type Parser, parse } from 'csv-parse';
import { CommandFailure } from '../explain.ts';
import {
  Rejection,
  ROW_CHARACTERS_MAX,
  type Row,
  type RowSource,
  type TextChunks,
} from './row-source.ts';
import { type Separator, separatorIn } from './separator.ts';

interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

const LINE_END = /\r\n|\n|\r/g;

/**
 * Reads CSV (RFC 4180) with a header. Lines end in any of the usual ways, and columns may be
 * separated by semicolons or tabs too.
 */
export function createCsvSource(name: string, chunks: TextChunks): RowSource {
  const columns = new Map<string, number>();
  const targets = new Map<string, number>();
  let header: readonly string[] = [];

  function takeHeader(fields: readonly string[]): void {
    header = fields.map((field) => field.trim());
    columns.clear();
    for (const [target, column] of header.entries()) {
      columns.set(column, (columns.get(column) ?? 0) + 1);
      targets.set(column, target);
    }
  }

  const rowOf = ({ line, fields }: CsvRecord): Row => ({
    line,
    original: fields,
    cell(column) {
      if (fields.length !== header.length) {
        throw new Rejection(
          `the row has ${count(fields.length)} where the header has ${header.length}`,
        );
      }
      const target = targets.get(column);
      return target === undefined ? '' : (fields[target] ?? '');
    },
  });

  async function* rows(): AsyncGenerator<Row> {
    let headerRead = false;
    for await (const record of recordsOf(name, chunks())) {
      if (record.fields.length === 1 && record.fields[0] === '') continue;
      if (headerRead) {
        yield rowOf(record);
      } else {
        takeHeader(record.fields);
        headerRead = true;
      }
    }
    if (headerRead) return;
    throw new CommandFailure(`${name} is empty; its first line must name the columns.`);
  }

  return {
    name,
    columns,
    get originalColumns() {
      return header;
    },
    rows,
  };
}

function count(columns: number): string {
  return columns === 1 ? '1 column' : `${columns} columns`;
}

/**
 * The records of a text, each with the line it begins on. The lines are counted here, since the
 * parser takes a CRLF inside quotes for two. It hands each record to `on_record` at once, so the
 * records of a piece are there when the piece is written.
 */
async function* recordsOf(name: string, chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  let line = 1;
  let records: CsvRecord[] = [];
  let parser: Parser | undefined;
  const take = (fields: readonly string[]) => {
    records.push({ line, fields });
    line++;
    for (const field of fields) line += field.match(LINE_END)?.length ?? 0;
  };
  try {
    for await (const chunk of headerFirst(chunks)) {
      parser ??= createParser(separatorIn(`${chunk}\n`), take);
      await write(parser, chunk);
      const ready = records;
      records = [];
      yield* ready;
    }
    if (parser === undefined) return;
    parser.end();
    await finished(parser);
  } catch (error) {
    throw error instanceof CsvError ? new CommandFailure(explainCsv(name, line, error)) : error;
  }
  yield* records;
}

/** A text in pieces, the first of which holds the whole header. */
async function* headerFirst(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let head = '';
  let isComplete = false;
  for await (const chunk of chunks) {
    if (isComplete) {
      yield chunk;
      continue;
    }
    head += chunk;
    isComplete = separatorIn(head) !== undefined || head.length > ROW_CHARACTERS_MAX;
    if (isComplete) yield head;
  }
  if (!isComplete) yield head;
}

function createParser(
  separator: Separator | undefined,
  take: (fields: readonly string[]) => void,
): Parser {
  const parser = parse({
    delimiter: separator ?? ',',
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: ROW_CHARACTERS_MAX,
    on_record(fields: string[]) {
      take(fields);
      return null;
    },
  });
  // Errors arrive through the promises of whoever writes as well; without a listener they would
  // end us.
  parser.on('error', () => {});
  // Nothing is pushed, but the stream ends only when it is read.
  parser.resume();
  return parser;
}

function write(parser: Parser, chunk: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  parser.write(chunk, (error) => (error ? reject(error) : resolve()));
  return promise;
}

function explainCsv(name: string, line: number, { code }: CsvError): string {
  const where = `${name}: in the row that begins on line ${line}`;
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return `${where} a quote is never closed; nothing was imported.`;
    case 'CSV_MAX_RECORD_SIZE':
      return (
        `${where} there is too much for one row, so a quote may not be closed; ` +
        'nothing was imported.'
      );
    default:
      return (
        `${where} a quote stands where none may: a value with quotes in it is put in quotes, ` +
        'with each of its own doubled; nothing was imported.'
      );
  }
}
