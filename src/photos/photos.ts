import { type Clock, HOUR_MS } from '../domain/clock.ts';
import { Failure } from '../domain/failure.ts';
import { type PhotoFileStorage, type PhotoService, photoFileName } from '../domain/photo.ts';
import { type Bucket, openBucket } from './bucket.ts';
import { createDecoder, type Decoder } from './decoder.ts';

/** Files without a photo are kept for this long: much longer than a photo may take to be added. */
const UNUSED_KEPT_MS = HOUR_MS;
/** Names that one step of the sweep looks at. */
const STEP_NAMES = 500;
const RETRY_SECONDS = 5;

const TYPES = { jpg: 'image/jpeg', webp: 'image/webp' };

interface PhotoParts {
  readonly storage: PhotoFileStorage;
  readonly decoder: Decoder;
  /** Undefined if the database has the bytes. */
  readonly bucket: Bucket | undefined;
  readonly clock: Clock;
}

/** The photos of this process. */
export interface Photos extends PhotoService {
  /**
   * Does one step of the removal of files that no photo names, after that of the last call: at most `most` at `now`.
   * Returns how many it has removed, and whether it has reached the last file of all.
   */
  sweep(most: number, now: number): Promise<{ readonly removed: number; readonly isLast: boolean }>;
  end(): Promise<void>;
}

/**
 * Opens the photos of this process, with their bytes at the address of a bucket, or in the database if
 * there is none.
 */
export function openPhotos(
  address: string | undefined,
  storage: PhotoFileStorage,
  clock: Clock,
  decoder: Decoder = createDecoder(),
): Photos {
  const bucket = address === undefined ? undefined : openBucket(address);
  return createPhotos({ storage, decoder, bucket, clock });
}

/**
 * Creates the photos of this process. Their files are stored before the photo is added, so that no photo
 * is without them. Where a bucket has the bytes, the database has the names: it decides what is there.
 */
export function createPhotos({ storage, decoder, bucket, clock }: PhotoParts): Photos {
  let sweptTo = '';

  async function put(files: readonly { name: string; content: Uint8Array }[]): Promise<void> {
    // The names first: from then on nobody removes the files.
    const stored = bucket ? files.map(({ name }) => ({ name, content: null })) : files;
    if (!(await storage.put(stored, clock.now()))) throw beingRemoved();
    for (const { name, content } of files) await bucket?.put(name, content);
  }

  const files = shareFiles(async (name) => {
    const found = await storage.find(name);
    if (found === undefined) return undefined;
    const type = name.endsWith('.webp') ? TYPES.webp : TYPES.jpg;
    const bytes = found.content ?? (await bucket?.get(name));
    return bytes && new Blob([bytes as Uint8Array<ArrayBuffer> | Blob], { type });
  });

  return {
    async take(upload, familyId) {
      const { width, height, frames } = await decoder.decode(upload, familyId);
      const [kept] = frames;
      if (kept === undefined) throw new Error('nothing was decoded');
      const sha256 = Bun.SHA256.hash(kept.bytes, 'hex');
      await put(
        frames.map(({ width: own, format, bytes }) => ({
          name: photoFileName(sha256, own, format),
          content: bytes,
        })),
      );
      return { sha256, width, height };
    },
    read: files.get,
    async sweep(most, now) {
      const before = now - UNUSED_KEPT_MS;
      const step = await storage.removeUnused(sweptTo, STEP_NAMES, before, now, most);
      const { last, removed, marked } = step;
      sweptTo = last ?? '';
      files.clear();
      if (bucket !== undefined && marked.length > 0) {
        for (const name of marked) await bucket.remove(name);
        await storage.forget(marked, now);
      }
      return { removed: removed + marked.length, isLast: last === undefined };
    },
    end: decoder.end,
  };
}

function beingRemoved(): Failure {
  return new Failure(
    'service_unavailable',
    'The same photo is being removed at this moment; nothing was changed, try again shortly.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

/** The most bytes of files that are kept for the next request. */
const KEPT_BYTES_MAX = 33_554_432;

/**
 * Keeps the files that were read last, so that requests for a file share its bytes: a response keeps them
 * in memory until the client has read it, and a slow one takes its time.
 */
export function shareFiles(
  read: (name: string) => Promise<Blob | undefined>,
  bytesMax = KEPT_BYTES_MAX,
) {
  /** In the order of their last use. */
  const kept = new Map<string, { readonly file: Promise<Blob | undefined>; bytes: number }>();
  let bytes = 0;

  function drop(name: string): void {
    bytes -= kept.get(name)?.bytes ?? 0;
    kept.delete(name);
  }

  async function keep(name: string, file: Promise<Blob | undefined>): Promise<void> {
    const found = await file.catch(() => undefined);
    const entry = kept.get(name);
    if (entry?.file !== file) return;
    if (found === undefined) drop(name);
    else {
      entry.bytes = found.size;
      bytes += found.size;
    }
    for (const oldest of kept.keys()) {
      if (bytes <= bytesMax) break;
      drop(oldest);
    }
  }

  return {
    /** Returns a file; undefined if there is none. Throws what reading it throws. */
    get(name: string): Promise<Blob | undefined> {
      const known = kept.get(name);
      if (known !== undefined) {
        kept.delete(name);
        kept.set(name, known);
        return known.file;
      }
      const file = read(name);
      kept.set(name, { file, bytes: 0 });
      void keep(name, file);
      return file;
    },
    /** Forgets all files. */
    clear(): void {
      kept.clear();
      bytes = 0;
    },
  };
}
