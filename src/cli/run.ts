import { Command, CommanderError } from 'commander';
import { version } from '../../package.json';
import { backupCommand } from './backup.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { explain } from './explain.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { keysCommand } from './keys.ts';
import { migrateCommand } from './migrate.ts';
import { moveCommand } from './move.ts';
import { openApiCommand } from './openapi.ts';
import { resetCommand } from './reset.ts';
import { restoreCommand } from './restore.ts';
import { serveCommand } from './serve.ts';
import { unsealCommand } from './unseal.ts';

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs one command of the command line; gives the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('petstore')
    .description('The animals that a store or shelter has for adoption, over HTTP and JSON.')
    .version(version)
    .helpCommand(false)
    .showHelpAfterError('(add --help to see what can be said)');
  for (const command of [
    serveCommand(),
    demoCommand(),
    keysCommand(),
    importCommand(),
    exportCommand(),
    migrateCommand(),
    backupCommand(),
    restoreCommand(),
    moveCommand(),
    unsealCommand(),
    resetCommand(),
    openApiCommand(),
    doctorCommand(),
  ]) {
    program.addCommand(command);
  }
  throwInsteadOfExit(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return DONE;
  } catch (error) {
    // Commander has written its own message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE;
    process.stderr.write(`petstore: ${explain(error)}\n`);
    return FAILED;
  }
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) throwInsteadOfExit(child);
}
