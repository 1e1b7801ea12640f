import { Command } from 'commander';
import { systemClock } from '../domain/clock.ts';
import { settings } from '../settings.ts';
import { addressName, databaseAddressProblem, redactPassword } from '../storage/address.ts';
import { type MoveOutcome, moveDatabase } from '../storage/transfer/move.ts';
import { openSource, openTarget } from '../storage/transfer/open-portable.ts';
import { CommandFailure } from './explain.ts';
import { databaseFlag, programName } from './program-name.ts';
import { transferText } from './row-counts.ts';
import { withProgress } from './transfer-progress.ts';
import { announceDatabase } from './warnings.ts';

interface MoveFlags {
  readonly from?: string;
  readonly to: string;
  readonly keepSource?: boolean;
}

const NOTES = `
The whole shop goes over: animals with their ids, categories, orders, history, keys, counts of
requests, results of idempotent requests. While it is copied, servers on the old database answer
reads, and 503 to writes. Afterwards the old database is sealed: nothing can be written there and
nobody serves on it.

The new database must be empty; it is created where there is none. An interrupted move changes
nothing, or is finished by the same command.`;

/** `petstore move` */
export function moveCommand(): Command {
  return new Command('move')
    .description('take the whole shop to another database, of either engine')
    .option('--from <URL>', `database to take it from (${settings.database.variable})`)
    .requiredOption('--to <URL>', 'database to take it to')
    .option('--keep-source', 'rehearse: copy it while it is in service, and seal nothing')
    .addHelpText('after', NOTES)
    .action(move);
}

async function move({ from: given, to, keepSource = false }: MoveFlags): Promise<void> {
  const { database } = settings;
  const from = given ?? (process.env[database.variable] || database.fallback);
  checkAddresses(from, to);
  const begin = performance.now();
  const outcome = await moveBetween(from, to, keepSource);
  process.stdout.write(report(addressName(from), redactPassword(to), outcome, keepSource, begin));
}

async function moveBetween(from: string, to: string, keepSource: boolean): Promise<MoveOutcome> {
  // A rehearsal leaves the shop to the release that serves on it.
  const source = await openSource(from, keepSource ? 'read' : 'change');
  try {
    return await withProgress(keepSource ? 'Copying' : 'Moving', (progress) => {
      const now = systemClock.now();
      const openTo = () => openTarget(to, source.environment, () => announceDatabase(to));
      return moveDatabase(source, openTo, { keepSource, now, progress });
    });
  } finally {
    await source.close();
  }
}

function checkAddresses(from: string, to: string): void {
  for (const [flag, address] of [
    ['--from', from],
    ['--to', to],
  ] as const) {
    const problem = databaseAddressProblem(address);
    if (problem === undefined) continue;
    throw new CommandFailure(`${flag} ${problem} (it is "${redactPassword(address)}").`);
  }
  if (addressName(from) === addressName(to)) {
    throw new CommandFailure('--from and --to are the same database.');
  }
}

function report(
  from: string,
  to: string,
  outcome: MoveOutcome,
  keepSource: boolean,
  begin: number,
): string {
  if (outcome === 'finished') {
    return `The move from ${from} to ${to} was finished.\n\n${nextStep(to)}`;
  }
  const text = transferText(outcome, begin, 'read back and compared');
  if (keepSource) {
    return `Copied ${from} to ${to}: ${text}.\n${from} is in service as before.\n`;
  }
  return (
    `Moved ${from} to ${to}: ${text}.\n` +
    `${from} is sealed: keep it until you are content, then remove it.\n\n${nextStep(to)}`
  );
}

function nextStep(to: string): string {
  return `Stop the servers on the old database, and start them on the new one:\n\n${programName()} serve ${databaseFlag(to)}\n`;
}
