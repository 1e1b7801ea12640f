import { Command, CommanderError } from 'commander';
import { version } from '../../package.json';
import { readEnvFile } from '../settings/env-file.ts';
import { explain } from './explain.ts';
import { envFileOf, warnOfUnknownVariables } from './setting-options.ts';

/**
 * The commands, in the order of the help. Each is loaded only when it runs: loading all of them
 * would cost a seventh of the CPU time from the start to the first response.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand(),
  demo: async () => (await import('./demo.ts')).demoCommand(),
  keys: async () => (await import('./keys.ts')).keysCommand(),
  people: async () => (await import('./people.ts')).peopleCommand(),
  usage: async () => (await import('./usage.ts')).usageCommand(),
  webhooks: async () => (await import('./webhooks.ts')).webhooksCommand(),
  import: async () => (await import('./import.ts')).importCommand(),
  export: async () => (await import('./export.ts')).exportCommand(),
  migrate: async () => (await import('./database.ts')).migrateCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./backup.ts')).restoreCommand(),
  move: async () => (await import('./move.ts')).moveCommand(),
  compact: async () => (await import('./compact.ts')).compactCommand(),
  reset: async () => (await import('./database.ts')).resetCommand(),
  openapi: async () => (await import('./documents.ts')).openApiCommand(),
  notices: async () => (await import('./documents.ts')).noticesCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
  healthcheck: async () => (await import('./healthcheck.ts')).healthcheckCommand(),
};

/** The doctor reports unknown variables among its findings, and a health check prints one line. */
const QUIET = ['doctor', 'healthcheck'];

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs a command and returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('petstore')
    .description('Serves the animals that a shelter or store has for adoption, as JSON over HTTP.')
    .version(version)
    .option(
      '--env-file <file>',
      'set variables from lines NAME=value, as systemd does',
      readEnvFile,
    )
    .helpCommand(false)
    .showHelpAfterError('(add --help for the options)');
  for (const command of await commandsFor(args)) program.addCommand(command);
  throwInsteadOfExit(program);
  program.hook('preAction', (_program, command) => {
    // They win over others, as in a unit of systemd.
    Object.assign(process.env, envFileOf(command)?.variables);
    if (!QUIET.includes(command.name())) warnOfUnknownVariables(process.env);
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return DONE;
  } catch (error) {
    // Commander has already printed its message or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE;
    process.stderr.write(`petstore: ${explain(error)}\n`);
    return FAILED;
  }
}

/** Loads the named command, or all of them for the help and for suggestions. */
function commandsFor([name = '']: readonly string[]): Promise<readonly Command[]> {
  const named = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const loads = named === undefined ? Object.values(COMMANDS) : [named];
  return Promise.all(loads.map((load) => load()));
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) throwInsteadOfExit(child);
}
