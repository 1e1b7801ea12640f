import type { CheckedRows } from './importer.ts';
import type { StatusCount } from './status-tally.ts';

/** How many values are shown. */
const VALUES_MAX = 20;
/** How much of a value is shown. */
const VALUE_CHARACTERS_MAX = 40;

/** Says what becomes of each value of the status column. */
export function statusLines({ source, columns, statuses }: CheckedRows): string[] {
  const { name } = columns.status;
  if (!source.columns.has(name)) {
    return [`There is no column "${name}", so each animal is available.`];
  }
  const shown = statuses
    .slice(0, VALUES_MAX)
    .map((count) => [count.rows.toLocaleString('en-US'), shortened(count.value), fateOf(count)]);
  const width = (target: number) => Math.max(...shown.map((cells) => cells[target]?.length ?? 0));
  const [countWidth, valueWidth] = [width(0), width(1)];
  const more = statuses.length - shown.length;
  return [
    `What the values of the column "${name}" become:`,
    ...shown.map(
      ([count = '', value = '', fate = '']) =>
        `  ${count.padStart(countWidth)}  ${value.padEnd(valueWidth)}  ${fate}`,
    ),
    ...(more > 0 ? [`  and ${more.toLocaleString('en-US')} more values`] : []),
  ];
}

function fateOf({ choice }: StatusCount): string {
  if (choice === undefined) return 'rejected';
  return choice === 'skip' ? 'left out' : choice;
}

function shortened(value: string): string {
  if (value === '') return '(empty)';
  const line = value.replaceAll(/\s+/g, ' ');
  return line.length > VALUE_CHARACTERS_MAX ? `${line.slice(0, VALUE_CHARACTERS_MAX - 1)}…` : line;
}
