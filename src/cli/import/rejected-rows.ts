import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import type { Row } from '../../import/row-source.ts';
import { CommandFailure } from '../explain.ts';
import { csvLine } from '../print.ts';

/** Rows may hold names and contacts, so only the owner can read the file. */
const OWNER_ONLY = 0o600;
/** The first columns of every file that an import writes. */
const OWN_COLUMNS = ['line', 'reason'];

/** Writes rejected rows to a file: line, reason and the row itself. */
export interface RejectedRows extends Disposable {
  add(row: Row, reason: string): void;
}

export function rejectedPath(path: string): string {
  return `${path}.rejected.csv`;
}

/**
 * Creates the file. Every line gets at least `width` cells, because a row may be rejected for having
 * more cells than there are `columns`. Throws `CommandFailure` if the file cannot be written, or if
 * something else is at its path.
 */
export function openRejectedRows(
  path: string,
  columns: readonly string[],
  width: number,
): RejectedRows {
  const cells = (row: readonly string[]) =>
    Array.from({ length: Math.max(width, columns.length) }, (_, target) => row[target] ?? '');
  const descriptor = open(path);
  const write = (...texts: readonly string[]) => writeSync(descriptor, csvLine(texts));
  write(...OWN_COLUMNS, ...cells(columns));
  return {
    add: (row, reason) => void write(String(row.line), reason, ...cells(row.original)),
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

/** Removes the file of an earlier import. Anything else at its path stays. */
export function removeRejectedRows(path: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return;
  }
  try {
    if (isOurs(descriptor)) rmSync(path, { force: true });
  } finally {
    closeSync(descriptor);
  }
}

function open(path: string): number {
  try {
    const descriptor = openNew(path) ?? openOld(path);
    if (descriptor !== undefined) return descriptor;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(
      `rejected rows go to ${path}, which cannot be written (${reason}); ` +
        'nothing was imported.',
    );
  }
  throw new CommandFailure(
    `rejected rows go to ${path}, but the file there is not from an earlier import of yours: ` +
      'move it away. Nothing was imported.',
  );
}

/** Creates the file. Undefined if the path is taken, even by a dangling link. */
function openNew(path: string): number | undefined {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  try {
    return openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, OWNER_ONLY);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/** Opens and empties the file of an earlier import. Undefined for anything else. */
function openOld(path: string): number | undefined {
  const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  let descriptor: number;
  try {
    descriptor = openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ELOOP') return undefined;
    throw error;
  }
  try {
    if (isOurs(descriptor)) {
      fchmodSync(descriptor, OWNER_ONLY);
      ftruncateSync(descriptor);
      return descriptor;
    }
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  closeSync(descriptor);
  return undefined;
}

/** An import of this user wrote the file, and it has no other name. */
function isOurs(descriptor: number): boolean {
  const stats = fstatSync(descriptor);
  if (!stats.isFile() || stats.uid !== process.geteuid?.() || stats.nlink !== 1) return false;
  const beginning = Buffer.from(`${OWN_COLUMNS.join(',')},`);
  const found = Buffer.alloc(beginning.length);
  readSync(descriptor, found, 0, found.length, 0);
  return found.equals(beginning);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
