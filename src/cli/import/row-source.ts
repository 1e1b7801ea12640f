/** One animal's row of a file. */
export interface Row {
  /** The line of the file on which it begins, from 1, as an editor shows it. */
  readonly line: number;
  /** What the file of rejected rows repeats of it. */
  readonly original: readonly string[];
  /**
   * The text of a column; empty where the row has nothing there. Throws `Rejection` where the
   * row is broken, or holds something there that is no text.
   */
  cell(column: string): string;
}

/** A row that cannot become an animal; the message says why. */
export class Rejection extends Error {}

/** A row whose animal has no name. */
export class NamelessRow extends Rejection {}

/** A file of rows. It is read twice: once to check all of it, once to import it. */
export interface RowSource {
  /** How messages name it. */
  readonly name: string;
  /** The columns seen so far, and how often the header has each; all of them after a reading. */
  readonly columns: ReadonlyMap<string, number>;
  /** The names of what `original` holds. */
  readonly originalColumns: readonly string[];
  /**
   * Reads from the start, blank lines left out. Throws `CommandFailure` for a file that cannot be
   * read to its end.
   */
  rows(): AsyncIterable<Row>;
}

/** The text of a file in pieces of any size, from its start. */
export type TextChunks = () => AsyncIterable<string>;

/** Longer rows are refused: an unclosed quote must not take in the rest of a large file. */
export const ROW_CHARACTERS_MAX = 2 ** 20;
