import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { csvLine } from '../csv-line.ts';
import { CommandFailure } from '../explain.ts';
import type { Row } from './row-source.ts';

/** The file of the rows that cannot become animals: line, reason and the row itself. */
export interface RejectedRows extends Disposable {
  add(row: Row, reason: string): void;
}

/** Where the rejected rows of a file go. */
export function rejectedPath(path: string): string {
  return `${path}.rejected.csv`;
}

/**
 * Begins the file. `columns` name what a row holds, and every line gets `width` cells of it, since
 * a row may be rejected for having more. Throws `CommandFailure` where it cannot be written.
 */
export function openRejectedRows(
  path: string,
  columns: readonly string[],
  width: number,
): RejectedRows {
  const cells = (row: readonly string[]) =>
    Array.from({ length: Math.max(width, columns.length) }, (_, place) => row[place] ?? '');
  const descriptor = open(path);
  const write = (...texts: readonly string[]) => writeSync(descriptor, csvLine(texts));
  write('line', 'reason', ...cells(columns));
  return {
    add: (row, reason) => void write(String(row.line), reason, ...cells(row.original)),
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

/** Removes what an earlier import left, if anything. */
export function removeRejectedRows(path: string): void {
  rmSync(path, { force: true });
}

function open(path: string): number {
  try {
    return openSync(path, 'w');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(
      `${path} cannot be written, which is where rejected rows go (${reason}); ` +
        'nothing was imported.',
    );
  }
}
