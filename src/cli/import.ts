import { Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../domain/clock.ts';
import {
  type ImportPolicy,
  MISSING_CHOICES,
  MISSING_MOST,
  PROFILE_PARTS,
  type ProfilePart,
} from '../domain/import.ts';
import type { CheckedRows } from '../import/check-rows.ts';
import type { ImportMapping } from '../import/columns.ts';
import {
  encodingNamed,
  PART_NOTES,
  parseCategoryMap,
  parseNameTemplate,
  parseStatusMap,
  WEIGHT_UNITS,
  WrongMapping,
} from '../import/mapping.ts';
import { type OpenedSource, openSource } from '../import/open-source.ts';
import type { Config } from '../settings/config.ts';
import { openStorage, openStorageToRehearse } from '../storage/open.ts';
import { CommandFailure } from './explain.ts';
import { checkFile, flagOf, importRows } from './import/importer.ts';
import { openRejectedRows, rejectedPath, removeRejectedRows } from './import/rejected-rows.ts';
import { changeLines, type ImportReport, summaryText } from './import/summary.ts';
import { openFile } from './import/text-file.ts';
import { printable } from './print.ts';
import { createProgressBar, type Interruption, listenForInterruption } from './progress.ts';
import { addDatabaseSettings, configOf, noticesOf } from './setting-options.ts';

interface ImportFlags extends ImportMapping {
  readonly dryRun?: boolean;
  readonly overwrite?: boolean;
  /** The column of all colours. */
  readonly colour?: string;
  readonly encoding?: string;
  readonly missing: ImportPolicy['missing'];
  readonly missingMost: number;
}

const NOTES = `
The columns are recognised by their headers and values, also those of PetPoint, Shelterluv, ASM,
Chameleon, ShelterBuddy, RescueGroups, Petstablished, Petfinder, Adopt-a-Pet, and the open data of
cities. The report begins with what was taken for what. Flags overrule it. Only the values of our
own export are taken exactly; others are trimmed.

A status in the words of these systems needs no --status-map. A file with intakes and outcomes has a
row for each stay: the newest row of an external id decides. An animal that had left before it ever
came here is left out, unless you add --with-history.

With external ids you can import a file again: each row changes the animal that it added before.
A row that is the same as in the last import changes nothing, so your own changes and removals
stay, unless you add --overwrite. A row without an external id is rejected.

A value that fits nothing is counted, and changes nothing. No column makes anything unknown that is
known here.

The whole file is read before anything is written. If it cannot be read to its end, nothing is
imported. Rows that cannot become animals go to FILE.rejected.csv with their line and the reason.
If a file with that name exists and no import wrote it, the import stops before it starts.`;

/** `petstore import` */
export function importCommand(): Command {
  const command = new Command('import')
    .description('add animals from a file, or update those that it added before')
    .argument('<FILE>', 'a table as CSV or .xlsx, or animals as JSON or NDJSON')
    .option('--name <COLUMN>', 'column with the names')
    .option('--category <COLUMN>', 'column with category names; new categories are created')
    .addOption(
      new Option('--category-id <COLUMN>', 'column with category ids').conflicts('category'),
    )
    .addOption(
      new Option(
        '--category-is <CATEGORY>',
        'the category of all animals, without a column',
      ).conflicts(['category', 'categoryId']),
    )
    .option(
      '--category-map <MAP>',
      "what the categories become, for example 'Hund=Dog,Katze=Cat'; others stay",
      argumentOf(checkedBy(parseCategoryMap)),
    )
    .option('--status <COLUMN>', 'column with the status')
    .option(
      '--status-map <MAP>',
      "what the values become, for example 'Adoption=sold,Died=skip,*=available'; " +
        'skip leaves a row out, * matches all other values; quote a value with a comma',
      argumentOf(parseStatusMap),
    )
    .option('--external-id <COLUMN>', 'column with the id of the animal in your own system')
    .option(
      '--unnamed <TEMPLATE>',
      "name for animals without one, with columns in braces, for example 'Unnamed {Species}'",
      argumentOf(parseNameTemplate),
    )
    .option('--repair-encoding', 'repair names that were encoded twice: PadmÃ© becomes Padmé')
    .option(
      '--encoding <NAME>',
      'text encoding; by default it is found out',
      argumentOf(encodingIn),
    )
    .addOption(
      new Option('--weight-unit <UNIT>', 'unit of weights that have none').choices(WEIGHT_UNITS),
    )
    .option('--with-history', 'add animals too that had left before they came here')
    .addOption(
      new Option('--missing <WHAT>', 'what becomes of animals of earlier imports that are missing')
        .choices(MISSING_CHOICES)
        .default('keep'),
    )
    .option(
      '--missing-most <PERCENT>',
      'do nothing about missing animals when more of those present are missing',
      argumentOf(percentIn),
      MISSING_MOST,
    )
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

/** The file is read to find its encoding, to recognise its columns, to check it, and to import it. */
const READINGS = 4;

type WrittenRows = Pick<
  ImportReport,
  'counts' | 'changes' | 'stillPublished' | 'unread' | 'missing'
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

/** Checks a text that is parsed later. */
function checkedBy(parse: (text: string) => unknown): (text: string) => string {
  return (text) => {
    parse(text);
    return text;
  };
}

function encodingIn(text: string): string {
  const encoding = encodingNamed(text);
  if (encoding === undefined)
    throw new WrongMapping('It must be an encoding of the WHATWG standard.');
  return encoding;
}

function percentIn(text: string): number {
  const percent = Number(text);
  if (!/^\d{1,3}$/.test(text) || percent > 100) throw new WrongMapping('It must be 0 to 100.');
  return percent;
}
