import { Command, Option } from 'commander';
import { systemClock } from '../domain/clock.ts';
import { PAGE_LIMIT_MAX } from '../domain/page.ts';
import { type ExportedPet, PET_STATUSES, type PetStatus } from '../domain/pet.ts';
import { PROFILE_FIELD_NAMES, type ProfileFieldName } from '../domain/profile.ts';
import type { ImportedStay } from '../domain/stay-types.ts';
import type { Storage } from '../domain/storage.ts';
import { exportedCell } from '../import/formula.ts';
import { staysText } from '../import/own-stays.ts';
import { textOf } from '../import/profile-values.ts';
import { openStoredPhotos } from '../server/import-photos.ts';
import { createPhotoExport } from './export-photos.ts';
import { csvLine, printPieces } from './print.ts';
import { onStorage } from './setting-options.ts';

/** An animal with what is kept beside it. */
interface Exported extends ExportedPet {
  /** The name of its category; '' if there is none with its id. */
  readonly category: string;
  readonly stays: readonly ImportedStay[];
}
type Pages = AsyncIterable<readonly Exported[]>;

/** How a file is written. */
interface Form {
  readonly isForExcel: boolean;
  readonly separator: string;
}
type Writer = (pages: Pages, storage: Storage, form: Form) => AsyncIterable<string>;

const WRITERS: Record<'csv' | 'ndjson', Writer> = { csv: csvText, ndjson: ndjsonText };
const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t' } as const;

interface ExportFlags {
  readonly format: keyof typeof WRITERS;
  readonly status?: PetStatus;
  readonly forExcel: boolean;
  readonly separator: keyof typeof SEPARATORS;
  readonly photos?: string;
}

/** `petstore export` */
export function exportCommand(): Command {
  const command = new Command('export')
    .description('print all animals, in a format that `petstore import` reads')
    .addOption(
      new Option('--format <FORMAT>', 'output format').choices(Object.keys(WRITERS)).default('csv'),
    )
    .addOption(
      new Option('--status <STATUS>', 'only animals with this status').choices(PET_STATUSES),
    )
    .addOption(
      new Option(
        '--for-excel',
        'as spreadsheets need it: a byte-order mark, and an apostrophe before what they would run ' +
          'or round; an import takes it away again',
      ).default(false),
    )
    .addOption(
      new Option('--separator <NAME>', 'what stands between the columns of CSV')
        .choices(Object.keys(SEPARATORS))
        .default('comma'),
    )
    .option(
      '--photos <DIR>',
      'write the photos too, into a new or empty folder: as ID.jpg, ID-2.jpg and so on',
    )
    .addHelpText(
      'after',
      `
The columns are id, name, categoryId, category, status and stays, plus external_id and the fields of
profiles that any animal has, those that only staff may know too.

A ZIP of the folder of photos beside the file, with the same name, brings them back with it: FILE.zip
beside FILE.csv. Animals without an external id have photos called petstore-ID.jpg, which no import
finds.`,
    );
  return onStorage(command, 'read', async (storage, config, flags: ExportFlags) => {
    const { format, status, forExcel, separator, photos: folder } = flags;
    const photos = folder === undefined ? undefined : createPhotoExport(folder);
    const form = { isForExcel: forExcel, separator: SEPARATORS[separator] };
    const pages = pagesOf(storage, status, (page) => photos?.add(page));
    await printPieces(WRITERS[format](pages, storage, form));
    if (photos === undefined) return;
    const stored = openStoredPhotos(config, storage, systemClock);
    try {
      process.stderr.write(await photos.write(storage.photos, stored));
    } finally {
      await stored.end();
    }
  });
}

async function* pagesOf(
  { pets, categories, stays }: Storage,
  status: PetStatus | undefined,
  seen: (page: readonly ExportedPet[]) => void,
): Pages {
  const names = await categoryNames(categories);
  let afterId: bigint | undefined;
  for (;;) {
    const { items, more } = await pets.exportPage(status, { afterId, limit: PAGE_LIMIT_MAX });
    seen(items);
    const own = await stays.findAll(items.map(({ id }) => id));
    yield items.map((pet) => ({
      ...pet,
      category: names.get(pet.categoryId) ?? '',
      stays: own.get(pet.id) ?? [],
    }));
    if (!more) return;
    afterId = items.at(-1)?.id;
  }
}

async function categoryNames(
  categories: Storage['categories'],
): Promise<ReadonlyMap<bigint, string>> {
  const names = new Map<bigint, string>();
  let afterId: bigint | undefined;
  for (;;) {
    const { items, more } = await categories.list({ afterId, limit: PAGE_LIMIT_MAX });
    for (const { id, name } of items) names.set(id, name);
    if (!more) return names;
    afterId = items.at(-1)?.id;
  }
}

async function* csvText(
  pages: Pages,
  { pets, profiles }: Storage,
  { isForExcel, separator }: Form,
): AsyncIterable<string> {
  const withExternalId = await pets.hasExternalIds();
  const fields = withPublished(await profiles.knownFields());
  const line = (cells: readonly string[], externalId: string, values: readonly string[]) => {
    const all = [...cells, ...(withExternalId ? [externalId] : []), ...values];
    return csvLine(
      all.map((cell) => exportedCell(cell, isForExcel)),
      separator,
    );
  };
  const columns = ['id', 'name', 'categoryId', 'category', 'status', 'stays'];
  yield (isForExcel ? '\uFEFF' : '') + line(columns, 'external_id', fields);
  for await (const page of pages) {
    yield page
      .map(({ id, name, categoryId, category, status, stays, externalId = '', profile }) => {
        const values = fields.map((field) => {
          const value = profile?.[field] ?? null;
          return value === null ? '' : textOf(value);
        });
        const cells = [String(id), name, String(categoryId), category, status, staysText(stays)];
        return line(cells, externalId, values);
      })
      .join('');
  }
}

/** Profiles say whether they are published, so that an import with --publish publishes no others. */
function withPublished(fields: readonly ProfileFieldName[]): readonly ProfileFieldName[] {
  const isMissing = fields.length > 0 && !fields.includes('published');
  return isMissing ? [...fields, 'published'] : fields;
}

async function* ndjsonText(pages: Pages): AsyncIterable<string> {
  for await (const pets of pages) yield pets.map(ndjsonLine).join('');
}

/** Writes ids digit by digit: a `number` cannot hold an int64. */
function ndjsonLine(pet: Exported): string {
  const { id, name, categoryId, category, status, stays, externalId, profile } = pet;
  const members = [
    `"id":${id}`,
    `"name":${JSON.stringify(name)}`,
    `"categoryId":${categoryId}`,
    `"category":${JSON.stringify(category)}`,
    `"status":"${status}"`,
    `"stays":${staysText(stays)}`,
  ];
  if (externalId !== undefined) members.push(`"external_id":${JSON.stringify(externalId)}`);
  for (const field of profile === undefined ? [] : PROFILE_FIELD_NAMES) {
    const value = profile?.[field] ?? null;
    if (value !== null) members.push(`"${field}":${JSON.stringify(value)}`);
  }
  return `{${members.join(',')}}\n`;
}
