import { Command } from 'commander';
import { systemClock } from '../domain/clock.ts';
import { issueKey } from '../domain/key-lifecycle.ts';
import { invitationAddress, issueInvitation } from '../domain/person.ts';
import { FIXED_PLANS } from '../domain/plan.ts';
import type { Storage } from '../domain/storage.ts';
import type { PetstoreServer } from '../server/server.ts';
import { type Config, fileVariable } from '../settings/config.ts';
import { SETTING_NAMES, settings } from '../settings/settings.ts';
import { openStorage } from '../storage/open.ts';
import { print } from './print.ts';
import { databaseFlag, programName } from './program-name.ts';
import type { describeSample } from './sample-profiles.ts';
import { serveUntilSignal, servingConfigOf } from './serve.ts';
import { addSettings } from './setting-options.ts';

/** `petstore demo`: what `npm start` runs. */
export function demoCommand(): Command {
  const command = new Command('demo').description(
    'serve; fill an empty database with sample animals and a first key',
  );
  addSettings(command, SETTING_NAMES);
  return command.action(async () => {
    const config = await servingConfigOf(command, variables());
    const ended = new AbortController();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ended.abort());
    await serveUntilSignal(config, async (server) => {
      const { text, animals } = await welcome(config, server);
      await print(text);
      // The pictures come one by one, while the first visitors look around.
      if (animals !== undefined) void illustrate(config, animals, ended.signal);
    });
  });
}

type Animals = Awaited<ReturnType<typeof describeSample>>;

/** Gives the sample animals their pictures. What goes wrong leaves the drawings of their species. */
async function illustrate(config: Config, animals: Animals, signal: AbortSignal): Promise<void> {
  const [{ addSamplePhotos }, { openPhotoSource }] = await Promise.all([
    import('./sample-profiles.ts'),
    import('../server/import-photos.ts'),
  ]);
  const storage = await openStorage(config.database, config.environment);
  const { source, close } = openPhotoSource(config, storage, systemClock);
  try {
    await addSamplePhotos(storage, source, animals, signal);
  } catch (error) {
    if (!signal.aborted) process.stderr.write(`petstore: warning: no more pictures: ${error}\n`);
  } finally {
    await close();
    await storage.close();
  }
}

/** The environment. On a terminal only warnings are logged, unless a log level is set. */
function variables(): Readonly<Partial<Record<string, string>>> {
  const { variable } = settings.logLevel;
  const isSet = process.env[variable] || process.env[fileVariable(variable)];
  if (!process.stdout.isTTY || isSet) return process.env;
  return { ...process.env, [variable]: 'warn' };
}

/**
 * Fills an empty database and explains how to start. The service listens already and the key is
 * created last, so every key that is created is also shown.
 */
async function welcome(
  config: Config,
  server: PetstoreServer,
): Promise<{ readonly text: string; readonly animals: Animals | undefined }> {
  const storage = await openStorage(config.database, config.environment);
  try {
    const hasKeys = (await storage.keys.list()).length > 0;
    const isEmpty = !hasKeys && (await storage.pets.count()) === 0;
    const first = isEmpty ? await firstStart(config, server, storage) : undefined;
    const start = first?.text ?? laterStart(config, hasKeys);
    const pages = config.adopt === 'on' ? `Animals to adopt: ${server.url}/adopt\n` : '';
    const text = `Serving on ${server.baseUrl}\n${pages}Console: ${server.url}/console\nDocumentation: ${server.url}/docs\n\n${start}\n`;
    return { text, animals: first?.animals };
  } finally {
    await storage.close();
  }
}

/** The first manager of a new shop. Whoever starts it chooses the password. */
const MANAGER = { name: 'Manager', email: 'manager@example.org', role: 'manager' } as const;

async function firstStart(
  { environment }: Config,
  { url, baseUrl }: PetstoreServer,
  storage: Storage,
): Promise<{ readonly text: string; readonly animals: Animals }> {
  // Later starts need not load the importer.
  const { importSampleAnimals } = await import('./sample-animals.ts');
  const { describeSample } = await import('./sample-profiles.ts');
  const count = await importSampleAnimals(storage);
  const animals = await describeSample(storage);
  const now = systemClock.now();
  const { secret, invitation } = issueInvitation(now);
  await storage.people.create(MANAGER, { at: now, keyId: null }, invitation);
  const { text: key } = await issueKey(
    { keys: storage.keys, environment, now },
    { name: 'first key', plan: FIXED_PLANS.business, scopes: ['admin'] },
  );
  const text = `The database was empty, so it got ${count} sample animals and a first manager. To open the console as
${MANAGER.email}, choose a password here; the address works once, for seven days:

${invitationAddress(baseUrl, secret)}

A first key for programs:

${key}

Save the key now: it is not stored and cannot be shown again. To list animals with it:

curl -H 'Authorization: Bearer ${key}' '${url}/v1/pets?status=available'
`;
  return { text, animals };
}

function laterStart(config: Config, hasKeys: boolean): string {
  const where = hasKeys
    ? 'The first key was shown at the first start and is not stored. To create another one:'
    : 'There is no key yet. To create one:';
  const flags = databaseFlags(config);
  return `${where}

${programName()} keys create --name you --plan business --scopes admin${flags}

To let a person sign in to the console, or again after a forgotten password:

${programName()} people create --name Maria --email maria@example.org --role manager${flags}
${programName()} people invite ID${flags}
`;
}

/** The flags that point a command at the same database. */
function databaseFlags({ database, environment }: Config): string {
  let flags = '';
  if (database !== settings.database.fallback) {
    flags += ` ${databaseFlag(database)}`;
  }
  if (environment !== settings.environment.fallback) flags += ` --environment ${environment}`;
  return flags;
}
