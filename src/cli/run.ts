import { Command, CommanderError } from 'commander';
import { version } from '../../package.json';
import { explain } from './explain.ts';
import { warnOfUnknownVariables } from './warnings.ts';

/**
 * The commands in the order of the help. Each is loaded when it is meant, so that a start of the
 * service does not wait for what an import needs: a seventh of the CPU time to its first answer.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand(),
  demo: async () => (await import('./demo.ts')).demoCommand(),
  keys: async () => (await import('./keys.ts')).keysCommand(),
  import: async () => (await import('./import.ts')).importCommand(),
  export: async () => (await import('./export.ts')).exportCommand(),
  migrate: async () => (await import('./migrate.ts')).migrateCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./restore.ts')).restoreCommand(),
  move: async () => (await import('./move.ts')).moveCommand(),
  unseal: async () => (await import('./unseal.ts')).unsealCommand(),
  reset: async () => (await import('./reset.ts')).resetCommand(),
  openapi: async () => (await import('./openapi.ts')).openApiCommand(),
  notices: async () => (await import('./notices.ts')).noticesCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
};

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
  for (const command of await commandsFor(args)) program.addCommand(command);
  throwInsteadOfExit(program);
  program.hook('preAction', (_program, command) => {
    // The doctor has them among its findings.
    if (command.name() !== 'doctor') warnOfUnknownVariables(process.env);
  });
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

/** The command that is named; all of them where none is, for the help or a suggestion. */
function commandsFor([name = '']: readonly string[]): Promise<readonly Command[]> {
  const named = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const loads = named === undefined ? Object.values(COMMANDS) : [named];
  return Promise.all(loads.map((load) => load()));
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) throwInsteadOfExit(child);
}
