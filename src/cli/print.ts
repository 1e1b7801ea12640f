import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Writes to standard output and waits until the text is written. Throws if it cannot be, for
 * example because the disk is full or the reader is gone.
 */
export function print(text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // The callback gets the error too, but without a listener the event would end the process.
  process.stdout.once('error', reject);
  process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  return promise;
}

/**
 * Writes to standard output no faster than the reader reads. A reader that stops early, like
 * `head`, is no error.
 */
export async function printPieces(pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), process.stdout, { end: false });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  }
}

/** Control characters except line feeds and tabs. */
const MOVES_TERMINAL = /[^\P{Cc}\n\t]/gu;

/** Replaces control characters, so that text from a file cannot control the terminal. */
export function printable(text: string): string {
  return text.replace(MOVES_TERMINAL, '\uFFFD');
}

/** Aligns the cells of rows in columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ''))),
  );
  const pad = (cell: string, column: number) =>
    cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell));
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

/** CSV syntax, and blanks that a reader might trim. */
const NEEDS_QUOTES = /["\r\n]|^\s|\s$/;

/** Formats one line of CSV (RFC 4180), with its line end. */
export function csvLine(cells: readonly string[], separator = ','): string {
  return `${cells.map((cell) => csvCell(cell, separator)).join(separator)}\n`;
}

function csvCell(text: string, separator: string): string {
  return NEEDS_QUOTES.test(text) || text.includes(separator)
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}
