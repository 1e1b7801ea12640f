import { Command, Option } from 'commander';
import { PAGE_LIMIT_MAX } from '../domain/page.ts';
import { type ExportedPet, PET_STATUSES, type PetStatus, type PetStorage } from '../domain/pet.ts';
import { PROFILE_FIELD_NAMES, type ProfileFieldName } from '../domain/profile.ts';
import type { Storage } from '../domain/storage.ts';
import { textOf } from '../import/profile-values.ts';
import { csvLine, printPieces } from './print.ts';
import { addDatabaseSettings, withStorage } from './setting-options.ts';

type Pages = AsyncIterable<readonly ExportedPet[]>;

type Writer = (pages: Pages, storage: Storage) => AsyncIterable<string>;

const WRITERS: Record<'csv' | 'ndjson', Writer> = { csv: csvText, ndjson: ndjsonText };

interface ExportFlags {
  readonly format: keyof typeof WRITERS;
  readonly status?: PetStatus;
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
    .addHelpText(
      'after',
      `
The columns are id, name, categoryId and status, plus external_id and the fields of profiles that any
animal has, those that only staff may know too. Photos are not exported.`,
    );
  return addDatabaseSettings(command).action(({ format, status }: ExportFlags) =>
    withStorage(command, 'read', (storage) =>
      printPieces(WRITERS[format](pagesOf(storage.pets, status), storage)),
    ),
  );
}

async function* pagesOf(pets: PetStorage, status: PetStatus | undefined): Pages {
  let afterId: bigint | undefined;
  for (;;) {
    const { items, more } = await pets.exportPage(status, { afterId, limit: PAGE_LIMIT_MAX });
    yield items;
    if (!more) return;
    afterId = items.at(-1)?.id;
  }
}

async function* csvText(pages: Pages, { pets, profiles }: Storage): AsyncIterable<string> {
  const withExternalId = await pets.hasExternalIds();
  const fields = withPublished(await profiles.knownFields());
  const line = (cells: readonly string[], externalId: string, values: readonly string[]) =>
    csvLine([...cells, ...(withExternalId ? [externalId] : []), ...values]);
  yield line(['id', 'name', 'categoryId', 'status'], 'external_id', fields);
  for await (const page of pages) {
    yield page
      .map(({ id, name, categoryId, status, externalId = '', profile }) => {
        const values = fields.map((field) => {
          const value = profile?.[field] ?? null;
          return value === null ? '' : textOf(value);
        });
        return line([String(id), name, String(categoryId), status], externalId, values);
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
function ndjsonLine({ id, name, categoryId, status, externalId, profile }: ExportedPet): string {
  const members = [
    `"id":${id}`,
    `"name":${JSON.stringify(name)}`,
    `"categoryId":${categoryId}`,
    `"status":"${status}"`,
  ];
  if (externalId !== undefined) members.push(`"external_id":${JSON.stringify(externalId)}`);
  for (const field of profile === undefined ? [] : PROFILE_FIELD_NAMES) {
    const value = profile?.[field] ?? null;
    if (value !== null) members.push(`"${field}":${JSON.stringify(value)}`);
  }
  return `{${members.join(',')}}\n`;
}
