import { existsSync, readFileSync, statSync } from 'node:fs';

/*
 * The write-ahead log of SQLite as a file (https://www.sqlite.org/fileformat2.html, section 4):
 * it shows what was really committed, independently of the code under test.
 */

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** The path of a database's log. */
function logOf(path: string): string {
  return `${path}-wal`;
}

/** The size of the log in bytes, 0 if there is none. */
export function logBytes(path: string): number {
  return existsSync(logOf(path)) ? statSync(logOf(path)).size : 0;
}

/** Counts the transactions in the log: only the last frame of each has the database size. */
export function commitsInLog(path: string): number {
  let commits = 0;
  for (const { isLast } of framesInLog(path)) commits += isLast ? 1 : 0;
  return commits;
}

/** The size of the valid part of the log. Frames of an earlier round may follow it. */
export function liveLogBytes(path: string): number {
  let end = HEADER_BYTES;
  for (const frame of framesInLog(path)) end = frame.end;
  return end;
}

/** The frames of this round of the log; those of an earlier round have a different salt. */
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
