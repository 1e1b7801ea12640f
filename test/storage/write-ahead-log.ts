import { existsSync, readFileSync, statSync } from 'node:fs';

/*
 * The write-ahead log of SQLite as a file (https://www.sqlite.org/fileformat2.html, section 4):
 * what was really committed, told by nobody who could be wrong about it.
 */

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** The file beside a database. */
function logOf(path: string): string {
  return `${path}-wal`;
}

/** How many bytes the log takes. */
export function logBytes(path: string): number {
  return existsSync(logOf(path)) ? statSync(logOf(path)).size : 0;
}

/** How many transactions the log holds: the last frame of each says how big the database is. */
export function commitsInLog(path: string): number {
  let commits = 0;
  for (const { isLast } of framesInLog(path)) commits += isLast ? 1 : 0;
  return commits;
}

/** The bytes of the log that count: behind them is what is left of an earlier round. */
export function liveLogBytes(path: string): number {
  let end = HEADER_BYTES;
  for (const frame of framesInLog(path)) end = frame.end;
  return end;
}

/** The frames of this round of the log; those of an earlier one have another salt. */
function* framesInLog(path: string): Generator<{ readonly end: number; readonly isLast: boolean }> {
  if (logBytes(path) < HEADER_BYTES) return;
  const bytes = readFileSync(logOf(path));
  const pageBytes = bytes.readUInt32BE(8);
  const salt = bytes.subarray(16, 24);
  for (let at = HEADER_BYTES; at < bytes.length; at += FRAME_HEADER_BYTES + pageBytes) {
    if (!bytes.subarray(at + 8, at + 16).equals(salt)) return;
    const end = at + FRAME_HEADER_BYTES + pageBytes;
    yield { end, isLast: bytes.readUInt32BE(at + 4) !== 0 };
  }
}
