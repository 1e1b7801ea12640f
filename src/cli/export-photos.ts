import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportedPet } from '../domain/pet.ts';
import { type PhotoService, type PhotoStorage, photoFileNames } from '../domain/photo.ts';
import { CommandFailure } from './explain.ts';

/** Collects animals, and then writes their photos into a folder. Throws `CommandFailure` unless it is empty. */
export function createPhotoExport(folder: string) {
  requireEmpty(folder);
  const animals: { readonly id: bigint; readonly stem: string }[] = [];
  const stems = new Set<string>();
  return {
    add(page: readonly ExportedPet[]): void {
      for (const { id, externalId } of page) {
        const stem = externalId === undefined ? `petstore-${id}` : photoFileStem(externalId);
        animals.push({ id, stem });
        stems.add(foldedStem(stem));
      }
    },
    /** Returns what was written, as a line for people. */
    async write(
      photos: Pick<PhotoStorage, 'list'>,
      files: Pick<PhotoService, 'read'>,
    ): Promise<string> {
      let written = 0;
      const missing: string[] = [];
      for (const { id, stem } of animals) {
        let number = 0;
        for (const photo of (await photos.list(id)) ?? []) {
          number++;
          // A1-2.jpg is the first photo of an animal A1-2, if there is one.
          while (number > 1 && stems.has(foldedStem(`${stem}-${number}`))) number++;
          const name = `${stem}${number === 1 ? '' : `-${number}`}.jpg`;
          const file = await files.read(photoFileNames(photo).full);
          if (file === undefined) missing.push(name);
          else {
            writeFileSync(join(folder, name), await file.bytes(), { flag: 'wx' });
            written++;
          }
        }
      }
      const lost = missing.length === 0 ? '' : `; ${missing.length} have no file: ${missing[0]} …`;
      return `petstore: ${written.toLocaleString('en-US')} photos in ${folder}${lost}\n`;
    },
  };
}

function requireEmpty(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    if (readdirSync(folder).length === 0) return;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`photos go to ${folder}, which cannot be used (${reason}).`);
  }
  throw new CommandFailure(`photos go to ${folder}, which is not empty; nothing was exported.`);
}

/** Characters that no file name may have somewhere, and the sign that stands for them. */
const UNSAFE = /[%/\\:*?"<>|\p{Cc}]|^\.|[. ]$/gu;

/** Returns the name of the files of an animal's photos, without number and ending. */
export function photoFileStem(externalId: string): string {
  return externalId.replaceAll(UNSAFE, (sign) =>
    encodeURIComponent(sign).replace(/^[.* ]$/, hexOf),
  );
}

function hexOf(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Folds such a name: not every disk tells upper from lower case. */
export function foldedStem(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
