import { type Clock, SECOND_MS } from '../domain/clock.ts';
import { Failure } from '../domain/failure.ts';
import type { ImportStorage } from '../domain/import.ts';
import {
  NO_PHOTOS,
  PHOTO_PROBLEM_MAX,
  PHOTO_PROBLEMS_MAX,
  type PhotoCounts,
} from '../domain/imported-photos.ts';
import type { ImportedPet } from '../domain/pet.ts';
import type { NewPhoto, PhotoStorage } from '../domain/photo.ts';
import { shortened } from './failure.ts';

/** The bytes of a photo, or why there are none; a final reason is not tried again. */
export type PhotoBytes =
  | { readonly bytes: Uint8Array }
  | { readonly reason: string; readonly isFinal: boolean };

/** A photo to take. */
export interface WantedPhoto {
  /** What to call it: never what may hold a secret. */
  readonly name: string;
  /** Tells it from others of the animal, at the next import too. */
  readonly mark: string;
  get(signal: AbortSignal): Promise<PhotoBytes>;
}

/** The photos of one animal, in their order. */
interface WantedOf {
  readonly petId: bigint;
  readonly externalId: string | undefined;
  readonly photos: readonly WantedPhoto[];
}

/** What gets photos and makes their files; a test may replace it. */
export interface PhotoSource {
  fetch(address: string, signal: AbortSignal): Promise<PhotoBytes>;
  /** Decodes a photo and stores its files, in turn with others. Throws what `PhotoService.take` throws. */
  take(bytes: Uint8Array): Promise<Omit<NewPhoto, 'alt'>>;
  /** Lets this work take its turn among all photos that are fetched. */
  turn<T>(work: () => Promise<T>): Promise<T>;
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The waits between the tries for one photo. */
const WAITS_MS = [SECOND_MS, 5 * SECOND_MS];
/** Photos of one import that are fetched at once. */
const AT_ONCE = 2;
/** Characters of names and addresses that are kept until the photos are fetched. */
const KEPT_MAX = 8_000_000;

/** Returns the mark of what names a photo. */
export function markOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 16);
}

/** Collects the photos of an import, without those that earlier ones took. */
export function createWantedPhotos(
  imports: Pick<ImportStorage, 'knownPhotos'>,
  photosOf: (animal: ImportedPet) => readonly WantedPhoto[],
) {
  const wanted: WantedOf[] = [];
  const counts = { found: 0, known: 0, left: 0 };
  let characters = 0;
  return {
    wanted,
    counts,
    /** Takes a batch that was written, with the ids of its animals. */
    async add(batch: readonly ImportedPet[], ids: readonly (bigint | undefined)[]): Promise<void> {
      const all = batch.map((animal) => photosOf(animal));
      if (all.every(({ length }) => length === 0)) return;
      const externalIds = batch.flatMap(({ externalId }, n) =>
        externalId !== undefined && (all[n]?.length ?? 0) > 0 ? externalId : [],
      );
      const marks = await imports.knownPhotos(externalIds);
      for (const [n, { externalId }] of batch.entries()) {
        const found = all[n] ?? [];
        const known = marks.get(externalId ?? '');
        const photos = found.filter(({ mark }) => !known?.has(mark));
        counts.found += found.length;
        counts.known += found.length - photos.length;
        characters += photos.reduce((sum, { name }) => sum + 2 * name.length + 100, 0);
        const petId = ids[n];
        if (petId === undefined || characters > KEPT_MAX) counts.left += photos.length;
        else if (photos.length > 0) wanted.push({ petId, externalId, photos });
      }
    },
  };
}

/** Photos that an import has collected. */
export type WantedPhotos = ReturnType<typeof createWantedPhotos>;

interface TakeParts {
  readonly source: PhotoSource;
  readonly storage: {
    readonly photos: Pick<PhotoStorage, 'add'>;
    readonly imports: Pick<ImportStorage, 'notePhoto'>;
  };
  readonly clock: Clock;
  readonly keyId: bigint | null;
  readonly importId: bigint;
  readonly signal: AbortSignal;
  /** Called before each photo is added. Throws to stop. */
  readonly beforeAdding: () => Promise<void>;
  /** Gets the counts after each animal. */
  readonly progress: (counts: PhotoCounts) => Promise<void>;
}

const TOO_MANY = 'They are too many for one import: import the file again for the rest.';

/** Fetches photos and adds them to their animals. Ends early, with what was done, when the signal aborts. */
export async function takePhotos(
  { wanted, counts: { found, known, left } }: WantedPhotos,
  parts: TakeParts,
): Promise<PhotoCounts> {
  const { source } = parts;
  const failed = new AbortController();
  const signal = AbortSignal.any([parts.signal, failed.signal]);
  const problems: string[] = [];
  let counts: PhotoCounts = { ...NO_PHOTOS, found, known, problems };
  function fail(name: string, reason: string, photos = 1): void {
    counts = { ...counts, failed: counts.failed + photos };
    if (problems.length === PHOTO_PROBLEMS_MAX) return;
    problems.push(
      shortened(`${shortened(name, PHOTO_PROBLEM_MAX / 2)}: ${reason}`, PHOTO_PROBLEM_MAX),
    );
  }

  async function takeOne({ petId, externalId }: WantedOf, photo: WantedPhoto): Promise<void> {
    const taken = await source.turn(() => tryPhoto(photo, source, signal));
    if (signal.aborted) return;
    if ('reason' in taken) {
      fail(photo.name, taken.reason);
      return;
    }
    await parts.beforeAdding();
    const { clock, keyId, importId } = parts;
    const stamp = { at: clock.now(), keyId, importId };
    try {
      const added = await parts.storage.photos.add(petId, { ...taken, alt: '' }, stamp);
      if (added === undefined) {
        fail(photo.name, 'The animal was removed meanwhile.');
        return;
      }
      const part = added.isNew ? 'added' : 'known';
      counts = { ...counts, [part]: counts[part] + 1 };
      if (externalId !== undefined) await parts.storage.imports.notePhoto(externalId, photo.mark);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'conflict') throw error;
      fail(photo.name, error.message);
    }
  }

  let next = 0;
  async function work(): Promise<void> {
    for (let animal = wanted[next++]; animal !== undefined; animal = wanted[next++]) {
      for (const photo of animal.photos) {
        if (signal.aborted) return;
        await takeOne(animal, photo);
      }
      await parts.progress(counts);
    }
  }

  // Nothing is added any more once this has failed.
  const stop = (error: unknown) => failed.abort(error);
  await Promise.all(Array.from({ length: AT_ONCE }, () => work().catch(stop)));
  failed.signal.throwIfAborted();
  if (left > 0) fail('The others', TOO_MANY, left);
  return counts;
}

type Taken = Omit<NewPhoto, 'alt'> | { readonly reason: string };

/** Tries a photo up to three times. */
async function tryPhoto(
  { get }: WantedPhoto,
  source: PhotoSource,
  signal: AbortSignal,
): Promise<Taken> {
  for (let tried = 0; ; tried++) {
    const found = await tryOnce(get, source, signal);
    const wait = WAITS_MS[tried];
    if (!('reason' in found)) return found;
    if (found.isFinal || wait === undefined || signal.aborted) return { reason: found.reason };
    await source.wait(wait, signal);
  }
}

async function tryOnce(
  get: WantedPhoto['get'],
  source: PhotoSource,
  signal: AbortSignal,
): Promise<Omit<NewPhoto, 'alt'> | Extract<PhotoBytes, { reason: string }>> {
  const found = await get(signal);
  if ('reason' in found) return found;
  try {
    return await source.take(found.bytes);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const reason = error.message.replace('; nothing was changed, try again shortly', '');
    return { reason, isFinal: error.code !== 'service_unavailable' };
  }
}

/** Returns the photos of an animal that its row names by their addresses. */
export function photosByAddress(
  { photos = [] }: ImportedPet,
  source: PhotoSource,
): readonly WantedPhoto[] {
  return photos.map((address) => ({
    name: address.replace(/[?#].*$/s, ''),
    mark: markOf(address),
    get: (signal) => source.fetch(address, signal),
  }));
}
