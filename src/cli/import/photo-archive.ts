import { existsSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import type { ImportedPet } from '../../domain/pet.ts';
import { PHOTO_BYTES_MAX } from '../../domain/photo.ts';
import { ImportFailure } from '../../import/failure.ts';
import { PHOTOS_MAX } from '../../import/photo-addresses.ts';
import { markOf, type PhotoBytes, type WantedPhoto } from '../../import/take-photos.ts';
import { foldedStem, photoFileStem } from '../export-photos.ts';

/** Files of a ZIP that are looked at. */
const ENTRIES_MAX = 200_000;
const PICTURE = /^(.+?)(?:-(\d{1,3}))?\.(?:jpe?g|png|webp)$/i;

/** The pictures in the ZIP beside a file. */
export interface PhotoArchive extends Disposable {
  readonly name: string;
  /** The pictures that are named by the external id of an animal, in their order. */
  photosOf(animal: ImportedPet): readonly WantedPhoto[];
  /** Pictures that no animal has asked for. */
  unused(): number;
}

interface Picture {
  readonly entry: Entry;
  readonly number: number;
}

/**
 * Opens `FILE.zip` beside `FILE.csv`, whose external ids are `ids`; undefined if there is none. Throws `ImportFailure`
 * for a broken one.
 */
export async function openPhotoArchive(
  path: string,
  ids: Iterable<string>,
): Promise<PhotoArchive | undefined> {
  const name = `${path.slice(0, path.length - extname(path).length)}.zip`;
  if (name === path || !existsSync(name)) return undefined;
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(name, { lazyEntries: true, autoClose: false });
    const pictures = await picturesIn(zip, name, new Set([...ids].map(stemOf)));
    return archiveOf(name, zip, pictures);
  } catch (error) {
    zip?.close();
    if (error instanceof ImportFailure) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ImportFailure(
      `${name} is no ZIP that can be read (${reason}); move it away, or add --no-photos. Nothing was imported.`,
    );
  }
}

const stemOf = (externalId: string) => foldedStem(photoFileStem(externalId));

/** Reads the list of files: none is unpacked. Folders do not count. */
async function picturesIn(
  zip: ZipFile,
  name: string,
  stems: ReadonlySet<string>,
): Promise<Map<string, Picture[]>> {
  const pictures = new Map<string, Picture[]>();
  if (zip.entryCount > ENTRIES_MAX) {
    throw new ImportFailure(
      `${name} has more than ${ENTRIES_MAX.toLocaleString('en')} files. Nothing was imported.`,
    );
  }
  for await (const entry of zip.eachEntry()) {
    const file = basename(entry.fileName);
    // What macOS adds begins with a dot.
    const [, whole = '', number] = file.startsWith('.') ? [] : (PICTURE.exec(file) ?? []);
    if (whole === '') continue;
    const numbered = foldedStem(`${whole}-${number}`);
    // An id can end so itself: A-2.
    const isWhole = number === undefined || stems.has(numbered);
    const stem = isWhole && number !== undefined ? numbered : foldedStem(whole);
    const at = isWhole ? 1 : Number(number);
    pictures.getOrInsertComputed(stem, () => []).push({ entry, number: at });
  }
  return pictures;
}

function archiveOf(
  name: string,
  zip: ZipFile,
  pictures: ReadonlyMap<string, readonly Picture[]>,
): PhotoArchive {
  const all = new Set([...pictures.values()].flat().map(({ entry }) => entry));
  const files = all.size;
  const used = new Set<Entry>();
  return {
    name,
    photosOf({ externalId }) {
      if (externalId === undefined) return [];
      const own = pictures.get(stemOf(externalId)) ?? [];
      const sorted = own.toSorted((one, other) => one.number - other.number).slice(0, PHOTOS_MAX);
      for (const { entry } of own) used.add(entry);
      return sorted.map(({ entry }) => ({
        name: entry.fileName,
        mark: markOf(`zip ${entry.crc32} ${entry.uncompressedSize}`),
        get: () => bytesOf(zip, entry),
      }));
    },
    unused: () => files - used.size,
    [Symbol.dispose]: () => zip.close(),
  };
}

async function bytesOf(zip: ZipFile, entry: Entry): Promise<PhotoBytes> {
  if (entry.uncompressedSize > PHOTO_BYTES_MAX) {
    return { reason: 'The file has more than 20 MiB.', isFinal: true };
  }
  try {
    const parts: Uint8Array[] = [];
    // The library ends a file that is longer than it says.
    for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part);
    return { bytes: Buffer.concat(parts) };
  } catch {
    return { reason: 'It cannot be unpacked.', isFinal: true };
  }
}
