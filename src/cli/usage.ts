import { Command, InvalidArgumentError, Option } from 'commander';
import { DAY_MS, systemClock } from '../domain/clock.ts';
import type { Storage } from '../domain/storage.ts';
import { periodStart, USAGE_KEPT_MS, type UsageRange, withEmptyPeriods } from '../domain/usage.ts';
import { idArgument } from './arguments.ts';
import { foundKey } from './key-options.ts';
import { printPieces } from './print.ts';
import { addDatabaseSettings, withStorage } from './setting-options.ts';
import { type UsageReport, usageJson, usageText } from './usage-report.ts';

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
  return addDatabaseSettings(command).action((keyId: bigint | undefined, options) =>
    withStorage(command, 'read', async (storage) => {
      const report = await reportOf(storage, keyId, options.days);
      const { stdout } = process;
      const style = { columns: stdout.columns ?? FALLBACK_COLUMNS, bar: barOf(process.env) };
      await printPieces([options.json ? usageJson(report) : usageText(report, style), '\n']);
    }),
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
  const key = keyId && foundKey(await storage.keys.find(keyId), keyId);
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
