import { Command, Option } from 'commander';
import { PAGE_LIMIT_MAX } from '../domain/page.ts';
import { type ExportedPet, PET_STATUSES, type PetStatus, type PetStorage } from '../domain/pet.ts';
import { csvLine, printPieces } from './print.ts';
import { addDatabaseSettings, withStorage } from './setting-options.ts';

type Pages = AsyncIterable<readonly ExportedPet[]>;

type Writer = (pages: Pages, pets: PetStorage) => AsyncIterable<string>;

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
      '\nThe columns are id, name, categoryId and status, plus external_id if any animal has one.',
    );
  return addDatabaseSettings(command).action(({ format, status }: ExportFlags) =>
    withStorage(command, 'read', ({ pets }) =>
      printPieces(WRITERS[format](pagesOf(pets, status), pets)),
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

async function* csvText(pages: Pages, pets: PetStorage): AsyncIterable<string> {
  const withExternalId = await pets.hasExternalIds();
  const line = (cells: readonly string[], externalId: string) =>
    csvLine(withExternalId ? [...cells, externalId] : cells);
  yield line(['id', 'name', 'categoryId', 'status'], 'external_id');
  for await (const pets of pages) {
    yield pets
      .map(({ id, name, categoryId, status, externalId = '' }) =>
        line([String(id), name, String(categoryId), status], externalId),
      )
      .join('');
  }
}

async function* ndjsonText(pages: Pages): AsyncIterable<string> {
  for await (const pets of pages) yield pets.map(ndjsonLine).join('');
}

/** Writes ids digit by digit: a `number` cannot hold an int64. */
function ndjsonLine({ id, name, categoryId, status, externalId }: ExportedPet): string {
  const members = [
    `"id":${id}`,
    `"name":${JSON.stringify(name)}`,
    `"categoryId":${categoryId}`,
    `"status":"${status}"`,
  ];
  if (externalId !== undefined) members.push(`"external_id":${JSON.stringify(externalId)}`);
  return `{${members.join(',')}}\n`;
}
