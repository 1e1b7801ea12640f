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
