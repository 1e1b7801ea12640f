import { ImportFailure } from './failure.ts';

/** A row of a file: one animal. */
export interface Row {
  /** The line it starts on, counted from 1 like in an editor. */
  readonly line: number;
  /** The cells that the file of rejected rows repeats. */
  readonly original: readonly string[];
  /**
   * Returns the text of a column, or an empty text if the row has none. Throws `Rejection` if the
   * row is broken or its value is not text.
   */
  cell(column: string): string;
  /** Returns the value of a column as text, whatever it is. Never throws: no profile rejects a row. */
  text(column: string): string;
}

/** A row that cannot become an animal. The message says why. */
export class Rejection extends Error {}

/** A row whose animal has no name. */
export class NamelessRow extends Rejection {}

/** A row whose status or outcome nobody knows. */
export class UnknownStatus extends Rejection {
  of: { readonly externalId: string | undefined; readonly order: string } | undefined;
}

/** A file of rows. It is read three times: to recognise its columns, to check it all, and to import it. */
export interface RowSource {
  /** The name in messages. */
  readonly name: string;
  /** The columns read so far, with how often the header has each. Complete after the first reading. */
  readonly columns: ReadonlyMap<string, number>;
  /** What of the file is not read at all, as a sentence. */
  readonly note?: string | undefined;
  /** The names of the cells in `original`. */
  readonly originalColumns: readonly string[];
  /**
   * Reads from the start and skips blank lines. Throws `ImportFailure` if the file cannot be read
   * to its end.
   */
  rows(): AsyncIterable<Row>;
}

/** Reads the text of a file from its start, in chunks of any size. */
export type TextChunks = () => AsyncIterable<string>;

/** Longer rows are refused: an unclosed quote must not swallow the rest of a large file. */
export const ROW_CHARACTERS_MAX = 2 ** 18;

/** The longest header of CSV, and the longest line of NDJSON: each is read in one piece. */
export const LINE_CHARACTERS_MAX = 2 ** 16;

/** The most columns of a file. Their names are kept for the messages. */
export const COLUMNS_MAX = 1_000;

/** The failure of a file with too many columns. */
export function tooManyColumns(name: string): ImportFailure {
  return new ImportFailure(`${name} has more than ${COLUMNS_MAX} columns; nothing was imported.`);
}
