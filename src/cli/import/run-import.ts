import type { CategoryStorage } from '../../domain/category.ts';
import { systemClock } from '../../domain/clock.ts';
import type { ImportPolicy } from '../../domain/import.ts';
import type { PhotoCounts } from '../../domain/imported-photos.ts';
import { foldCase } from '../../domain/name.ts';
import type { ImportedChange, ImportedPet } from '../../domain/pet.ts';
import type { Storage } from '../../domain/storage.ts';
import type { CheckedRows } from '../../import/check-rows.ts';
import type { ImportMapping } from '../../import/columns.ts';
import { type OpenedSource, openSource } from '../../import/open-source.ts';
import { createWantedPhotos, photosByAddress, takePhotos } from '../../import/take-photos.ts';
import { openPhotoSource } from '../../server/import-photos.ts';
import type { Config } from '../../settings/config.ts';
import { openStorage, openStorageToRehearse } from '../../storage/open.ts';
import { CommandFailure } from '../explain.ts';
import { printable } from '../print.ts';
import { createProgressBar, type Interruption, listenForInterruption } from '../progress.ts';
import { noticesOf } from '../setting-options.ts';
import { checkFile, importRows } from './importer.ts';
import { openPhotoArchive, type PhotoArchive } from './photo-archive.ts';
import { openRejectedRows, rejectedPath, removeRejectedRows } from './rejected-rows.ts';
import { type ImportReport, summaryText } from './summary.ts';
import { openFile } from './text-file.ts';

/** The flags of `petstore import`. */
export interface ImportFlags extends ImportMapping {
  readonly dryRun?: boolean;
  readonly overwrite?: boolean;
  /** The column of all colours. */
  readonly colour?: string;
  readonly encoding?: string;
  readonly missing: ImportPolicy['missing'];
  readonly missingMost: number;
  readonly photos: boolean;
}

/** The file is read to find its encoding, to recognise its columns, to check it, and to import it. */
const READINGS = 4;

/** Imports a file, and prints what became of it. */
export async function runImport(path: string, flags: ImportFlags, config: Config): Promise<void> {
  const begin = performance.now();
  const { dryRun = false, overwrite = false } = flags;
  using interruption = listenForInterruption();
  let checked: CheckedRows;
  let written: WrittenRows;
  let opened: OpenedSource;
  {
    using progress = createProgressBar(dryRun ? 'Checking' : 'Importing');
    const file = openFile(path, progress.advance);
    progress.start(READINGS * file.bytes);
    opened = await openSource(file, flags.encoding, '--encoding');
    checked = await checkFile(
      opened.source,
      { ...flags, colours: flags.colour },
      () => interruption.requested,
    );
    if (overwrite && !checked.repeatable) {
      throw new CommandFailure(
        '--overwrite needs --external-id to find the animal of each row; nothing was imported.',
      );
    }
    written = await writeRows(path, checked, flags, config, interruption);
  }
  const milliseconds = performance.now() - begin;
  const report = {
    ...{ checked, opened, ...written, milliseconds, dryRun },
    ...{ missingChoice: flags.missing, rejectedPath: rejectedPath(path) },
  };
  process.stdout.write(printable(summaryText(report)));
}

type WrittenRows = Pick<
  ImportReport,
  'counts' | 'changes' | 'stillPublished' | 'unread' | 'missing' | 'photos' | 'archive'
>;

async function writeRows(
  path: string,
  checked: CheckedRows,
  flags: ImportFlags,
  config: Config,
  interruption: Interruption,
): Promise<WrittenRows> {
  const { dryRun = false, overwrite = false, withHistory = false, missing, missingMost } = flags;
  const options = { dryRun, overwrite, policy: { withHistory, missing, missingMost } };
  const rejected = rejectedPath(path);
  const { database, environment } = config;
  using archive = flags.photos ? await openPhotoArchive(path, checked.seen) : undefined;
  const storage = await (dryRun
    ? openStorageToRehearse(database, environment)
    : openStorage(database, environment, noticesOf(database)));
  try {
    const keepsRejected = checked.rejected > 0 && !dryRun;
    using rejectedRows = keepsRejected
      ? openRejectedRows(rejected, checked.source.originalColumns, checked.rejectedWidth)
      : undefined;
    const isInterrupted = () => interruption.requested;
    const importId = -BigInt(systemClock.now());
    const photos = createPhotoWork(storage, config, flags, archive);
    const given = { ...options, rejectedRows, isInterrupted, importId, written: photos.add };
    const noteEnd = async (status: string, counts = {}) => {
      if (dryRun) return;
      const ended = { status, ...counts, rejected: checked.rejected };
      await storage.imports.noteCommand(importId, ended, systemClock.now());
    };
    const { changes, ...written } = await importRows(checked, storage.pets, given).catch(
      async (error) => {
        // The reason is what matters, also when the database is what failed.
        await noteEnd('failed').catch(() => {});
        throw error;
      },
    );
    const { created: added, changed, unchanged, held } = written.counts;
    await noteEnd('completed', { created: added, changed, unchanged, held });
    if (checked.rejected === 0 && !dryRun) removeRejectedRows(rejected);
    return {
      ...written,
      changes: await changeLines(changes, storage.categories),
      photos: await photos.take(importId, interruption),
      archive: archive && { name: archive.name, unused: archive.unused() },
    };
  } finally {
    await storage.close();
  }
}

/** Collects the photos of an import, from addresses and from the ZIP beside the file, and takes them. */
function createPhotoWork(
  storage: Storage,
  config: Config,
  { photos, dryRun }: Pick<ImportFlags, 'photos' | 'dryRun'>,
  archive: PhotoArchive | undefined,
) {
  const { source, close } = openPhotoSource(config, storage, systemClock);
  const wanted = createWantedPhotos(storage.imports, (animal) =>
    photos ? [...photosByAddress(animal, source), ...(archive?.photosOf(animal) ?? [])] : [],
  );
  return {
    add: wanted.add,
    /** Takes what was collected; in a dry run only counts it. */
    async take(importId: bigint, interruption: Interruption): Promise<PhotoCounts> {
      const { found, known } = wanted.counts;
      const ending = new AbortController();
      using progress = createProgressBar('Photos');
      const watch = setInterval(() => interruption.requested && ending.abort(), 200);
      let done = 0;
      try {
        if (dryRun || wanted.wanted.length === 0) {
          return { found, known, added: 0, failed: 0, problems: [] };
        }
        progress.start(found - known);
        return await takePhotos(wanted, {
          ...{ source, storage, clock: systemClock, keyId: null, importId },
          signal: ending.signal,
          beforeAdding: async () => {},
          async progress({ added, failed }) {
            progress.advance(added + failed - done);
            done = added + failed;
          },
        });
      } finally {
        clearInterval(watch);
        await close();
      }
    },
  };
}

/** Describes changes, one line each: `A716089 "Rex": status available → sold`. */
async function changeLines(
  changes: readonly ImportedChange[],
  categories: CategoryStorage,
): Promise<string[]> {
  const lines: string[] = [];
  for (const change of changes) lines.push(await changeLine(change, categories));
  return lines;
}

async function changeLine(
  { before, row, isPetChanged, profile }: ImportedChange,
  categories: CategoryStorage,
): Promise<string> {
  const parts: string[] = [];
  if (isPetChanged) {
    if (before.name !== row.name) parts.push(`name now "${row.name}"`);
    if (before.status !== row.status) parts.push(`status ${before.status} → ${row.status}`);
    const from = await categoryText({ id: before.categoryId }, categories);
    const to = await categoryText(row.category, categories);
    if (foldCase(from) !== foldCase(to)) parts.push(`category ${from} → ${to}`);
  }
  // Their values can be long, or private.
  const fields = Object.keys(profile);
  if (fields.length > 0) parts.push(`profile ${fields.join(', ')}`);
  return `${row.externalId} "${before.name}": ${parts.join(', ')}`;
}

/** Returns the name of a category, or its id if it does not exist. */
async function categoryText(
  category: ImportedPet['category'],
  categories: CategoryStorage,
): Promise<string> {
  if ('name' in category) return category.name;
  return (await categories.find(category.id))?.name ?? String(category.id);
}
