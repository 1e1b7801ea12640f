import { NO_CACHE } from '../../src/api/cache/response-cache.ts';
import { generateKey, type Scope } from '../../src/domain/api-key.ts';
import type { Environment } from '../../src/domain/deployment.ts';
import type { PlanName } from '../../src/domain/plan.ts';
import { hashKey } from '../../src/domain/secrets.ts';
import type { Storage } from '../../src/domain/storage.ts';
import type { Decoder } from '../../src/photos/decoder.ts';
import { openServer, type PetstoreServer } from '../../src/server/server.ts';
import { redactionOf } from '../../src/server/serving.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { chosenLimits, type TestLimits } from './chosen-limits.ts';
import { type Client, createClient } from './client.ts';
import { createTestClock, type TestClock } from './clock.ts';
import { chosenEngine, type TestDatabase, type TestEngine } from './engines.ts';

/** Settings by variable name. */
export type TestSettings = Readonly<Record<string, string>>;

export interface StartOptions {
  readonly environment?: Environment;
  readonly settings?: TestSettings;
  readonly engine?: TestEngine;
  readonly decoder?: Decoder;
  /** The only authority that channels trust, as PEM. */
  readonly authority?: string;
}

export interface KeyOptions {
  readonly name?: string;
  readonly plan?: PlanName;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly scopes?: readonly Scope[];
  /** The time it expires, in milliseconds since the Unix epoch. */
  readonly expiresAt?: number;
  /** The deployment of the key; by default the server's. */
  readonly environment?: Environment;
}

export interface TestKey {
  readonly id: bigint;
  readonly text: string;
  readonly client: Client;
}

/** The real service on a free port, with its own database and a test clock. */
export interface TestPetstore extends AsyncDisposable {
  /** The root address, without a path. */
  readonly url: string;
  readonly baseUrl: string;
  readonly metricsUrl: string;
  readonly port: number;
  readonly clock: TestClock;
  readonly database: TestDatabase;
  /** The database, over its own connection, as another process has one. */
  readonly storage: Storage;
  /** The lines logged so far. */
  readonly log: readonly string[];
  readonly anonymous: Client;
  readonly reader: Client;
  readonly writer: Client;
  readonly admin: Client;
  keyWith(options: KeyOptions): Promise<TestKey>;
  /** Restarts the service on the same database. */
  restart(settings?: TestSettings): Promise<void>;
}

/** The storage behind each client, for records that no operation adds. */
export const storageBehind = new WeakMap<Client, Storage>();

/** Limits that no test reaches unless it sets another plan. */
const PER_MINUTE = 1_000_000;
const PER_DAY = 100_000_000;

function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** The settings of a test server. Unknown settings are ignored, so newer ones may be set too. */
function configOf(
  database: TestDatabase,
  limits: TestLimits,
  environment: Environment,
  settings: TestSettings,
) {
  const variables = {
    PETSTORE_DATABASE: database.address,
    PETSTORE_LIMITS: limits.address,
    PETSTORE_ENVIRONMENT: environment,
    PETSTORE_PORT: '0',
    PETSTORE_OPS_PORT: '0',
    PETSTORE_LOG_LEVEL: 'debug',
    PETSTORE_ANONYMOUS_PER_MINUTE: String(PER_MINUTE),
    ...settings,
  };
  return readConfig({}, variables);
}

export async function startPetstore(options: StartOptions = {}): Promise<TestPetstore> {
  const environment = options.environment ?? 'production';
  const database = await (options.engine ?? chosenEngine()).createDatabase();
  const limits = await chosenLimits();
  const clock = createTestClock();
  const lines: string[] = [];
  const firstConfig = configOf(database, limits, environment, options.settings ?? {});
  const write = (text: string) => lines.push(...text.split(/(?<=\n)/));
  const log = openLog('debug', { write }, redactionOf(firstConfig));

  async function open(settings: TestSettings = {}): Promise<PetstoreServer> {
    const merged = { ...options.settings, ...settings };
    const config = configOf(database, limits, environment, merged);
    const limiter = await limits.open(config, log);
    const { decoder, authority } = options;
    const parts = {
      ...(limiter !== undefined && { limiter }),
      ...(decoder && { decoder }),
      ...(authority && { authority }),
      ...(process.env['PETSTORE_TEST_CACHE'] === 'off' && { cache: NO_CACHE }),
    };
    return await openServer(config, { clock, log, ...parts });
  }
  let server = await open();
  const storage = await openStorage(database.address, environment);
  const address = () => server.url;

  async function keyWith(keyOptions: KeyOptions): Promise<TestKey> {
    const text = generateKey(keyOptions.environment ?? environment, randomBytes);
    const plan = keyOptions.plan ?? 'enterprise';
    const own = plan === 'enterprise';
    const key = await storage.keys.create({
      hash: hashKey(text),
      name: keyOptions.name ?? 'a test',
      plan,
      perMinute: own ? (keyOptions.perMinute ?? PER_MINUTE) : null,
      perDay: own ? (keyOptions.perDay ?? PER_DAY) : null,
      scopes: keyOptions.scopes ?? ['write'],
      createdAt: clock.now(),
      expiresAt: keyOptions.expiresAt ?? null,
    });
    const client = createClient(address, text);
    storageBehind.set(client, storage);
    return { id: key.id, text, client };
  }

  const clientWith = async (scope: Scope) =>
    (await keyWith({ name: `the ${scope} client`, scopes: [scope] })).client;

  return {
    get url() {
      return server.url;
    },
    get baseUrl() {
      return server.baseUrl;
    },
    get metricsUrl() {
      return server.metricsUrl ?? '';
    },
    get port() {
      return Number(new URL(server.url).port);
    },
    clock,
    database,
    storage,
    log: lines,
    anonymous: createClient(address),
    reader: await clientWith('read'),
    writer: await clientWith('write'),
    admin: await clientWith('admin'),
    keyWith,
    async restart(settings) {
      await server.close();
      server = await open(settings);
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await storage.close();
      await database[Symbol.asyncDispose]();
    },
  };
}
