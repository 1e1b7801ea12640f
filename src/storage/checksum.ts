import { appendFileSync, closeSync, openSync, readSync, statSync } from 'node:fs';

/**
 * A backup ends with the SHA-256 of all that precedes. SQLite does not read behind the last page that
 * its header counts.
 */
const TRAILER = /^\npetstore backup, sha256 ([0-9a-f]{64})\n$/;
const TRAILER_BYTES = trailer('0'.repeat(64)).length;
/** Bytes hashed in one turn of the event loop: a few milliseconds. */
const CHUNK_BYTES = 1_048_576;

function trailer(digest: string): string {
  return `\npetstore backup, sha256 ${digest}\n`;
}

/** Adds the checksum to a complete file. `proceed` is awaited between steps, and throws to stop. */
export async function appendChecksum(path: string, proceed: () => Promise<void>): Promise<void> {
  appendFileSync(path, trailer(await digestOf(path, statSync(path).size, proceed)));
}

/** What a checksum says about its file. */
export type Checked = 'whole' | 'damaged' | 'without a checksum';

/** Compares a file with its checksum. */
export async function verifyChecksum(path: string): Promise<Checked> {
  const bytes = statSync(path).size - TRAILER_BYTES;
  if (bytes < 0) return 'without a checksum';
  const [, digest] = TRAILER.exec(readText(path, bytes)) ?? [];
  if (digest === undefined) return 'without a checksum';
  const found = await digestOf(path, bytes, () => new Promise(setImmediate));
  return found === digest ? 'whole' : 'damaged';
}

function readText(path: string, position: number): string {
  const bytes = Buffer.alloc(TRAILER_BYTES);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, TRAILER_BYTES, position);
    return bytes.toString('latin1');
  } finally {
    closeSync(file);
  }
}

/** Hashes the first bytes of a file. */
async function digestOf(
  path: string,
  bytes: number,
  proceed: () => Promise<void>,
): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const file = openSync(path, 'r');
  try {
    for (let at = 0; at < bytes; ) {
      await proceed();
      const read = readSync(file, chunk, 0, Math.min(CHUNK_BYTES, bytes - at), at);
      if (read === 0) break;
      hash.update(chunk.subarray(0, read));
      at += read;
    }
    return hash.digest('hex');
  } finally {
    closeSync(file);
  }
}
