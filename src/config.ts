import { ENVIRONMENTS, type Environment } from './domain/deployment.ts';
import {
  baseUrl,
  databaseAddress,
  duration,
  durationWithin,
  limitsAddress,
  networks,
  type OperationsPort,
  oneOf,
  operationsPort,
  optionalText,
  origins,
  passwordsIn,
  port,
  portProblems,
  seconds,
  share,
  text,
  WrongSetting,
  wholeNumber,
} from './setting-values.ts';
import { redactPassword } from './storage/address.ts';
import { LOG_LEVELS, type LogLevel } from './telemetry/log.ts';

/** One setting: a flag of the command line, a variable of the environment, and how it is read. */
export interface Setting<T> {
  readonly flag: string;
  readonly variable: string;
  /** The name of its value in the help. */
  readonly value: string;
  readonly help: string;
  /** What is read where neither flag nor variable is given. */
  readonly fallback: string;
  /** Whether a password may stand in it: it is hidden then from the log. */
  readonly holdsSecret?: boolean;
  /** Gives the value, or throws `WrongSetting` with what it must be. */
  read(text: string): T;
}

/** Settings that cannot be used, all of them at once. */
export class ConfigProblems extends Error {}

/** Every setting there is. */
export const settings = {
  database: {
    flag: '--database',
    variable: 'PETSTORE_DATABASE',
    value: 'URL',
    help: 'database: sqlite:PATH or postgres://USER@HOST:PORT/DATABASE (?sslmode=verify-full for TLS)',
    fallback: 'sqlite:data/petstore.db',
    holdsSecret: true,
    read: databaseAddress,
  } satisfies Setting<string>,
  limits: {
    flag: '--limits',
    variable: 'PETSTORE_LIMITS',
    value: 'URL',
    help: 'where requests are counted: memory: or, for many instances, redis://HOST:PORT (rediss: for TLS)',
    fallback: 'memory:',
    holdsSecret: true,
    read: limitsAddress,
  } satisfies Setting<string>,
  environment: {
    flag: '--environment',
    variable: 'PETSTORE_ENVIRONMENT',
    value: 'NAME',
    help: 'deployment: production or staging',
    fallback: 'production',
    read: oneOf(ENVIRONMENTS),
  } satisfies Setting<Environment>,
  port: {
    flag: '--port',
    variable: 'PETSTORE_PORT',
    value: 'NUMBER',
    help: 'port to listen on; 0 takes a free one',
    fallback: '8080',
    read: port,
  } satisfies Setting<number>,
  host: {
    flag: '--host',
    variable: 'PETSTORE_HOST',
    value: 'ADDRESS',
    help: 'address to listen on; 0.0.0.0 for all',
    fallback: '127.0.0.1',
    read: text,
  } satisfies Setting<string>,
  opsPort: {
    flag: '--ops-port',
    variable: 'PETSTORE_OPS_PORT',
    value: 'NUMBER',
    help: 'port of /metrics; 0 takes a free one, off none; unset: 9464, if it is free',
    fallback: '',
    read: operationsPort,
  } satisfies Setting<OperationsPort>,
  opsHost: {
    flag: '--ops-host',
    variable: 'PETSTORE_OPS_HOST',
    value: 'ADDRESS',
    help: 'address on which /metrics is served; whoever reaches it may read them',
    fallback: '127.0.0.1',
    read: text,
  } satisfies Setting<string>,
  baseUrl: {
    flag: '--base-url',
    variable: 'PETSTORE_BASE_URL',
    value: 'URL',
    help: 'public address of production, ending in /v1',
    fallback: '',
    read: baseUrl,
  } satisfies Setting<string | undefined>,
  stagingBaseUrl: {
    flag: '--staging-base-url',
    variable: 'PETSTORE_STAGING_BASE_URL',
    value: 'URL',
    help: 'public address of staging, ending in /v1',
    fallback: '',
    read: baseUrl,
  } satisfies Setting<string | undefined>,
  corsOrigins: {
    flag: '--cors-origins',
    variable: 'PETSTORE_CORS_ORIGINS',
    value: 'LIST',
    help: 'origins whose pages may call from a browser, with commas',
    fallback: '',
    read: origins,
  } satisfies Setting<readonly string[]>,
  trustedProxies: {
    flag: '--trusted-proxies',
    variable: 'PETSTORE_TRUSTED_PROXIES',
    value: 'LIST',
    help: 'addresses or networks whose X-Forwarded-For counts, with commas',
    fallback: '',
    read: networks,
  } satisfies Setting<readonly string[]>,
  anonymousPerMinute: {
    flag: '--anonymous-per-minute',
    variable: 'PETSTORE_ANONYMOUS_PER_MINUTE',
    value: 'NUMBER',
    help: 'requests without a valid key that an address may send a minute',
    fallback: '60',
    read: wholeNumber(0, 1_000_000),
  } satisfies Setting<number>,
  banRefusals: {
    flag: '--ban-refusals',
    variable: 'PETSTORE_BAN_REFUSALS',
    value: 'NUMBER',
    help: 'refusals within a minute after which a key is banned',
    fallback: '60',
    read: wholeNumber(1, 1_000_000_000),
  } satisfies Setting<number>,
  banMs: {
    flag: '--ban-seconds',
    variable: 'PETSTORE_BAN_SECONDS',
    value: 'NUMBER',
    help: 'length of a first ban; it doubles with each further one within a day',
    fallback: '900',
    read: seconds(1, 86_400),
  } satisfies Setting<number>,
  banMaxMs: {
    flag: '--ban-max-seconds',
    variable: 'PETSTORE_BAN_MAX_SECONDS',
    value: 'NUMBER',
    help: 'length that no ban exceeds',
    fallback: '86400',
    read: seconds(1, 31_536_000),
  } satisfies Setting<number>,
  idleTimeoutMs: {
    flag: '--idle-timeout',
    variable: 'PETSTORE_IDLE_TIMEOUT',
    value: 'DURATION',
    help: 'how long a connection may be idle, and the head of a request take, from 5s to 240s',
    fallback: '10s',
    read: durationWithin(5, 240),
  } satisfies Setting<number>,
  bodyTimeoutMs: {
    flag: '--body-timeout',
    variable: 'PETSTORE_BODY_TIMEOUT',
    value: 'DURATION',
    help: 'how long the body of a request may take, from 1s to 240s',
    fallback: '10s',
    read: durationWithin(1, 240),
  } satisfies Setting<number>,
  tlsCert: {
    flag: '--tls-cert',
    variable: 'PETSTORE_TLS_CERT',
    value: 'FILE',
    help: 'certificate and its chain in PEM, to serve https; SIGHUP reads it again',
    fallback: '',
    read: optionalText,
  } satisfies Setting<string | undefined>,
  tlsKey: {
    flag: '--tls-key',
    variable: 'PETSTORE_TLS_KEY',
    value: 'FILE',
    help: 'key to the certificate in PEM',
    fallback: '',
    read: optionalText,
  } satisfies Setting<string | undefined>,
  maxInProgress: {
    flag: '--max-in-progress',
    variable: 'PETSTORE_MAX_IN_PROGRESS',
    value: 'NUMBER',
    help: 'requests at work at once; more that would wait are answered with 503',
    fallback: '2000',
    read: wholeNumber(1, 1_000_000),
  } satisfies Setting<number>,
  maxQueueMs: {
    flag: '--max-queue-ms',
    variable: 'PETSTORE_MAX_QUEUE_MS',
    value: 'NUMBER',
    help: 'milliseconds that requests may wait for their turn before some are answered with 503',
    fallback: '250',
    read: wholeNumber(1, 3_600_000),
  } satisfies Setting<number>,
  shutdownDelayMs: {
    flag: '--shutdown-delay',
    variable: 'PETSTORE_SHUTDOWN_DELAY',
    value: 'DURATION',
    help: 'how long to go on accepting after SIGTERM, such as 5s',
    fallback: '0s',
    read: duration,
  } satisfies Setting<number>,
  logLevel: {
    flag: '--log-level',
    variable: 'PETSTORE_LOG_LEVEL',
    value: 'LEVEL',
    help: 'debug, info, warn, error or silent',
    fallback: 'info',
    read: oneOf(LOG_LEVELS),
  } satisfies Setting<LogLevel>,
  logSample: {
    flag: '--log-sample',
    variable: 'PETSTORE_LOG_SAMPLE',
    value: 'SHARE',
    help: 'share of requests that are logged, from 0 to 1; those that fail with 5xx always are',
    fallback: '1',
    read: share,
  } satisfies Setting<number>,
};

export type SettingName = keyof typeof settings;

/** The settings as read. Frozen: nothing changes them while the service runs. */
export type Config = { readonly [N in SettingName]: ReturnType<(typeof settings)[N]['read']> };

/** The passwords in these settings, in each form in which an error might repeat them. */
export function passwordsOf(config: Config): readonly string[] {
  const entries = Object.entries(settings) as [SettingName, Setting<unknown>][];
  return entries.flatMap(([name, { holdsSecret }]) =>
    holdsSecret ? passwordsIn(String(config[name])) : [],
  );
}

/** The settings of which database, which every command needs. */
export const DATABASE_SETTINGS = ['database', 'environment'] as const satisfies SettingName[];

/** Texts by names: of settings, or of variables. */
type Texts = Readonly<Partial<Record<string, string>>>;

/** What became of the settings: those that can be used, and what is wrong with the others. */
export interface ReadSettings {
  readonly values: Partial<Config>;
  /** One sentence for each, without passwords. */
  readonly problems: readonly string[];
}

/**
 * Reads the settings one by one: a flag wins over a variable, that over the fallback. An empty
 * variable is one that is not set.
 */
export function readSettings(flags: Texts, environment: Texts): ReadSettings {
  const problems: string[] = [];
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const [name, setting] of Object.entries(settings) as [SettingName, Setting<unknown>][]) {
    const fromFlag = flags[name];
    const given = fromFlag ?? environment[setting.variable];
    try {
      values[name] = setting.read(given === undefined || given === '' ? setting.fallback : given);
    } catch (error) {
      if (!(error instanceof WrongSetting)) throw error;
      const source = fromFlag === undefined ? setting.variable : setting.flag;
      problems.push(`${source} ${error.message} (it is "${redactPassword(given ?? '')}").`);
    }
  }
  // Every setting was read by its own function, so those that are here are typed as they are.
  const read = values as Partial<Config>;
  problems.push(...portProblems(read));
  return { values: read, problems };
}

/** Reads all settings. Throws `ConfigProblems` that names every wrong one. */
export function readConfig(flags: Texts, environment: Texts): Config {
  const { values, problems } = readSettings(flags, environment);
  if (problems.length > 0) throw new ConfigProblems(problems.join('\n'));
  // Where nothing is wrong, nothing is missing.
  return Object.freeze(values) as Config;
}
