import { Command } from 'commander';
import type { Config } from '../config.ts';
import { systemClock } from '../domain/clock.ts';
import { issueKey } from '../domain/key-issuance.ts';
import { FIXED_PLANS } from '../domain/plan.ts';
import type { Storage } from '../domain/storage.ts';
import type { PetstoreServer } from '../server.ts';
import { settings } from '../settings.ts';
import { openStorage } from '../storage/open.ts';
import { print } from './print.ts';
import { databaseFlag, programName } from './program-name.ts';
import { SERVE_SETTINGS, serveUntilSignal } from './serve.ts';
import { addSettings, configOf } from './setting-options.ts';

/** `petstore demo`: what `npm start` runs. */
export function demoCommand(): Command {
  const command = new Command('demo').description(
    'serve, with sample animals and a first key when the database is empty',
  );
  addSettings(command, SERVE_SETTINGS);
  return command.action(async () => {
    const config = configOf(command, variables());
    await serveUntilSignal(config, async (server) => {
      await print(await welcome(config, server));
    });
  });
}

/** The environment; on a terminal a newcomer is not to drown in the log, unless asked for. */
function variables(): Readonly<Partial<Record<string, string>>> {
  const { variable } = settings.logLevel;
  if (!process.stdout.isTTY || process.env[variable]) return process.env;
  return { ...process.env, [variable]: 'warn' };
}

/**
 * Fills an empty database and says how to begin. The service listens already, so a start that
 * fails has made no key that nobody has seen; and the key comes last, so one that is made is shown.
 */
async function welcome(config: Config, server: PetstoreServer): Promise<string> {
  const storage = await openStorage(config.database, config.environment);
  try {
    const hasKeys = (await storage.keys.list()).length > 0;
    const isEmpty = !hasKeys && (await storage.pets.count()) === 0;
    const start = isEmpty ? await firstStart(config, server, storage) : laterStart(config, hasKeys);
    return `Serving on ${server.baseUrl}\nDocumentation: ${server.url}/docs\n\n${start}\n`;
  } finally {
    await storage.close();
  }
}

async function firstStart(
  { environment }: Config,
  { url }: PetstoreServer,
  { pets, keys }: Storage,
): Promise<string> {
  // Only the first start needs it.
  const { importSampleAnimals } = await import('./sample-animals.ts');
  const count = await importSampleAnimals(pets);
  const { text } = await issueKey(
    { keys, environment, now: systemClock.now() },
    { name: 'first key', plan: FIXED_PLANS.business, scopes: ['write'] },
  );
  return `The database was empty, so it got ${count} sample animals and a first key:

${text}

Keep the key now: it is not stored and cannot be shown again. To list animals with it:

curl -H 'Authorization: Bearer ${text}' '${url}/v1/pets?status=available'
`;
}

function laterStart(config: Config, hasKeys: boolean): string {
  const where = hasKeys
    ? 'The first key was shown at the first start, and no key is stored. To make another one:'
    : 'There is no key yet. To make one:';
  return `${where}

${programName()} keys create --name you --plan business${databaseFlags(config)}
`;
}

/** What a command needs besides to work on the same database. */
function databaseFlags({ database, environment }: Config): string {
  let flags = '';
  if (database !== settings.database.fallback) {
    flags += ` ${databaseFlag(database)}`;
  }
  if (environment !== settings.environment.fallback) flags += ` --environment ${environment}`;
  return flags;
}
