import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Writes to standard output, and comes back when that has taken it. Throws where it cannot: a disk
 * that is full, a reader that is gone.
 */
export function print(text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // The stream tells the callback too; without a listener the event would end the process.
  process.stdout.once('error', reject);
  process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  return promise;
}

/**
 * Writes pieces of text to standard output, no faster than they are read. A reader that has had
 * enough, such as `head`, is no failure.
 */
export async function printPieces(pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), process.stdout, { end: false });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  }
}
