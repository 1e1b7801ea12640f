import { CsvError, type Parser, parse } from 'csv-parse';
import { ImportFailure } from './failure.ts';
import {
  COLUMNS_MAX,
  LINE_CHARACTERS_MAX,
  ROW_CHARACTERS_MAX,
  type RowSource,
  type TextChunks,
} from './row-source.ts';
import { createTableSource, type TableRecord } from './table-rows.ts';

/**
 * Bounds a row as it stands in the file: the parser counts only what is in fields, so empty ones would be
 * free. A field can consist of doubled quotes, and each column may have a separator and two quotes around it.
 */
const RAW_CHARACTERS_MAX = 2 * ROW_CHARACTERS_MAX + 4 * COLUMNS_MAX;

/** Takes the fields of a record. */
type TakeRecord = (fields: readonly string[], info: Pick<Parser['info'], 'empty_lines'>) => void;

/**
 * Reads CSV (RFC 4180) with a header, also in a browser. Accepts LF, CRLF and CR line ends, and commas, semicolons or
 * tabs between columns, and a line before the header that says which.
 */
export function createCsvSource(name: string, chunks: TextChunks): RowSource {
  return createTableSource(name, () => recordsOf(name, chunks()));
}

/**
 * Parses records, each with the line it starts on. Lines are counted here because the parser counts
 * a CRLF inside quotes as two. The parser calls `on_record` synchronously, so all complete records
 * of a chunk are there once it is written.
 */
async function* recordsOf(
  name: string,
  chunks: AsyncIterable<string>,
): AsyncGenerator<TableRecord> {
  let line = 1;
  let emptyLines = 0;
  let records: TableRecord[] = [];
  let parser: Parser | undefined;
  /** The characters in chunks after the one in which a row or an empty line last ended. */
  let unended = 0;
  /** Moves past the empty lines before a record; `skipped` counts all so far. */
  const skipTo = (skipped: number) => {
    line += skipped - emptyLines;
    emptyLines = skipped;
  };
  const take: TakeRecord = (fields, { empty_lines: skipped }) => {
    skipTo(skipped);
    records.push({ line, fields });
    line++;
    for (const field of fields) line += lineEndsIn(field);
  };
  try {
    for await (const chunk of headerFirst(chunks)) {
      const said = parser === undefined ? saidSeparator(chunk) : undefined;
      parser ??= createParser(said?.separator ?? separatorIn(`${chunk}\n`), chunk, take);
      // The end of the line that says it stays, and counts as an empty line.
      await write(parser, chunk.slice(said?.length));
      const hasEnded = records.length > 0 || parser.info.empty_lines > emptyLines;
      unended = hasEnded ? 0 : unended + chunk.length;
      if (unended > RAW_CHARACTERS_MAX) throw new CsvError('CSV_MAX_RECORD_SIZE', '');
      skipTo(parser.info.empty_lines);
      const ready = records;
      records = [];
      yield* ready;
    }
    if (parser === undefined) return;
    await end(parser);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (parser !== undefined) skipTo(parser.info.empty_lines);
    throw new ImportFailure(explainCsv(name, line, error));
  }
  yield* records;
}

/** Counts LF, CRLF and CR without an array of them: a field can hold hundreds of thousands. */
function lineEndsIn(field: string): number {
  let count = 0;
  for (let at = field.indexOf('\n'); at >= 0; at = field.indexOf('\n', at + 1)) count++;
  for (let at = field.indexOf('\r'); at >= 0; at = field.indexOf('\r', at + 1)) {
    if (field[at + 1] !== '\n') count++;
  }
  return count;
}

/** Joins the first chunks until they hold the whole header. */
async function* headerFirst(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let head = '';
  let isComplete = false;
  for await (const chunk of chunks) {
    if (isComplete) {
      yield chunk;
      continue;
    }
    head += chunk;
    isComplete = separatorIn(head) !== undefined || head.length > LINE_CHARACTERS_MAX;
    if (isComplete) yield head;
  }
  if (!isComplete) yield head;
}

/** A blank before a quote, as RescueGroups writes it. Elsewhere blanks belong to the value. */
const BLANK_BEFORE_QUOTE = /[,;\t] +"[^"\r\n]*"[ ]*[,;\t\r\n]/;

function createParser(separator: Separator | undefined, start: string, take: TakeRecord): Parser {
  const parser = parse({
    trim: BLANK_BEFORE_QUOTE.test(start),
    delimiter: separator ?? ',',
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // As a record, an empty line has too few columns: an error that costs as much as ten records.
    skip_empty_lines: true,
    max_record_size: ROW_CHARACTERS_MAX,
    on_record(fields: string[], info) {
      take(fields, info);
      return null;
    },
  });
  // Writers get errors through their promises. Without a listener the event would end the process.
  parser.on('error', () => {});
  // Nothing is pushed, but the stream only ends when it is read.
  parser.resume();
  return parser;
}

function write(parser: Parser, chunk: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  parser.write(chunk, (error) => (error ? reject(error) : resolve()));
  return promise;
}

function end(parser: Parser): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  parser.once('end', resolve).once('error', reject).end();
  return promise;
}

function explainCsv(name: string, line: number, { code }: CsvError): string {
  const where = `${name}: the row that starts on line ${line}`;
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return `${where} has a quote that is never closed; nothing was imported.`;
    case 'CSV_MAX_RECORD_SIZE':
      return `${where} is too long, so a closing quote may be missing; nothing was imported.`;
    default:
      return (
        `${where} has a misplaced quote: put a value that contains quotes in quotes, and ` +
        'double each quote inside it; nothing was imported.'
      );
  }
}

const SEPARATORS = [',', ';', '\t', '|'] as const;
type Separator = (typeof SEPARATORS)[number];

/**
 * Returns the most frequent separator in the header, outside of quotes. Programs in countries that
 * write 1,5 use semicolons. Undefined if the text ends before the header does.
 */
function separatorIn(text: string): Separator | undefined {
  const times = new Map<string, number>();
  let isQuoted = false;
  let hasStarted = false;
  for (const sign of text) {
    if (sign === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    const isLineEnd = sign === '\n' || sign === '\r';
    if (isLineEnd && hasStarted) return mostFrequent(times);
    hasStarted ||= !isLineEnd;
    times.set(sign, (times.get(sign) ?? 0) + 1);
  }
  return undefined;
}

/**
 * Returns the separator that the first line says, as Excel writes and reads it: `sep=;`. `length` is
 * that of the line without its end. Undefined if the line says none.
 */
function saidSeparator(
  text: string,
): { readonly separator: Separator; readonly length: number } | undefined {
  const [line = '', sign] = /^"?sep=([,;\t|])"?(?=[\r\n]|$)/i.exec(text) ?? [];
  const separator = SEPARATORS.find((one) => one === sign);
  return separator && { separator, length: line.length };
}

/** The comma wins a tie. */
function mostFrequent(times: ReadonlyMap<string, number>): Separator {
  return SEPARATORS.reduce((best, sign) =>
    (times.get(sign) ?? 0) > (times.get(best) ?? 0) ? sign : best,
  );
}
