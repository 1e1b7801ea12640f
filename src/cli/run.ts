import { Command, CommanderError } from 'commander';
import { readEnvFile } from '../settings/env-file.ts';
import { RELEASE_TEXT } from '../settings/release.ts';
import { redactPassword } from '../storage/address.ts';
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
  erase: async () => (await import('./erase.ts')).eraseCommand(),
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
    .version(RELEASE_TEXT)
    .option(
      '--env-file <file>',
      'set variables from lines NAME=value, as systemd does',
      readEnvFile,
    )
    .helpCommand(false)
    .showHelpAfterError('(add --help for the options)');
  for (const command of await commandsFor(args)) program.addCommand(command);
  takeOver(program);
  program.hook('preAction', (_program, command) => {
    // They win over others, as in a unit of systemd.
    Object.assign(process.env, envFileOf(command)?.variables);
    // Its log has an output of its own.
    if (command.name() !== 'serve') surviveLostReader();
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

/** Without a listener, a reader of the output that stops early, such as `head`, ends the process with a stack trace. */
function surviveLostReader(): void {
  const ended = (error: Error & { code?: string }) => {
    // Other listeners report it themselves.
    if (error.code === 'EPIPE' || process.stdout.listenerCount('error') > 1) return;
    process.exitCode = FAILED;
    process.stderr.write(`petstore: standard output cannot be written: ${error.message}\n`);
  };
  if (process.stdout.listenerCount('error') > 0) return;
  process.stdout.on('error', ended);
  process.stderr.on('error', () => undefined);
}

/** Loads the named command, or all of them for the help and for suggestions. */
function commandsFor([name = '']: readonly string[]): Promise<readonly Command[]> {
  const named = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const loads = named === undefined ? Object.values(COMMANDS) : [named];
  return Promise.all(loads.map((load) => load()));
}

/** Commander returns instead of ending the process, and prints as the commands do. */
function takeOver(command: Command): void {
  command.exitOverride().configureOutput({
    // It may quote an address in the wrong place.
    writeErr: (text) => void process.stderr.write(redactPassword(text)),
    writeOut(text) {
      surviveLostReader();
      process.stdout.write(text);
    },
  });
  for (const child of command.commands) takeOver(child);
}
