import type { CheckedRows } from '../../import/check-rows.ts';
import type { StatusCount } from '../../import/status-tally.ts';

const VALUES_MAX = 20;
const VALUE_CHARACTERS_MAX = 40;

/** Lists the values of the status column with the status that each becomes. */
export function statusLines({ source, columns, statuses }: CheckedRows): string[] {
  const { name } = columns.status;
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
