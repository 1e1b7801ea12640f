import { Command } from 'commander';
import { systemClock } from '../domain/clock.ts';
import { settings } from '../settings/settings.ts';
import { addressName, databaseAddressProblem, redactPassword } from '../storage/address.ts';
import { type MoveOutcome, moveDatabase } from '../storage/transfer/move.ts';
import { openSource, openTarget } from '../storage/transfer/open-portable.ts';
import { CommandFailure } from './explain.ts';
import { databaseFlag, programName } from './program-name.ts';
import { transferText, withProgress } from './progress.ts';
import { configOf, noticesOf } from './setting-options.ts';

interface MoveFlags {
  readonly from?: string;
  readonly to: string;
}

const MOVE_NOTES = `
It copies everything: animals with their ids, categories, orders, history, keys, request counts and
the results of idempotent requests. Meanwhile servers on the old database answer reads, and answer
writes with 503. Then the old database is fenced: it takes no writes, and no server runs on it.

The new database must be empty, and is created if it does not exist. If a move is interrupted, run
the same command again.`;

/** `petstore move` */
export function moveCommand(): Command {
  return new Command('move')
    .description('move everything to another database, SQLite or PostgreSQL')
    .option('--from <URL>', `database to move from (${settings.database.variable})`)
    .requiredOption('--to <URL>', 'database to move to')
    .addHelpText('after', MOVE_NOTES)
    .action((flags: MoveFlags, command: Command) => move(command, flags));
}

async function move(command: Command, { from: given, to }: MoveFlags): Promise<void> {
  const from = given ?? configOf(command).database;
  checkAddresses(from, to);
  const begin = performance.now();
  const outcome = await moveBetween(from, to);
  process.stdout.write(report(addressName(from), redactPassword(to), outcome, begin));
}

async function moveBetween(from: string, to: string): Promise<MoveOutcome> {
  const source = await openSource(from, 'change', noticesOf(from));
  try {
    return await withProgress('Moving', (progress) => {
      const now = systemClock.now();
      const openTo = () => openTarget(to, source.environment, noticesOf(to));
      return moveDatabase(source, openTo, { now, progress });
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
    throw new CommandFailure(`${flag} ${problem}.`);
  }
  if (addressName(from) === addressName(to)) {
    throw new CommandFailure('--from and --to are the same database.');
  }
}

function report(from: string, to: string, outcome: MoveOutcome, begin: number): string {
  if (outcome === 'finished') {
    return `Finished the move from ${from} to ${to}.\n\n${nextStep(to)}`;
  }
  const text = transferText(outcome, begin, 'read back and compared');
  return (
    `Moved ${from} to ${to}: ${text}.\n` +
    `${from} is fenced. Keep it until you are sure, then delete it.\n\n${nextStep(to)}`
  );
}

function nextStep(to: string): string {
  return `Stop the servers on the old database and start them on the new one:\n\n${programName()} serve ${databaseFlag(to)}\n`;
}
