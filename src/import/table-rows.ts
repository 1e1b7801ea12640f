import { ImportFailure } from './failure.ts';
import { importedCell } from './formula.ts';
import { isKnownHeader } from './headers.ts';
import { COLUMNS_MAX, Rejection, type Row, type RowSource, tooManyColumns } from './row-source.ts';

/** The cells of a row of a table. */
export interface TableRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/** The first rows, in which the header is searched: reports have titles above it. */
export const TITLES_MAX = 15;
/** Cells of a header that must be known, before a line above it is taken for a title. */
export const KNOWN_MIN = 2;

/** Reads a table with a header. Lines above the header, repeated headers, blank rows and totals are no rows. */
export function createTableSource(
  name: string,
  records: () => AsyncIterable<TableRecord>,
): RowSource {
  const columns = new Map<string, number>();
  const targets = new Map<string, number>();
  let header: readonly string[] = [];

  function takeHeader(fields: readonly string[]): void {
    if (fields.length > COLUMNS_MAX) throw tooManyColumns(name);
    const named = fields.map((field) => field.trim());
    header = named;
    columns.clear();
    for (const [target, column] of header.entries()) {
      columns.set(column, (columns.get(column) ?? 0) + 1);
      targets.set(column, target);
    }
  }

  const rowOf = ({ line, fields }: TableRecord): Row => {
    const isTooLong = fields.length > header.length && fields.slice(header.length).some(Boolean);
    // Programs leave out empty cells at the end.
    const text = (column: string) => {
      const target = targets.get(column);
      return isTooLong || target === undefined ? '' : importedCell(fields[target] ?? '');
    };
    return {
      line,
      original: fields,
      cell(column) {
        if (!isTooLong) return text(column);
        const count = fields.length === 1 ? '1 column' : `${fields.length} columns`;
        throw new Rejection(`the row has ${count} where the header has ${header.length}`);
      },
      text,
    };
  };

  const isHeader = ({ fields }: TableRecord) =>
    header.length > 1 &&
    fields.length >= header.length &&
    header.every((column, target) => fields[target]?.trim() === column);
  const isRow = (record: TableRecord) =>
    record.fields.some((field) => field.trim() !== '') &&
    !isHeader(record) &&
    !isTotal(record.fields, header.length);

  async function* rows(): AsyncGenerator<Row> {
    const first: TableRecord[] = [];
    let isReading = false;
    for await (const record of records()) {
      if (isReading) {
        if (isRow(record)) yield rowOf(record);
        continue;
      }
      if (record.fields.some((field) => field.trim() !== '')) first.push(record);
      if (first.length < TITLES_MAX) continue;
      isReading = true;
      yield* begin(first);
    }
    if (isReading) return;
    if (first.length === 0) {
      throw new ImportFailure(`${name} is empty; its first line must name the columns.`);
    }
    yield* begin(first);
  }

  async function* begin(first: readonly TableRecord[]): AsyncGenerator<Row> {
    const at = await headerAt(first);
    takeHeader(first[at]?.fields ?? []);
    for (const record of first.slice(at + 1)) if (isRow(record)) yield rowOf(record);
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

/** Cells that take so long to look at that others have their turn. */
const WIDE = 100;

/** Lets others have their turn, in a browser too. */
export const othersTurn = () => new Promise((resolve) => setTimeout(resolve));

/** Finds the header: the first line, unless one below it has more headers that are known. */
export async function headerAt(first: readonly TableRecord[]): Promise<number> {
  const known: number[] = [];
  for (const { fields } of first) {
    known.push(knownIn(fields));
    if (fields.length > WIDE) await othersTurn();
  }
  const most = Math.max(0, ...known);
  const at = known.indexOf(most);
  const isTitle = (first[0]?.fields.filter((field) => field.trim() !== '').length ?? 0) <= 2;
  // Merged cells above the header, such as Animal and Medical, can be headers too.
  const isHeader = (known[0] ?? 0) > 1 || most <= KNOWN_MIN;
  return most >= KNOWN_MIN && (isTitle || (known[0] ?? 0) === 0 || !isHeader) ? at : 0;
}

/** Counts the cells that are known headers. */
export function knownIn(fields: readonly string[]): number {
  return fields.slice(0, COLUMNS_MAX).filter(isKnownHeader).length;
}

const TOTAL =
  /^(?:(?:grand|sub|report|overall)[ -]?)?totals?\b|^(?:summe|gesamt|gesamtzahl|anzahl|total de|count|record count|celkem|합계)\b/i;

/** Reports end with the number of their rows. */
function isTotal(fields: readonly string[], width: number): boolean {
  const filled = fields.map((field) => field.trim()).filter((field) => field !== '');
  const isSparse = filled.length <= 2 || filled.length <= width / 3;
  return width > 2 && isSparse && filled.length < width && TOTAL.test(filled[0] ?? '');
}
