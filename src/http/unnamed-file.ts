import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../domain/failure.ts';
import { bodyTooLarge } from './body.ts';

/** Files may hold personal data, so only the owner of the process can read them. */
const OWNER_ONLY = 0o600;
/** For a full disk, which rarely has room a moment later. */
const NO_ROOM_RETRY_SECONDS = 60;

/** Creates a file that only this process can reach, and that ends with it. */
export function createUnnamedFile(directory: string): number {
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const path = join(directory, `.petstore-upload-${crypto.randomUUID()}`);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, OWNER_ONLY);
    unlinkSync(path);
    return descriptor;
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    throw noRoom(error);
  }
}

/** Writes a file as its bytes come. At once, because the runtime reads on, and would keep in memory what waits. */
export function createFileWriter(descriptor: number, bytesMax: number) {
  const hash = new Bun.CryptoHasher('sha256');
  let bytes = 0;
  return {
    write(part: Uint8Array): void {
      bytes += part.length;
      if (bytes > bytesMax) throw bodyTooLarge(bytesMax);
      writeAll(descriptor, part);
      hash.update(part);
    },
    end: () => ({ descriptor, bytes, digest: hash.digest('hex') }),
  };
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  try {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(descriptor, bytes, written, bytes.length - written);
    }
  } catch (error) {
    throw noRoom(error);
  }
}

function noRoom(cause: unknown): Failure {
  const isFull = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC';
  const reason = isFull ? 'The disk for files is full' : 'The service cannot store the file';
  const message = `${reason}; nothing was changed, try again later.`;
  const details = {
    retryAfterSeconds: NO_ROOM_RETRY_SECONDS,
    endsConnection: true,
    cause,
  } as const;
  return new Failure('service_unavailable', message, details);
}
