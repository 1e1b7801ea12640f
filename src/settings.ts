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
  port,
  ports,
  seconds,
  secretKeys,
  share,
  text,
  waits,
  wholeNumber,
  workers,
} from './setting-values.ts';
import { LOG_LEVELS, type LogLevel } from './telemetry/log.ts';

/** A setting: a flag of the command line and a variable of the environment. */
export interface Setting<T> {
  readonly flag: string;
  readonly variable: string;
  /** The placeholder for its value in the help. */
  readonly value: string;
  readonly help: string;
  /** Read when neither flag nor variable is given. */
  readonly fallback: string;
  /** The value is an address that may contain a password, or it is secret as a whole. Never shown. */
  readonly holdsSecret?: 'password' | 'whole';
  /** Throws `WrongSetting` for a value that cannot be used. */
  read(text: string): T;
}

/** Every setting. */
export const settings = {
  database: {
    flag: '--database',
    variable: 'PETSTORE_DATABASE',
    value: 'URL',
    help: 'database: sqlite:PATH or postgres://USER@HOST:PORT/DATABASE (several HOST:PORT with commas; ?sslmode=verify-full for TLS)',
    fallback: 'sqlite:data/petstore.db',
    holdsSecret: 'password',
    read: databaseAddress,
  } satisfies Setting<string>,
  limits: {
    flag: '--limits',
    variable: 'PETSTORE_LIMITS',
    value: 'URL',
    help: 'where to count requests: memory: or, for several instances, redis://HOST:PORT or redis+sentinel://HOST:PORT,HOST:PORT/NAME (rediss for TLS)',
    fallback: 'memory:',
    holdsSecret: 'password',
    read: limitsAddress,
  } satisfies Setting<string>,
  environment: {
    flag: '--environment',
    variable: 'PETSTORE_ENVIRONMENT',
    value: 'NAME',
    help: 'production or staging',
    fallback: 'production',
    read: oneOf(ENVIRONMENTS),
  } satisfies Setting<Environment>,
  port: {
    flag: '--port',
    variable: 'PETSTORE_PORT',
    value: 'NUMBER',
    help: 'port to listen on; 0 picks a free one',
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
  workers: {
    flag: '--workers',
    variable: 'PETSTORE_WORKERS',
    value: 'NUMBER',
    help: 'threads that serve requests: 1 to 64, or auto for one per core (Linux only)',
    fallback: '1',
    read: workers,
  } satisfies Setting<number | 'auto'>,
  opsPort: {
    flag: '--ops-port',
    variable: 'PETSTORE_OPS_PORT',
    value: 'NUMBER',
    help: 'port of /metrics; 0 picks a free one, off turns it off; unset: 9464 if it is free',
    fallback: '',
    read: operationsPort,
  } satisfies Setting<OperationsPort>,
  opsHost: {
    flag: '--ops-host',
    variable: 'PETSTORE_OPS_HOST',
    value: 'ADDRESS',
    help: 'address to serve /metrics on; anyone who can reach it can read them',
    fallback: '127.0.0.1',
    read: text,
  } satisfies Setting<string>,
  baseUrl: {
    flag: '--base-url',
    variable: 'PETSTORE_BASE_URL',
    value: 'URL',
    help: 'public address of production; ends in /v1',
    fallback: '',
    read: baseUrl,
  } satisfies Setting<string | undefined>,
  stagingBaseUrl: {
    flag: '--staging-base-url',
    variable: 'PETSTORE_STAGING_BASE_URL',
    value: 'URL',
    help: 'public address of staging; ends in /v1',
    fallback: '',
    read: baseUrl,
  } satisfies Setting<string | undefined>,
  corsOrigins: {
    flag: '--cors-origins',
    variable: 'PETSTORE_CORS_ORIGINS',
    value: 'LIST',
    help: 'web origins that may call from a browser, separated by commas',
    fallback: '',
    read: origins,
  } satisfies Setting<readonly string[]>,
  trustedProxies: {
    flag: '--trusted-proxies',
    variable: 'PETSTORE_TRUSTED_PROXIES',
    value: 'LIST',
    help: 'proxies whose X-Forwarded-For and X-Forwarded-Proto to trust: addresses or networks, separated by commas',
    fallback: '',
    read: networks,
  } satisfies Setting<readonly string[]>,
  anonymousPerMinute: {
    flag: '--anonymous-per-minute',
    variable: 'PETSTORE_ANONYMOUS_PER_MINUTE',
    value: 'NUMBER',
    help: 'requests per minute that one address may send without a valid key',
    fallback: '60',
    read: wholeNumber(0, 1_000_000),
  } satisfies Setting<number>,
  banRefusals: {
    flag: '--ban-refusals',
    variable: 'PETSTORE_BAN_REFUSALS',
    value: 'NUMBER',
    help: 'refused requests in a minute that get a key banned',
    fallback: '60',
    read: wholeNumber(1, 1_000_000_000),
  } satisfies Setting<number>,
  banMs: {
    flag: '--ban-seconds',
    variable: 'PETSTORE_BAN_SECONDS',
    value: 'NUMBER',
    help: 'length of a first ban; doubles with each further ban within a day',
    fallback: '900',
    read: seconds(1, 86_400),
  } satisfies Setting<number>,
  banMaxMs: {
    flag: '--ban-max-seconds',
    variable: 'PETSTORE_BAN_MAX_SECONDS',
    value: 'NUMBER',
    help: 'longest ban',
    fallback: '86400',
    read: seconds(1, 31_536_000),
  } satisfies Setting<number>,
  idleTimeoutMs: {
    flag: '--idle-timeout',
    variable: 'PETSTORE_IDLE_TIMEOUT',
    value: 'DURATION',
    help: 'how long a connection may be idle, or the head of a request may take: 5s to 240s',
    fallback: '10s',
    read: durationWithin('5s', '240s'),
  } satisfies Setting<number>,
  bodyTimeoutMs: {
    flag: '--body-timeout',
    variable: 'PETSTORE_BODY_TIMEOUT',
    value: 'DURATION',
    help: 'how long the body of a request may take: 1s to 240s',
    fallback: '10s',
    read: durationWithin('1s', '240s'),
  } satisfies Setting<number>,
  tlsCert: {
    flag: '--tls-cert',
    variable: 'PETSTORE_TLS_CERT',
    value: 'FILE',
    help: 'PEM certificate with its chain, to serve https; SIGHUP reloads it',
    fallback: '',
    read: optionalText,
  } satisfies Setting<string | undefined>,
  tlsKey: {
    flag: '--tls-key',
    variable: 'PETSTORE_TLS_KEY',
    value: 'FILE',
    help: 'PEM private key of the certificate',
    fallback: '',
    read: optionalText,
  } satisfies Setting<string | undefined>,
  maxInProgress: {
    flag: '--max-in-progress',
    variable: 'PETSTORE_MAX_IN_PROGRESS',
    value: 'NUMBER',
    help: 'requests handled at once; when more have to wait, they get 503',
    fallback: '2000',
    read: wholeNumber(1, 1_000_000),
  } satisfies Setting<number>,
  maxQueueMs: {
    flag: '--max-queue-ms',
    variable: 'PETSTORE_MAX_QUEUE_MS',
    value: 'NUMBER',
    help: 'milliseconds that requests may wait for their turn before some get 503',
    fallback: '250',
    read: wholeNumber(1, 3_600_000),
  } satisfies Setting<number>,
  maxWaiting: {
    flag: '--max-waiting',
    variable: 'PETSTORE_MAX_WAITING',
    value: 'NUMBER',
    help: 'requests that may wait for events at once; more get 503',
    fallback: '1000',
    read: wholeNumber(0, 1_000_000),
  } satisfies Setting<number>,
  eventsKeepMs: {
    flag: '--events-keep',
    variable: 'PETSTORE_EVENTS_KEEP',
    value: 'DURATION',
    help: 'how long to keep events: 1h to 3650d',
    fallback: '90d',
    read: durationWithin('1h', '3650d'),
  } satisfies Setting<number>,
  webhookPorts: {
    flag: '--webhook-ports',
    variable: 'PETSTORE_WEBHOOK_PORTS',
    value: 'LIST',
    help: 'ports that webhooks may call besides 443, separated by commas',
    fallback: '',
    read: ports,
  } satisfies Setting<readonly number[]>,
  webhookAllow: {
    flag: '--webhook-allow',
    variable: 'PETSTORE_WEBHOOK_ALLOW',
    value: 'LIST',
    help: 'private networks that webhooks may call, there also with http and on any port, separated by commas',
    fallback: '',
    read: networks,
  } satisfies Setting<readonly string[]>,
  webhookScheduleMs: {
    flag: '--webhook-schedule',
    variable: 'PETSTORE_WEBHOOK_SCHEDULE',
    value: 'LIST',
    help: 'waits between the attempts to deliver an event, separated by commas',
    fallback: '5s,5m,30m,2h,5h,10h,14h,20h,24h',
    read: waits,
  } satisfies Setting<readonly number[]>,
  secretKeys: {
    flag: '--secret-key',
    variable: 'PETSTORE_SECRET_KEY',
    value: 'KEY',
    help: 'encrypts secrets of webhooks in the database: 32 bytes in base64 or hex; after a comma, older keys. Use the variable: other users can see flags',
    fallback: '',
    holdsSecret: 'whole',
    read: secretKeys,
  } satisfies Setting<readonly string[]>,
  shutdownDelayMs: {
    flag: '--shutdown-delay',
    variable: 'PETSTORE_SHUTDOWN_DELAY',
    value: 'DURATION',
    help: 'how long to keep accepting requests after SIGTERM, for example 5s',
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
    help: 'share of requests to log, from 0 to 1; requests that fail with 5xx are always logged',
    fallback: '1',
    read: share,
  } satisfies Setting<number>,
};

export type SettingName = keyof typeof settings;

/** The settings that select a database. Every command takes them. */
export const DATABASE_SETTINGS = ['database', 'environment'] as const satisfies SettingName[];
