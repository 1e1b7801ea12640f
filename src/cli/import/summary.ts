import type { CheckedRows, ImportCounts } from './importer.ts';

/** What a person reads after an import. */
export interface ImportReport {
  readonly checked: CheckedRows;
  readonly counts: ImportCounts;
  readonly milliseconds: number;
  readonly dryRun: boolean;
  /** Where rejected rows went. */
  readonly rejectedPath: string;
}

/** Writes the summary, with its line end. */
export function summaryText(report: ImportReport): string {
  const { checked, counts, dryRun } = report;
  const seconds = (report.milliseconds / 1_000).toFixed(1);
  const lines = [
    `${dryRun ? 'Checked' : 'Imported'} ${checked.source.name}: ` +
      `${counted(checked.rows, 'row', 'rows')} read in ${seconds} s.`,
    dryRun ? 'Nothing was written. An import would give:' : undefined,
    `${number(counts.created)} new, ${number(counts.changed)} changed, ` +
      `${number(counts.unchanged)} unchanged, ${number(checked.leftOut)} left out as asked, ` +
      `${number(checked.repeated)} repeated, ${number(checked.rejected)} rejected; ` +
      `${counted(counts.categories, 'new category', 'new categories')}.`,
    checked.repeated > 0
      ? 'Of rows with the same external id the last one counts; the ones before are "repeated".'
      : undefined,
    counts.held > 0
      ? `${counted(counts.held, 'animal was', 'animals were')} left unchanged: ` +
        'an open order holds the status.'
      : undefined,
    ...rejections(report),
  ];
  return `${lines.filter((line) => line !== undefined).join('\n')}\n`;
}

function rejections({ checked, dryRun, rejectedPath }: ImportReport): string[] {
  if (checked.rejected === 0) return [];
  if (!dryRun) return [`The rejected rows and their reasons are in ${rejectedPath}`];
  const examples = checked.examples.map(({ line, reason }) => `  line ${line}: ${reason}`);
  const more = checked.rejected - examples.length;
  return ['Rejected:', ...examples, ...(more > 0 ? [`  and ${number(more)} more`] : [])];
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function counted(value: number, one: string, many: string): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}
