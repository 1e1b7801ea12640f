import { Command } from 'commander';
import { systemClock } from '../domain/clock.ts';
import { settings } from '../settings/settings.ts';
import { addressName, databaseAddressProblem, redactPassword } from '../storage/address.ts';
import { liftFence, type MoveOutcome, moveDatabase } from '../storage/transfer/move.ts';
import { openSource, openTarget } from '../storage/transfer/open-portable.ts';
import { CommandFailure } from './explain.ts';
import { databaseFlag, programName } from './program-name.ts';
import { transferText, withProgress } from './progress.ts';
import { addSettings, configOf, noticesOf } from './setting-options.ts';

interface MoveFlags {
  readonly from?: string;
  readonly to: string;
  readonly keepSource?: boolean;
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
    .option('--keep-source', 'rehearse: copy while the service runs, and fence nothing')
    .addHelpText('after', MOVE_NOTES)
    .action((flags: MoveFlags, command: Command) => move(command, flags));
}

async function move(
  command: Command,
  { from: given, to, keepSource = false }: MoveFlags,
): Promise<void> {
  const from = given ?? configOf(command).database;
  checkAddresses(from, to);
  const begin = performance.now();
  const outcome = await moveBetween(from, to, keepSource);
  process.stdout.write(report(addressName(from), redactPassword(to), outcome, keepSource, begin));
}

async function moveBetween(from: string, to: string, keepSource: boolean): Promise<MoveOutcome> {
  // A rehearsal must not migrate the database: an older release may be serving it.
  const source = await openSource(from, keepSource ? 'read' : 'change', noticesOf(from));
  try {
    return await withProgress(keepSource ? 'Copying' : 'Moving', (progress) => {
      const now = systemClock.now();
      const openTo = () => openTarget(to, source.environment, noticesOf(to));
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
    return `Finished the move from ${from} to ${to}.\n\n${nextStep(to)}`;
  }
  const text = transferText(outcome, begin, 'read back and compared');
  if (keepSource) {
    return `Copied ${from} to ${to}: ${text}.\n${from} stays in service.\n`;
  }
  return (
    `Moved ${from} to ${to}: ${text}.\n` +
    `${from} is fenced. Keep it until you are sure, then delete it.\n\n${nextStep(to)}`
  );
}

function nextStep(to: string): string {
  return `Stop the servers on the old database and start them on the new one:\n\n${programName()} serve ${databaseFlag(to)}\n`;
}

const UNSEAL_NOTES = `
\`petstore move\` fences the old database, and the new one until the move is finished. Unseal only
the one database that you will use from now on.`;

/** `petstore unseal` */
export function unsealCommand(): Command {
  const command = new Command('unseal')
    .description('lift the fence that `petstore move` put on a database')
    .addHelpText('after', UNSEAL_NOTES);
  return addSettings(command, ['database']).action(async () => {
    const address = configOf(command).database;
    const database = await openSource(address, 'change', noticesOf(address));
    try {
      const fence = await liftFence(database);
      process.stdout.write(
        `${database.name} ${fence === undefined ? 'was not' : 'is no longer'} fenced.\n`,
      );
    } finally {
      await database.close();
    }
  });
}
