import { extname } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../domain/clock.ts';
import { PROFILE_PARTS, type ProfilePart } from '../domain/import.ts';
import type { BatchOptions } from '../domain/pet.ts';
import type { CheckedRows } from '../import/check-rows.ts';
import type { ImportMapping } from '../import/columns.ts';
import { createCsvSource } from '../import/csv-rows.ts';
import { PART_NOTES, parseNameTemplate, parseStatusMap, WrongMapping } from '../import/mapping.ts';
import { createNdjsonSource } from '../import/ndjson-rows.ts';
import { ENCODINGS, type Encoding } from '../import/text-chunks.ts';
import type { Config } from '../settings/config.ts';
import { openStorage, openStorageToRehearse } from '../storage/open.ts';
import { CommandFailure } from './explain.ts';
import { checkFile, flagOf, importRows } from './import/importer.ts';
import { openRejectedRows, rejectedPath, removeRejectedRows } from './import/rejected-rows.ts';
import { changeLines, type ImportReport, summaryText } from './import/summary.ts';
import { openTextFile } from './import/text-file.ts';
import { printable } from './print.ts';
import { createProgressBar, type Interruption, listenForInterruption } from './progress.ts';
import { addDatabaseSettings, configOf, noticesOf } from './setting-options.ts';

/** By file name extension. */
const SOURCES = new Map([
  ['.csv', createCsvSource],
  ['.tsv', createCsvSource],
  ['.ndjson', createNdjsonSource],
]);

interface ImportFlags extends ImportMapping {
  readonly dryRun?: boolean;
  readonly overwrite?: boolean;
  /** The column of all colours. */
  readonly colour?: string;
  readonly encoding: Encoding;
}

const NOTES = `
Without flags, the columns are those of \`petstore export\`: name and categoryId, and optionally
status and external_id. Each animal gets a new id. Only the values of columns that you name with a
flag are trimmed.

Without --status-map, the status must be available, pending or sold. An empty or missing status
means available.

With --external-id you can import a file again: each row changes the animal that it added before.
A row that is the same as in the last import changes nothing, so your own changes and removals
stay, unless you add --overwrite. A row without an external id is rejected. If several rows have
the same external id, the last one counts.

What else there is to know of an animal comes from the columns that the flags for the profile name,
from those of \`petstore export\`, and from some with a known header, such as Breed, Color, Sex upon
Outcome and Date of Birth. A value that fits nothing is counted, and changes nothing. No column
makes anything unknown that is known here.

The columns of a .csv file are separated by commas, semicolons or tabs, as its header shows.

The whole file is read before anything is written. If it cannot be read to its end, nothing is
imported. Rows that cannot become animals go to FILE.rejected.csv with their line and the reason.
If a file with that name exists and no import wrote it, the import stops before it starts.`;

/** `petstore import` */
export function importCommand(): Command {
  const command = new Command('import')
    .description('add animals from a file, or update those that it added before')
    .argument('<FILE>', 'a .csv file with a header, or an .ndjson file with one object per line')
    .option('--name <COLUMN>', 'column with the names')
    .option('--category <COLUMN>', 'column with category names; new categories are created')
    .addOption(
      new Option('--category-id <COLUMN>', 'column with category ids').conflicts('category'),
    )
    .option('--status <COLUMN>', 'column with the status')
    .option(
      '--status-map <MAP>',
      "what the values become, for example 'Adoption=sold,Died=skip,*=available'; " +
        'skip leaves a row out, * matches all other values',
      argumentOf(parseStatusMap),
    )
    .option('--external-id <COLUMN>', 'column with the id of the animal in your own system')
    .option(
      '--unnamed <TEMPLATE>',
      "name for animals without one, with columns in braces, for example 'Unnamed {Species}'",
      argumentOf(parseNameTemplate),
    )
    .option('--repair-encoding', 'repair names that were encoded twice: PadmÃ© becomes Padmé')
    .addOption(new Option('--encoding <NAME>', 'text encoding').choices(ENCODINGS).default('utf-8'))
    .option('--publish', 'publish the animals; otherwise none is published or unpublished')
    .option('--only-named', 'fill profiles from the columns alone that a flag names')
    .option('--overwrite', 'let the file win over changes and removals since the last import')
    .option('--dry-run', 'write nothing; show what would happen')
    .addHelpText('after', NOTES);
  for (const part of PROFILE_PARTS) {
    const option = new Option(`${flagOf(part)} <COLUMN>`, descriptionOf(part));
    command.addOption(option.helpGroup('Columns for the profile:'));
  }
  return addDatabaseSettings(command).action((file: string, flags: ImportFlags) =>
    importFile(file, flags, configOf(command)),
  );
}

async function importFile(path: string, flags: ImportFlags, config: Config): Promise<void> {
  const begin = performance.now();
  const { dryRun = false, overwrite = false } = flags;
  using interruption = listenForInterruption();
  let checked: CheckedRows;
  let written: WrittenRows;
  {
    using progress = createProgressBar(dryRun ? 'Checking' : 'Importing');
    const file = openTextFile(path, flags.encoding, progress.advance);
    const createSource = SOURCES.get(extname(path).toLowerCase());
    if (createSource === undefined) {
      throw new CommandFailure(`${path} must end in .csv, .tsv or .ndjson.`);
    }
    // The file is read twice: first to check it, then to import it.
    progress.start(2 * file.bytes);
    const source = createSource(path, file.chunks);
    checked = await checkFile(
      source,
      { ...flags, colours: flags.colour },
      () => interruption.requested,
    );
    if (overwrite && !checked.repeatable) {
      throw new CommandFailure(
        '--overwrite needs --external-id to find the animal of each row; nothing was imported.',
      );
    }
    written = await writeRows(path, checked, { dryRun, overwrite }, config, interruption);
  }
  const milliseconds = performance.now() - begin;
  const report = { checked, ...written, milliseconds, dryRun, rejectedPath: rejectedPath(path) };
  process.stdout.write(printable(summaryText(report)));
}

type WrittenRows = Pick<ImportReport, 'counts' | 'changes' | 'stillPublished' | 'unread'>;

async function writeRows(
  path: string,
  checked: CheckedRows,
  options: BatchOptions,
  config: Config,
  interruption: Interruption,
): Promise<WrittenRows> {
  const { dryRun = false } = options;
  const rejected = rejectedPath(path);
  const { database, environment } = config;
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
    const given = { ...options, rejectedRows, isInterrupted, importId };
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
    return { ...written, changes: await changeLines(changes, storage.categories) };
  } finally {
    await storage.close();
  }
}

/** What the column of a part holds: `goodWithDogs` is good with dogs. */
function descriptionOf(part: ProfilePart): string {
  const words = part.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const note = PART_NOTES[part];
  return note === undefined ? words : `${words}. ${note}`;
}

/** Turns a parser of a mapping into one of the argument of a flag. */
function argumentOf<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof WrongMapping) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };
}
