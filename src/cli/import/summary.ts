import type { Pet } from '../../domain/pet.ts';
import type { CheckedRows } from '../../import/check-rows.ts';
import type { ImportCounts } from './counts.ts';
import { statusLines } from './status-lines.ts';

/** Ids that the summary names. */
const IDS_MAX = 5;

export interface ImportReport {
  readonly checked: CheckedRows;
  readonly counts: ImportCounts;
  /** Animals that an earlier import added from rows that are now left out. */
  readonly stillPublished: readonly Pet[];
  /** One line for each listed change. */
  readonly changes: readonly string[];
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
    `${dryRun ? 'Checked' : 'Imported'} ${checked.source.name}: ` +
      `${counted(checked.rows, 'row', 'rows')} read in ${seconds} s.`,
    ...(dryRun ? ['Nothing was written. An import would result in:'] : []),
    `${number(counts.created)} new, ${number(counts.changed)} changed, ` +
      `${number(counts.unchanged)} unchanged, ${number(checked.leftOut)} left out as asked, ` +
      `${number(checked.repeated)} repeated, ${number(checked.rejected)} rejected; ` +
      `${counted(counts.categories, 'new category', 'new categories')}.`,
    ...listed('Changed:', report.changes, counts.changed),
    ...remarks(report),
    ...rejections(report),
    ...(dryRun ? statusLines(checked) : []),
  ];
  return `${lines.join('\n')}\n`;
}

function remarks({ checked, counts, stillPublished }: ImportReport): string[] {
  const lines: string[] = [];
  if (checked.repeated > 0) {
    lines.push(
      'If several rows have the same external id, the last one counts; the others are "repeated".',
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
