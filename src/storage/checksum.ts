import { closeSync, fstatSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';

/**
 * A backup ends with the SHA-256 of everything before it. SQLite reads nothing beyond the last page that its header
 * counts.
 */
const TRAILER = /^\npetstore backup, sha256 ([0-9a-f]{64})\n$/;
const TRAILER_BYTES = trailer('0'.repeat(64)).length;
/** Bytes hashed in one turn of the event loop: a few milliseconds. */
const CHUNK_BYTES = 1_048_576;

function trailer(digest: string): string {
  return `\npetstore backup, sha256 ${digest}\n`;
}

/**
 * Adds the checksum to a complete file and flushes it. `proceed` is awaited between steps, and throws to stop. Throws
 * if the path is no longer the file that was read: a file that was removed must not come back as a checksum alone.
 */
export async function appendChecksum(path: string, proceed: () => Promise<void>): Promise<void> {
  const file = openSync(path, 'r+');
  try {
    const { size, ino, dev } = fstatSync(file);
    const text = trailer(await digestOf(file, size, proceed));
    writeSync(file, text, size);
    fsyncSync(file);
    const found = statSync(path, { throwIfNoEntry: false });
    const isSame = found?.ino === ino && found.dev === dev;
    if (isSame && found.size === size + text.length) return;
    throw new Error(`${path} was changed or removed by another program.`);
  } finally {
    closeSync(file);
  }
}

/** The result of comparing a file with its checksum. */
export type Checked = 'whole' | 'damaged' | 'without a checksum';

/** Compares a file with its checksum. */
export async function verifyChecksum(path: string): Promise<Checked> {
  const file = openSync(path, 'r');
  try {
    const bytes = fstatSync(file).size - TRAILER_BYTES;
    const end = Buffer.alloc(TRAILER_BYTES);
    if (bytes >= 0) readSync(file, end, 0, TRAILER_BYTES, bytes);
    const [, digest] = TRAILER.exec(end.toString('latin1')) ?? [];
    if (digest === undefined) return 'without a checksum';
    const found = await digestOf(file, bytes, () => new Promise(setImmediate));
    return found === digest ? 'whole' : 'damaged';
  } finally {
    closeSync(file);
  }
}

/** Hashes the first bytes of an open file. */
async function digestOf(
  file: number,
  bytes: number,
  proceed: () => Promise<void>,
): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let at = 0; at < bytes; ) {
    await proceed();
    const read = readSync(file, chunk, 0, Math.min(CHUNK_BYTES, bytes - at), at);
    if (read === 0) break;
    hash.update(chunk.subarray(0, read));
    at += read;
  }
  return hash.digest('hex');
}
