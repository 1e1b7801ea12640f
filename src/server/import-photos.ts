import { closeSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';
import { createTurns } from '../domain/fair-places.ts';
import { PHOTO_BYTES_MAX, type PhotoService } from '../domain/photo.ts';
import type { Storage } from '../domain/storage.ts';
import { createUnnamedFile } from '../http/unnamed-file.ts';
import type { PhotoBytes, PhotoSource } from '../import/take-photos.ts';
import { openPhotos, type Photos } from '../photos/photos.ts';
import type { Config } from '../settings/config.ts';
import { createWebhookClient, type WebhookClient } from '../webhooks/client.ts';

/** The most photos of all imports that are fetched at once, and that may wait. */
const TURNS = { atOnce: 4, perHolder: 100, inAll: 1_000 };
/** Statuses after which another attempt may succeed. */
const TRANSIENT = [408, 425, 429];

/** Opens the photos that are stored, for a command. */
export function openStoredPhotos(
  config: Config,
  storage: Pick<Storage, 'photoFiles'>,
  clock: Clock,
): Photos {
  return openPhotos(config.photos, storage.photoFiles, clock);
}

/** Opens the source of photos of a command. */
export function openPhotoSource(
  config: Config,
  storage: Pick<Storage, 'photoFiles'>,
  clock: Clock,
): { readonly source: PhotoSource; close(): Promise<void> } {
  const client = createWebhookClient(config);
  const photos = openStoredPhotos(config, storage, clock);
  return {
    source: createPhotoSources(client, photos)(0n),
    async close() {
      client.close();
      await photos.end();
    },
  };
}

/** Makes sources of photos for imports, each of one family of keys. */
export function createPhotoSources(
  client: Pick<WebhookClient, 'getFile'>,
  photos: Pick<PhotoService, 'take'>,
  wait: PhotoSource['wait'] = waitFor,
): (familyId: bigint) => PhotoSource {
  const takeTurn = createTurns(TURNS, () => new Error('too many imports fetch photos'));

  async function fetch(address: string, signal: AbortSignal): Promise<PhotoBytes> {
    let got = await client.getFile(address, PHOTO_BYTES_MAX, signal);
    // Old files name plain http, which leads nowhere but to networks of the operator.
    const isPlain = 'failure' in got && got.failure === 'refused_target' && /^http:/i.test(address);
    if (isPlain) {
      got = await client.getFile(address.replace(/^http:/i, 'https:'), PHOTO_BYTES_MAX, signal);
    }
    if ('failure' in got) {
      const { failure, reason } = got;
      const isFinal =
        ['refused_target', 'certificate_invalid'].includes(failure) || /no address/.test(reason);
      return { reason, isFinal };
    }
    const { status, bytes } = got;
    if (bytes !== undefined) return { bytes };
    if (status === 200) return { reason: 'The file has more than 20 MiB.', isFinal: true };
    if (status >= 300 && status < 400) {
      return { reason: 'It leads to another address, which is not followed.', isFinal: true };
    }
    const isFinal = status < 500 && !TRANSIENT.includes(status);
    return { reason: `The server answered ${status}.`, isFinal };
  }

  return (familyId) => ({
    fetch,
    take: (bytes) => takeBytes(bytes, photos, familyId),
    turn: (work) => takeTurn(familyId, work),
    wait,
  });
}

/** Makes the files of a photo that is in memory. */
async function takeBytes(
  bytes: Uint8Array,
  photos: Pick<PhotoService, 'take'>,
  familyId: bigint,
): ReturnType<PhotoService['take']> {
  const descriptor = createUnnamedFile(tmpdir());
  try {
    for (let written = 0; written < bytes.length; ) {
      // At a position, so that reading begins at the start of the file.
      written += writeSync(descriptor, bytes, written, bytes.length - written, written);
    }
    const upload = { descriptor, bytes: bytes.length, digest: '' };
    return await photos.take(upload, familyId);
  } finally {
    closeSync(descriptor);
  }
}

/** Waits, at most until the signal. */
export async function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
}
