import { extname } from 'node:path';
import { Command, Option } from 'commander';
import type { Config } from '../config.ts';
import type { BatchOptions } from '../domain/pet.ts';
import { openStorage, openStorageToRehearse } from '../storage/open.ts';
import { CommandFailure } from './explain.ts';
import { changeLines } from './import/change-lines.ts';
import type { ImportMapping } from './import/columns.ts';
import { createCsvSource } from './import/csv-rows.ts';
import { type CheckedRows, checkRows, type ImportCounts, importRows } from './import/importer.ts';
import { nameTemplateArgument } from './import/name-template.ts';
import { createNdjsonSource } from './import/ndjson-rows.ts';
import { openRejectedRows, rejectedPath, removeRejectedRows } from './import/rejected-rows.ts';
import { statusMapArgument } from './import/status-map.ts';
import { summaryText } from './import/summary.ts';
import { ENCODINGS, type Encoding, openTextFile } from './import/text-file.ts';
import { type Interruption, listenForInterruption } from './interruption.ts';
import { printable } from './printable.ts';
import { createProgressBar } from './progress-bar.ts';
import { addDatabaseSettings, configOf } from './setting-options.ts';
import { announceDatabase } from './warnings.ts';

/** What is read for each ending of a file name. */
const SOURCES = new Map([
  ['.csv', createCsvSource],
  ['.tsv', createCsvSource],
  ['.ndjson', createNdjsonSource],
]);

interface ImportFlags extends ImportMapping {
  readonly dryRun?: boolean;
  readonly overwrite?: boolean;
  readonly encoding: Encoding;
}

const NOTES = `
Without flags the columns are those of \`petstore export\`: name, categoryId, and where there are
any, status and external_id. Their values are taken exactly, and each animal gets a new id. The
values of a column that a flag names are trimmed.

Without --status-map the values available, pending and sold stand for themselves; an empty value,
or no such column, means available.

With --external-id a row changes the animal that it made before, so a file can be imported again;
a row without an external id is rejected. Of rows with the same one the last counts. A row that
says what it said the last time changes nothing: what you changed or removed since stays so. With
--overwrite the file wins.

The columns of a .csv file may be separated by commas, semicolons or tabs: the header says which.

The whole file is read before anything is written, and one that cannot be read to its end imports
nothing. Rows that cannot become animals go to FILE.rejected.csv with their line and the reason; a
file of that name that no import wrote is left alone, and the import is refused.`;

/** `petstore import` */
export function importCommand(): Command {
  const command = new Command('import')
    .description('add animals from a file, or change those it brought before')
    .argument('<FILE>', 'a .csv file with a header, or an .ndjson file with an object a line')
    .option('--name <COLUMN>', 'column of the names')
    .option('--category <COLUMN>', 'column of category names; new ones are created')
    .addOption(new Option('--category-id <COLUMN>', 'column of category ids').conflicts('category'))
    .option('--status <COLUMN>', 'column of what becomes the status')
    .option(
      '--status-map <MAP>',
      "what its values mean, such as 'Adoption=sold,Died=skip,*=available': " +
        'skip leaves a row out, * is the rest',
      statusMapArgument,
    )
    .option('--external-id <COLUMN>', 'column of what the animals are called where they come from')
    .option(
      '--unnamed <TEMPLATE>',
      "name for animals without one, such as 'Unnamed {Species}', with columns in braces",
      nameTemplateArgument,
    )
    .option('--repair-encoding', 'mend names that were encoded twice: PadmÃ© becomes Padmé')
    .addOption(
      new Option('--encoding <NAME>', 'how the text is encoded')
        .choices(ENCODINGS)
        .default('utf-8'),
    )
    .option('--overwrite', 'let the file win over what was changed or removed since')
    .option('--dry-run', 'write nothing; say what would happen')
    .addHelpText('after', NOTES);
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
      throw new CommandFailure(`${path} must end in .csv or .ndjson, which says what is in it.`);
    }
    // It is read twice: once to check it, once to import it.
    progress.start(2 * file.bytes);
    const source = createSource(path, file.chunks);
    checked = await checkRows(source, flags, () => interruption.asked);
    if (overwrite && !checked.repeatable) {
      throw new CommandFailure(
        '--overwrite needs --external-id, which says what animal a row is; nothing was imported.',
      );
    }
    written = await writeRows(path, checked, { dryRun, overwrite }, config, interruption);
  }
  const milliseconds = performance.now() - begin;
  const report = { checked, ...written, milliseconds, dryRun, rejectedPath: rejectedPath(path) };
  process.stdout.write(printable(summaryText(report)));
}

/** What was written, and a line for each of the changes that are named. */
interface WrittenRows {
  readonly counts: ImportCounts;
  readonly changes: readonly string[];
}

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
  const created = () => announceDatabase(database);
  const storage = await (dryRun
    ? openStorageToRehearse(database, environment)
    : openStorage(database, environment, { created }));
  try {
    const keepsRejected = checked.rejected > 0 && !dryRun;
    using rejectedRows = keepsRejected
      ? openRejectedRows(rejected, checked.source.originalColumns, checked.rejectedWidth)
      : undefined;
    const isInterrupted = () => interruption.asked;
    const given = { ...options, rejectedRows, isInterrupted };
    const counts = await importRows(checked, storage.pets, given);
    if (checked.rejected === 0 && !dryRun) removeRejectedRows(rejected);
    return { counts, changes: await changeLines(counts.changes, storage.categories) };
  } finally {
    await storage.close();
  }
}
