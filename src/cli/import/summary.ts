import type { ImportPolicy, UnreadValues } from '../../domain/import.ts';
import type { PhotoCounts } from '../../domain/imported-photos.ts';
import type { Pet } from '../../domain/pet.ts';
import type { MissingAnimals } from '../../import/batches.ts';
import type { CheckedRows, StatusCount } from '../../import/check-rows.ts';
import type { OpenedSource } from '../../import/open-source.ts';
import { flagOf, type ImportCounts, wordsOf } from './importer.ts';

/** Ids that the summary names. */
const IDS_MAX = 5;

export interface ImportReport {
  readonly checked: CheckedRows;
  readonly opened: OpenedSource;
  readonly missing: MissingAnimals;
  readonly missingChoice: ImportPolicy['missing'];
  readonly counts: ImportCounts;
  /** Animals that an earlier import added from rows that are now left out. */
  readonly stillPublished: readonly Pet[];
  /** One line for each listed change. */
  readonly changes: readonly string[];
  readonly unread: readonly UnreadValues[];
  readonly photos: PhotoCounts;
  /** The ZIP beside the file, and its pictures that no animal has. */
  readonly archive: { readonly name: string; readonly unused: number } | undefined;
  readonly milliseconds: number;
  readonly dryRun: boolean;
  /** The file of rejected rows. */
  readonly rejectedPath: string;
}

/** Formats the summary, with its line end. */
export function summaryText(report: ImportReport): string {
  const { checked, counts, dryRun } = report;
  const seconds = (report.milliseconds / 1_000).toFixed(1);
  const lines = [
    ...recognisedLines(report),
    `${dryRun ? 'Checked' : 'Imported'} ${checked.source.name}: ` +
      `${counted(checked.rows, 'row', 'rows')} read in ${seconds} s.`,
    ...(dryRun ? ['Nothing was written. An import would result in:'] : []),
    `${number(counts.created)} new, ${number(counts.changed)} changed, ` +
      `${number(counts.unchanged)} unchanged, ${number(checked.leftOut)} left out as asked, ` +
      `${number(checked.repeated)} repeated, ${number(checked.rejected)} rejected; ` +
      `${counted(counts.categories, 'new category', 'new categories')}.`,
    ...listed('Changed:', report.changes, counts.changed),
    ...remarks(report),
    ...photoLines(report),
    ...unreadLines(report),
    ...rejections(report),
    ...(dryRun ? statusLines(checked) : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** What was taken for what, before anything else. */
function recognisedLines({ checked, opened }: ImportReport): string[] {
  const { taken, unused, mapping } = checked.recognised;
  const columns = new Map<string, string[]>();
  for (const { target, column } of taken) {
    columns.getOrInsertComputed(column, () => []).push(wordsOf(target));
  }
  const width = Math.max(0, ...[...columns.keys()].map((column) => shortened(column).length));
  const lines = [...columns].map(
    ([column, targets]) => `${shortened(column).padEnd(width)}  ${targets.join(', ')}`,
  );
  if (mapping.categoryIs !== undefined) lines.push(`All animals: category ${mapping.categoryIs}`);
  const names = unused.slice(0, UNUSED_MAX).map(shortened);
  const more = unused.length - names.length;
  return [
    ...listed('The columns were taken for:', lines, lines.length),
    ...(names.length > 0
      ? [`Not used: ${names.join(', ')}${more > 0 ? ` and ${number(more)} more` : ''}.`]
      : []),
    ...(checked.source.note === undefined ? [] : [checked.source.note]),
    ...(opened.example === undefined
      ? []
      : [`Read as ${opened.encoding} text, for example "${opened.example}".`]),
  ];
}

const UNUSED_MAX = 30;

/** Who left, and who is missing. */
function departureLines({ counts, missing, missingChoice }: ImportReport): string[] {
  const lines: string[] = [];
  if (counts.left > 0) {
    lines.push(
      `${counted(counts.left, 'animal that is', 'animals that are')} here left: sold and unpublished now.`,
    );
  }
  if (counts.leftBefore > 0) {
    lines.push(
      `${counted(counts.leftBefore, 'animal', 'animals')} left out that had left before; ` +
        'add --with-history to take them too.',
    );
  }
  const { missing: animals, present, isHeld } = missing;
  if (animals.length === 0) return lines;
  const ids = animals.slice(0, IDS_MAX).map(({ externalId }) => shortened(externalId));
  const more = animals.length > ids.length ? ' …' : '';
  const who = `${number(animals.length)} of ${number(present)} present animals of earlier imports are missing from this file (${ids.join(', ')}${more})`;
  if (missingChoice === 'keep') {
    lines.push(`${who}. They stay as they are; see --missing.`);
  } else if (isHeld) {
    lines.push(
      `${who}: too many for --missing-most, or the file is empty. Nothing was done about them.`,
    );
  } else {
    lines.push(
      `${who}. They were ${missingChoice === 'leave' ? 'sold and unpublished' : 'unpublished'}.`,
    );
  }
  return lines;
}

function remarks(report: ImportReport): string[] {
  const { checked, counts, stillPublished } = report;
  const lines = departureLines(report);
  if (checked.repeated > 0) {
    lines.push(
      'If several rows have the same external id, the newest one counts; the others are "repeated".',
    );
  }
  if (counts.kept + counts.removed > 0) {
    lines.push(
      `${counted(counts.kept, 'animal', 'animals')} changed in the database and ` +
        `${number(counts.removed)} removed from it stay that way, because their rows are the same ` +
        'as in the last import. Use --overwrite to let the file win.',
    );
  }
  if (counts.held > 0) {
    lines.push(
      `${counted(counts.held, 'animal was', 'animals were')} left unchanged: ` +
        'an open order holds the status.',
    );
  }
  return [...lines, ...leftOutLines(stillPublished)];
}

/** What the columns of profiles hold that fits nothing. */
function unreadLines({ unread }: ImportReport): string[] {
  const parts = unread.map(
    ({ part, rows, example, examples = [example], reason }) =>
      `${flagOf(part)}: ${counted(rows, 'value', 'values')}, such as ` +
      `${examples.map((one) => `"${shortened(one)}"`).join(', ')}${reason ? `: ${reason}` : ''}`,
  );
  return listed('Not understood, so nothing was changed there:', parts, parts.length);
}

/** What became of the photos that the file names, or those of the ZIP beside it. */
function photoLines({ photos, archive, dryRun }: ImportReport): string[] {
  const { found, added, known, failed, problems } = photos;
  const lines: string[] = [];
  if (dryRun && found > known) {
    lines.push(`${counted(found - known, 'photo', 'photos')} would be fetched.`);
  } else if (found > 0) {
    lines.push(
      `Photos: ${number(added)} added, ${number(known)} there already, ${number(failed)} not taken.`,
    );
    const rest = found - added - known - failed;
    if (rest > 0) {
      lines.push(
        `Stopped before ${counted(rest, 'photo was', 'photos were')} fetched: import the file again.`,
      );
    }
  }
  if (archive !== undefined && archive.unused > 0) {
    lines.push(
      `${counted(archive.unused, 'picture', 'pictures')} of ${archive.name} ` +
        'carry the external id of no animal that was imported.',
    );
  }
  return [...lines, ...listed('Photos that were not taken:', problems, failed)];
}

/** An import never removes an animal, so a person has to. */
function leftOutLines(pets: readonly Pet[]): string[] {
  if (pets.length === 0) return [];
  const isOne = pets.length === 1;
  const ids = pets.slice(0, IDS_MAX).map(({ id }) => String(id));
  const more = pets.length - ids.length;
  return [
    `${counted(pets.length, 'animal whose row is', 'animals whose rows are')} left out ` +
      `${isOne ? 'is' : 'are'} still published (${isOne ? 'id' : 'ids'} ${ids.join(', ')}` +
      `${more > 0 ? ` and ${number(more)} more` : ''}). An import removes no animal: ` +
      `remove ${isOne ? 'it' : 'them'} with DELETE /v1/pets/{id}, or set the status to sold.`,
  ];
}

function rejections(report: ImportReport): string[] {
  const { checked, dryRun, rejectedPath } = report;
  if (checked.rejected === 0) return [];
  const advice =
    checked.nameless === 0
      ? []
      : [
          `${counted(checked.nameless, 'row was', 'rows were')} rejected without a name: ` +
            `--unnamed '${templateFor(checked)}' gives those animals one.`,
        ];
  if (!dryRun) return [...advice, `The rejected rows and their reasons are in ${rejectedPath}`];
  const examples = checked.examples.map(({ line, reason }) => `line ${line}: ${reason}`);
  return [...listed('Rejected:', examples, checked.rejected), ...advice];
}

/** Suggests a template for names from the columns of the file. */
function templateFor({ source, columns: { category, externalId } }: CheckedRows): string {
  const useful = [category, externalId].filter(({ name }) => source.columns.has(name));
  return ['Unnamed', ...useful.map(({ name }) => `{${name}}`)].join(' ');
}

/** Formats a title, the lines under it and the number of lines not shown. Nothing without lines. */
function listed(title: string, lines: readonly string[], total: number): string[] {
  if (lines.length === 0) return [];
  const more = total - lines.length;
  return [
    title,
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${number(more)} more`] : []),
  ];
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function counted(value: number, one: string, many: string): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

const VALUES_MAX = 20;
const VALUE_CHARACTERS_MAX = 40;

/** Lists the values of the status column with the status that each becomes. */
function statusLines({ source, recognised, columns, statuses }: CheckedRows): string[] {
  const { name } = columns.status;
  if (recognised.stays.outcomeType !== undefined && !source.columns.has(name)) return [];
  if (!source.columns.has(name)) {
    return [`There is no column "${name}", so every animal becomes available.`];
  }
  const shown = statuses
    .slice(0, VALUES_MAX)
    .map((count) => [count.rows.toLocaleString('en-US'), shortened(count.value), outcomeOf(count)]);
  const width = (target: number) => Math.max(...shown.map((cells) => cells[target]?.length ?? 0));
  const [countWidth, valueWidth] = [width(0), width(1)];
  const more = statuses.length - shown.length;
  return [
    `Values of the column "${name}" and what they become:`,
    ...shown.map(
      ([count = '', value = '', outcome = '']) =>
        `  ${count.padStart(countWidth)}  ${value.padEnd(valueWidth)}  ${outcome}`,
    ),
    ...(more > 0 ? [`  and ${more.toLocaleString('en-US')} more values`] : []),
  ];
}

function outcomeOf({ choice }: StatusCount): string {
  if (choice === undefined) return 'rejected';
  return choice === 'skip' ? 'left out' : choice;
}

function shortened(value: string): string {
  if (value === '') return '(empty)';
  const line = value.replaceAll(/\s+/g, ' ');
  return line.length > VALUE_CHARACTERS_MAX ? `${line.slice(0, VALUE_CHARACTERS_MAX - 1)}…` : line;
}
