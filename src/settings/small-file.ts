import { readFileSync, statSync } from 'node:fs';

/** Far more than any setting needs; a wrong path may lead to a file of any size. */
const BYTES_MAX = 64 * 1_024;

/** A file that cannot be used. The message names it and ends a sentence, without its content. */
export class UnusableFile extends Error {
  /** The same without its name. */
  readonly problem: string;

  constructor(path: string, problem: string) {
    super(`${path} ${problem}`);
    this.problem = problem;
  }
}

/**
 * Reads a text of at most 64 KiB from a file or a pipe. Throws `UnusableFile` if it cannot be read, is
 * something else, is too large, or holds no text in UTF-8.
 */
export function readSmallFile(path: string): string {
  const bytes = readBytes(path);
  if (bytes.length > BYTES_MAX) throw tooLarge(path);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {}
  throw new UnusableFile(path, 'is no text in UTF-8');
}

function readBytes(path: string): Uint8Array {
  try {
    const found = statSync(path);
    // A device might never end.
    if (!found.isFile() && !found.isFIFO()) throw new UnusableFile(path, 'is no file');
    if (found.size > BYTES_MAX) throw tooLarge(path);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof UnusableFile || !(error instanceof Error)) throw error;
    const [reason] = error.message.split(', ');
    throw new UnusableFile(path, `cannot be read: ${reason}`);
  }
}

function tooLarge(path: string): UnusableFile {
  return new UnusableFile(path, `is larger than ${BYTES_MAX / 1_024} KiB`);
}

/** Reads a file of one line, without its end. Throws `UnusableFile` as `readSmallFile` does, and for none or more. */
export function readLine(path: string): string {
  const line = readSmallFile(path).replace(/[\r\n]+$/, '');
  if (line.trim() === '') throw new UnusableFile(path, 'is empty');
  if (/[\r\n]/.test(line)) throw new UnusableFile(path, 'has more than one line');
  return line;
}
