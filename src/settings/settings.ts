import { ENVIRONMENTS } from '../domain/deployment.ts';
import { LOG_LEVELS } from '../telemetry/log.ts';
import {
  backupPlace,
  baseUrl,
  contentLanguage,
  databaseAddress,
  duration,
  durationOrOff,
  durationWithin,
  filePath,
  hostName,
  limitsAddress,
  mailAddress,
  mailAddresses,
  networks,
  oneOf,
  operationsPort,
  origins,
  photoAddress,
  port,
  ports,
  secretKeys,
  share,
  smtpAddress,
  waits,
  wholeNumber,
} from './values.ts';

/** How a setting is read and described. */
interface Description<T> {
  /** Read when neither flag nor variable is given. */
  readonly fallback: string;
  /** The placeholder for its value in the help. */
  readonly placeholder: string;
  readonly help: string;
  /** The value may contain a password, or it is secret as a whole. A wrong one is never shown. */
  readonly holdsSecret: 'password' | 'whole' | undefined;
  /** Throws `WrongSetting` for a value that cannot be used. */
  read(text: string): T;
}

/** A setting: a flag of the command line and a variable of the environment. */
export interface Setting<T> extends Description<T> {
  readonly flag: string;
  readonly variable: string;
}

function setting<T>(
  fallback: string,
  read: (text: string) => T,
  placeholder: string,
  help: string,
  holdsSecret?: 'password' | 'whole',
): Description<T> {
  return { fallback, read, placeholder, help, holdsSecret };
}

function number(fallback: string, min: number, max: number, help: string): Description<number> {
  return setting(fallback, wholeNumber(min, max), 'NUMBER', help);
}

function time(fallback: string, min: string, max: string, help: string): Description<number> {
  return setting(fallback, durationWithin(min, max), 'DURATION', help);
}

function list<T>(read: (text: string) => readonly T[], help: string): Description<readonly T[]> {
  return setting('', read, 'LIST', help);
}

const file = (help: string) => setting('', filePath, 'FILE', help, 'password');
const publicUrl = (help: string) => setting('', baseUrl, 'URL', help);

const descriptions = {
  database: setting(
    'sqlite:data/petstore.db',
    databaseAddress,
    'URL',
    'database: sqlite:PATH or postgres://USER@HOST:PORT/DATABASE (several HOST:PORT with commas; ?sslmode=verify-full for TLS)',
    'password',
  ),
  databaseCreate: setting(
    'on',
    oneOf(['on', 'off']),
    'on|off',
    'whether `petstore serve` makes a new database where there is none; off: only `petstore migrate` does',
  ),
  limits: setting(
    'memory:',
    limitsAddress,
    'URL',
    'where to count requests: memory: or, for several instances, redis://HOST:PORT or redis+sentinel://HOST:PORT,HOST:PORT/NAME (rediss for TLS)',
    'password',
  ),
  environment: setting('production', oneOf(ENVIRONMENTS), 'NAME', 'production or staging'),
  port: setting('8080', port, 'NUMBER', 'port to listen on; 0 picks a free one'),
  host: setting('127.0.0.1', hostName, 'ADDRESS', 'address to listen on; 0.0.0.0 for all'),
  opsPort: setting(
    '',
    operationsPort,
    'NUMBER',
    'port of /metrics; 0 picks a free one, off turns it off; unset: 9464 if it is free',
  ),
  opsHost: setting(
    '127.0.0.1',
    hostName,
    'ADDRESS',
    'address to serve /metrics on; anyone who can reach it can read them',
  ),
  baseUrl: publicUrl('public address of production; ends in /v1'),
  stagingBaseUrl: publicUrl('public address of staging; ends in /v1'),
  corsOrigins: list(origins, 'web origins that may call from a browser, separated by commas'),
  trustedProxies: list(
    networks,
    'proxies whose X-Forwarded-For and X-Forwarded-Proto to trust: addresses or networks, separated by commas',
  ),
  anonymousPerMinute: number(
    '60',
    0,
    1_000_000,
    'requests per minute that one address may send without a valid key',
  ),
  banRefusals: number('60', 1, 1_000_000_000, 'refused requests in a minute that get a key banned'),
  banSeconds: number(
    '900',
    1,
    86_400,
    'length of a first ban; doubles with each further ban within a day',
  ),
  banMaxSeconds: number('86400', 1, 31_536_000, 'longest ban'),
  idleTimeoutMs: time(
    '10s',
    '5s',
    '240s',
    'how long a connection may be idle, or the head of a request may take: 5s to 240s',
  ),
  bodyTimeoutMs: time('10s', '1s', '240s', 'how long the body of a request may take: 1s to 240s'),
  tlsCert: file('PEM certificate with its chain, to serve https; SIGHUP reloads it'),
  tlsKey: file('PEM private key of the certificate'),
  maxInProgress: number(
    '2000',
    1,
    1_000_000,
    'requests handled at once; when more have to wait, they get 503',
  ),
  maxWaiting: number(
    '1000',
    0,
    1_000_000,
    'requests that may wait for events at once; more get 503',
  ),
  maxCategories: number(
    '10000',
    1,
    1_000_000,
    'categories that a shop may have; an import makes at most 1,000 new ones',
  ),
  adopt: setting('on', oneOf(['on', 'off']), 'on|off', 'the public pages of animals under /adopt'),
  home: setting(
    'doors',
    oneOf(['doors', 'adopt'] as const),
    'doors|adopt',
    'what / shows: the doors to the public pages, the console and the documents, or the animals',
  ),
  contentLanguage: setting(
    '',
    contentLanguage,
    'LANGUAGE',
    'language in which staff write about animals, such as de, unless the shop says so itself',
  ),
  frameAncestors: list(
    origins,
    'web origins that may show the public pages in a frame, separated by commas',
  ),
  photos: setting(
    '',
    photoAddress,
    'URL',
    'where to keep the bytes of photos: s3://BUCKET/PREFIX; unset: in the database',
    'password',
  ),
  backup: setting(
    '',
    backupPlace,
    'PLACE',
    'where to keep backups that the service makes by itself: a folder or s3://BUCKET/PREFIX; unset: it makes none',
    'password',
  ),
  backupEveryMs: time('24h', '1s', '3650d', 'how often to make a backup: 1s to 3650d'),
  backupKeep: number('14', 1, 10_000, 'how many of these backups to keep'),
  smtp: setting(
    '',
    smtpAddress,
    'URL',
    'mail server for mails to staff about new enquiries, and to families: smtp://USER:PASSWORD@HOST:PORT, or smtps',
    'password',
  ),
  notify: list(
    mailAddresses,
    'who gets the mails to staff, without whom none are sent: addresses, separated by commas',
  ),
  mailFrom: setting(
    '',
    mailAddress,
    'ADDRESS',
    'address that mails come from; unset: the first of PETSTORE_NOTIFY',
  ),
  enquiriesKeepMs: time('180d', '1d', '3650d', 'how long to keep enquiries: 1d to 3650d'),
  ordersKeepMs: setting(
    'off',
    durationOrOff('1d', '3650d'),
    'DURATION',
    'how long to keep who adopted (adopter, contact, note) after the end of an order: 1d to 3650d, or off: until somebody erases it',
  ),
  eventsKeepMs: time('90d', '1h', '3650d', 'how long to keep events: 1h to 3650d'),
  auditKeepMs: time('400d', '1h', '3650d', 'how long to keep who changed what: 1h to 3650d'),
  webhookPorts: list(ports, 'ports that webhooks may call besides 443, separated by commas'),
  webhookAllow: list(
    networks,
    'private networks that webhooks, channels and photos of imports may call, there also with http and on any port, separated by commas',
  ),
  webhookScheduleMs: setting(
    '5s,5m,30m,2h,5h,10h,14h,20h,24h',
    waits,
    'DURATIONS',
    'waits between the attempts to deliver an event, separated by commas',
  ),
  secretKey: setting(
    '',
    secretKeys,
    'KEY',
    'encrypts secrets of webhooks in the database: 32 bytes in base64 or hex; after a comma, older keys. Use the variable: other users can see flags',
    'whole',
  ),
  shutdownDelayMs: setting(
    '0s',
    duration,
    'DURATION',
    'how long to keep accepting requests after SIGTERM, for example 5s',
  ),
  logLevel: setting('info', oneOf(LOG_LEVELS), 'LEVEL', 'debug, info, warn, error or silent'),
  logSample: setting(
    '1',
    share,
    'SHARE',
    'share of requests to log, from 0 to 1; requests that fail with 5xx are always logged',
  ),
};

export type SettingName = keyof typeof descriptions;

/** In the order of the help. */
export const SETTING_NAMES = Object.keys(descriptions) as SettingName[]; // The keys of the literal.

type Settings = {
  readonly [N in SettingName]: Setting<ReturnType<(typeof descriptions)[N]['read']>>;
};

/**
 * Every setting. `opsPort` has the flag `--ops-port` and the variable `PETSTORE_OPS_PORT`. A duration
 * is given with its unit, so the `Ms` of its name is in neither.
 */
export const settings = Object.fromEntries(
  SETTING_NAMES.map((name) => {
    const description = descriptions[name];
    const isDuration = description.placeholder.startsWith('DURATION');
    const words = (isDuration ? name.replace(/Ms$/, '') : name).split(/(?=[A-Z])/);
    const flag = `--${words.join('-').toLowerCase()}`;
    const variable = `PETSTORE_${words.join('_').toUpperCase()}`;
    return [name, { ...description, flag, variable }];
  }),
) as Settings; // Each has the type of its own description.

/** The settings that select a database. Every command takes them. */
export const DATABASE_SETTINGS = ['database', 'environment'] as const satisfies SettingName[];
