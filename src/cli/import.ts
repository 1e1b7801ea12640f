import { Command, InvalidArgumentError, Option } from 'commander';
import {
  MISSING_CHOICES,
  MISSING_MOST,
  PROFILE_PARTS,
  type ProfilePart,
  STAY_PARTS,
} from '../domain/import.ts';
import {
  encodingNamed,
  PART_NOTES,
  parseCategoryMap,
  parseNameTemplate,
  parseStatusMap,
  STAY_NOTES,
  WEIGHT_UNITS,
  WrongMapping,
} from '../import/mapping.ts';
import { flagOf, wordsOf } from './import/importer.ts';
import { type ImportFlags, runImport } from './import/run-import.ts';
import { addDatabaseSettings, configOf } from './setting-options.ts';

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

Photos that the file names by their addresses, in columns such as Photo, photo1 or ImageURL, are
fetched after the animals are in: over https from the public internet, at most 6 an animal, and none
twice. PETSTORE_WEBHOOK_ALLOW names networks that may be asked besides. Pictures in FILE.zip beside
FILE.csv are taken too: ID.jpg, ID-2.jpg and so on, where ID is the external id; folders do not count.

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
      "what the values become: a status, or how it left, for example 'In care=available,PTS=euthanized'; " +
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
    .option('--no-photos', 'fetch none of the photos that the file names')
    .option('--publish', 'publish the animals; otherwise none is published or unpublished')
    .option('--only-named', 'fill profiles from the columns alone that a flag names')
    .option('--overwrite', 'let the file win over changes and removals since the last import')
    .option('--dry-run', 'write nothing; show what would happen')
    .addHelpText('after', NOTES);
  for (const part of STAY_PARTS) {
    const option = new Option(`${flagOf(part)} <COLUMN>`, STAY_NOTES[part]);
    command.addOption(option.helpGroup('Columns for stays:'));
  }
  for (const part of PROFILE_PARTS) {
    const option = new Option(`${flagOf(part)} <COLUMN>`, descriptionOf(part));
    command.addOption(option.helpGroup('Columns for the profile:'));
  }
  return addDatabaseSettings(command).action((file: string, flags: ImportFlags) =>
    runImport(file, flags, configOf(command)),
  );
}

/** What the column of a part holds. */
function descriptionOf(part: ProfilePart): string {
  const note = PART_NOTES[part];
  return note === undefined ? wordsOf(part) : `${wordsOf(part)}. ${note}`;
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
