import { Command, InvalidArgumentError, Option } from 'commander';
import type { ApiKey } from '../domain/api-key.ts';
import { DAY_MS, systemClock } from '../domain/clock.ts';
import type { Storage } from '../domain/storage.ts';
import {
  type KeyUsage,
  type PeriodUsage,
  periodStart,
  USAGE_KEPT_MS,
  type UsageCounts,
  type UsageRange,
  withEmptyPeriods,
} from '../domain/usage.ts';
import { found, idArgument } from './arguments.ts';
import { printable, printPieces } from './print.ts';
import { onStorage } from './setting-options.ts';

const DAYS_MAX = USAGE_KEPT_MS.day / DAY_MS;
const FALLBACK_DAYS = 30;
/** Keys in the list of the busiest. */
const BUSIEST = 10;
/** The width without a terminal. */
const FALLBACK_COLUMNS = 80;

/** `petstore usage` */
export function usageCommand(): Command {
  const command = new Command('usage')
    .description('show the requests of a key, or of all keys, by day')
    .argument('[KEY]', 'id of the key; `keys list` shows it', idArgument)
    .addOption(
      new Option('--days <N>', `days to show, 1 to ${DAYS_MAX}`)
        .argParser(daysArgument)
        .default(FALLBACK_DAYS),
    )
    .option('--json', 'print JSON');
  return onStorage(
    command,
    'read',
    async (storage, _config, keyId: bigint | undefined, options) => {
      const report = await reportOf(storage, keyId, options.days);
      const { stdout } = process;
      const style = { columns: stdout.columns ?? FALLBACK_COLUMNS, bar: barOf(process.env) };
      await printPieces([options.json ? usageJson(report) : usageText(report, style), '\n']);
    },
  );
}

/** Throws `InvalidArgumentError`. */
function daysArgument(text: string): number {
  const days = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= DAYS_MAX) return days;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${DAYS_MAX}.`);
}

/** Returns the character that bars are made of: one that the locale can show. */
function barOf({ LC_ALL, LC_CTYPE, LANG }: typeof process.env): string {
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '') ? '█' : '#';
}

/** Reads the usage of a key, or of all keys with the busiest of them. */
async function reportOf(
  storage: Storage,
  keyId: bigint | undefined,
  days: number,
): Promise<UsageReport> {
  const today = periodStart('day', systemClock.now());
  const range: UsageRange = {
    period: 'day',
    from: today - (days - 1) * DAY_MS,
    to: today + DAY_MS,
  };
  const key = keyId && found('key', await storage.keys.find(keyId), keyId);
  const counted = withEmptyPeriods(range, await storage.usage.list(keyId, range));
  if (key) return { key, days: counted };
  const busiest = await Promise.all(
    (await storage.usage.busiest(range, BUSIEST)).map(async (usage) => ({
      ...usage,
      name: (await storage.keys.find(usage.keyId))?.name ?? '',
    })),
  );
  return { days: counted, busiest };
}

/** The usage of a key, or of all keys and of the busiest of them. */
interface UsageReport {
  readonly key?: Pick<ApiKey, 'id' | 'name'>;
  /** Every day, from the oldest to the newest. */
  readonly days: readonly PeriodUsage[];
  readonly busiest?: readonly (KeyUsage & Pick<ApiKey, 'name'>)[];
}

/** How a chart is drawn. */
interface ChartStyle {
  /** The width of the terminal. */
  readonly columns: number;
  /** The character that bars are made of. */
  readonly bar: string;
}

/** Bars shorter than this say nothing, so a narrow terminal shows none. */
const BAR_MIN = 8;
const GAP = '  ';

/** Formats a report as JSON. */
function usageJson({ key, days, busiest }: UsageReport): string {
  return JSON.stringify({
    ...(key && { key: Number(key.id) }),
    days: days.map(({ start, ...counts }) => ({ start: new Date(start).toISOString(), ...counts })),
    ...(busiest && {
      busiest: busiest.map(({ keyId, name, ...counts }) => ({
        id: Number(keyId),
        name,
        ...counts,
      })),
    }),
  });
}

/** Formats a report as a chart that fits the terminal, unless that is too narrow for the numbers. */
export function usageText({ key, days, busiest = [] }: UsageReport, style: ChartStyle): string {
  const who = key === undefined ? 'All keys' : `Key ${key.id} (${printable(key.name)})`;
  const span = days.length === 1 ? 'today' : `in the last ${days.length} days`;
  if (days.every(isEmpty)) return `${who}: no requests ${span}.`;
  const parts = [`${who}: requests ${span}, by day of UTC`, '', chart(days, style)];
  if (busiest.length > 0) parts.push('', 'The busiest keys', '', keyTable(busiest));
  return parts.join('\n');
}

function isEmpty({ requests, refused }: UsageCounts): boolean {
  return requests === 0 && refused === 0;
}

const COUNT_HEADS = ['REQUESTS', 'REFUSED', 'ERRORS'];

function countCells({ requests, refused, errors }: UsageCounts): string[] {
  return [requests, refused, errors].map((count) => count.toLocaleString('en'));
}

/** A row for each day with its counts, and a bar for its charged requests. */
function chart(days: readonly PeriodUsage[], { columns, bar }: ChartStyle): string {
  const cells = days.map((day) => [
    new Date(day.start).toISOString().slice(0, 10),
    ...countCells(day),
  ]);
  const [head = '', ...rows] = alignRight([['DAY', ...COUNT_HEADS], ...cells]);
  const width = columns - head.length - GAP.length;
  if (width < BAR_MIN) return [head, ...rows].join('\n');
  const most = Math.max(1, ...days.map(({ requests }) => requests));
  const bars = days.map(({ requests }) =>
    // A day with any request at all has a bar.
    bar.repeat(requests === 0 ? 0 : Math.max(1, Math.round((requests / most) * width))),
  );
  return [head, ...rows.map((row, n) => `${row}${GAP}${bars[n]}`.trimEnd())].join('\n');
}

/** The names come last, because they may be long. */
function keyTable(busiest: NonNullable<UsageReport['busiest']>): string {
  const cells = busiest.map((usage) => [String(usage.keyId), ...countCells(usage)]);
  const [head = '', ...rows] = alignRight([['ID', ...COUNT_HEADS], ...cells]);
  const names = busiest.map(({ name }) => printable(name));
  return [`${head}${GAP}NAME`, ...rows.map((row, n) => `${row}${GAP}${names[n]}`)].join('\n');
}

function alignRight(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) => row.map((cell, n) => cell.padStart(widths[n] ?? 0)).join(GAP));
}
