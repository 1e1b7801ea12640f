import { durationFromText } from '../domain/clock.ts';
import {
  addressesOfHosts,
  createNetworkList,
  isHost,
  percentProblem,
} from '../domain/network-list.ts';
import { secretKeyFromText } from '../domain/secrets.ts';
import { EMAIL, SHOP_FIELDS } from '../domain/shop.ts';
import { limitsAddressProblem } from '../limits/open.ts';
import { bucketAddress } from '../photos/bucket.ts';
import { databaseAddressProblem } from '../storage/address.ts';

/** A value that cannot be used. The message says what it must be and ends a sentence. */
export class WrongSetting extends Error {}

export function oneOf<const T extends string>(values: readonly T[]): (text: string) => T {
  return (text) => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new WrongSetting(`must be one of ${values.join(', ')}`);
    return found;
  };
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new WrongSetting(`must be a whole number from ${min} to ${max}`);
  };
}

/** Reads a word of its own meaning besides what `read` takes. */
function orWord<T, W>(read: (text: string) => T, word: string, meaning: W) {
  return (text: string): T | W => {
    if (text === word) return meaning;
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof WrongSetting)) throw error;
      throw new WrongSetting(`${error.message}, or ${word}`);
    }
  };
}

/** Reads a list that is separated by commas. `rule` is the message for any wrong item. */
function listOf<T>(read: (item: string) => T, rule: string): (text: string) => readonly T[] {
  return (text) => {
    try {
      return items(text).map(read);
    } catch (error) {
      throw error instanceof WrongSetting ? new WrongSetting(rule) : error;
    }
  };
}

/** A TCP port; 0 picks a free one. */
export const port = wholeNumber(0, 65_535);

/** Returns milliseconds. */
export function duration(text: string): number {
  const milliseconds = durationFromText(text);
  if (milliseconds === undefined) throw new WrongSetting('must be like 30s, 15m, 24h or 90d');
  return milliseconds;
}

/** Returns milliseconds; the bounds are durations too, such as `5s`. */
export function durationWithin(min: string, max: string): (text: string) => number {
  const [least, most] = [duration(min), duration(max)];
  return (text) => {
    const milliseconds = duration(text);
    if (milliseconds >= least && milliseconds <= most) return milliseconds;
    throw new WrongSetting(`must be from ${min} to ${max}`);
  };
}

/** The same; undefined for `off`. */
export function durationOrOff(min: string, max: string): (text: string) => number | undefined {
  return orWord(durationWithin(min, max), 'off', undefined);
}

/** Undefined if none is set. */
export function baseUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  const plain = url !== null && `${url.origin}${url.pathname}` === url.href;
  if (plain && /^https?:$/.test(url.protocol) && url.pathname === '/v1') return url.href;
  // Pages and cookies are at the root of the host.
  throw new WrongSetting(
    'must be an http or https address like https://shop.example/v1, with no other path before /v1',
  );
}

/** Web origins (RFC 6454), separated by commas; `*` is any. */
export const origins = listOf((origin) => {
  if (origin === '*' || URL.parse(origin)?.origin === origin) return origin;
  throw new WrongSetting('');
}, 'must be origins like https://shop.example, separated by commas');

/** Addresses and networks, separated by commas. */
export function networks(text: string): readonly string[] {
  const list = items(text);
  try {
    createNetworkList(list);
  } catch (error) {
    if (error instanceof RangeError) throw new WrongSetting(`is wrong: ${error.message}`);
    throw error;
  }
  return list;
}

/** The parts of a list that is separated by commas, without the empty ones. */
function items(text: string): readonly string[] {
  return text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
}

/** TCP ports, separated by commas. */
export const ports = listOf(
  wholeNumber(1, 65_535),
  'must be ports from 1 to 65535, separated by commas',
);

const WAITS_MAX = 30;
const WAITS_RULE = `must be up to ${WAITS_MAX} durations from 0s to 7d, like 5s,5m,1h`;
const waitList = listOf(durationWithin('0s', '7d'), WAITS_RULE);

/** Returns milliseconds; the durations are separated by commas. */
export function waits(text: string): readonly number[] {
  const list = waitList(text);
  if (list.length > WAITS_MAX) throw new WrongSetting(WAITS_RULE);
  return list;
}

/** Keys of 32 bytes as text, separated by commas, the newest first. */
export function secretKeys(text: string): readonly string[] {
  const list = items(text);
  if (list.every((key) => secretKeyFromText(key) !== undefined)) return list;
  throw new WrongSetting(
    'must be 32 bytes in base64 or hex, as `openssl rand -base64 32` prints; several are separated by commas, the newest first',
  );
}

/** Reads a text that `problemOf` finds nothing wrong with. */
function textWithout(problemOf: (text: string) => string | undefined): (text: string) => string {
  return (text) => {
    const problem = problemOf(text);
    if (problem !== undefined) throw new WrongSetting(problem);
    return text;
  };
}

export const databaseAddress = textWithout(databaseAddressProblem);
export const limitsAddress = textWithout(limitsAddressProblem);
/** Where to listen. */
export const hostName = textWithout((host) =>
  isHost(host)
    ? undefined
    : 'must be an IP address without brackets, or a host name, such as 127.0.0.1, ::1 or localhost',
);

/** The same of a setting that can be left out: undefined if it is. */
function optional(problemOf: (text: string) => string | undefined) {
  const read = textWithout(problemOf);
  return (text: string) => (text === '' ? undefined : read(text));
}

/** The tag of a language. */
export const contentLanguage = optional((text) => {
  const { pattern, rule } = SHOP_FIELDS.language;
  return pattern.test(text) ? undefined : `must be ${rule}`;
});

/** The path of a file. */
export const filePath = optional((path) =>
  /[\r\n]|-----BEGIN/.test(path) ? 'must be the path of a file, not its content' : undefined,
);

/** The port of `/metrics`. */
interface OperationsPort {
  /** Undefined turns the metrics off. */
  readonly number: number | undefined;
  /** The operator set it, so it must be free. */
  readonly explicit: boolean;
}

const OPERATIONS_PORT = 9_464;
const portOrOff = orWord(port, 'off', undefined);

export function operationsPort(text: string): OperationsPort {
  if (text === '') return { number: OPERATIONS_PORT, explicit: false };
  return { number: portOrOff(text), explicit: true };
}

interface Ports {
  readonly host?: string;
  readonly port?: number;
  readonly opsHost?: string;
  readonly opsPort?: OperationsPort;
}

const EVERY_ADDRESS: readonly (string | undefined)[] = ['0.0.0.0', '::'];

/** The interface and the metrics would need the same port of the same address. */
export function sharePort({ host, port, opsHost, opsPort }: Ports): boolean {
  if (port === undefined || port === 0 || port !== opsPort?.number) return false;
  return host === opsHost || EVERY_ADDRESS.includes(host) || EVERY_ADDRESS.includes(opsHost);
}

/** Reports two ports that were set to the same number. An unset metrics port just gives way. */
export function portProblems(ports: Ports): string[] {
  if (ports.opsPort?.explicit !== true || !sharePort(ports)) return [];
  return [`--port and --ops-port are both ${ports.port}: each needs its own port.`];
}

export function share(text: string): number {
  const value = /^(?:0|1|0?\.[0-9]{1,9}|1\.0{1,9})$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0) return value;
  throw new WrongSetting('must be a number from 0 to 1, for example 0.1');
}

/** Returns the passwords in an address, also of several hosts, as written and decoded. */
export function passwordsIn(address: string): readonly string[] {
  const [first = address] = addressesOfHosts(address);
  const url = URL.parse(first);
  const found = [url?.password, url?.searchParams.get('password')];
  return found.flatMap((password) => (password ? [password, decoded(password)] : []));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a bucket. */
export const photoAddress = optional((text) =>
  bucketAddress(text) ? undefined : 'must be like s3://BUCKET or s3://BUCKET/PREFIX',
);

/** A text that looks like the address of a bucket, or like another address, perhaps with a secret. */
const NO_FOLDER = /^\W*s3|^\w+:|:\/\/|:[^/:]*@/i;

/** A folder, or the address of a bucket. */
export const backupPlace = optional((text) =>
  !NO_FOLDER.test(text) || bucketAddress(text)
    ? undefined
    : 'must be the path of a folder (./s3 for one that begins with s3), or like s3://BUCKET or s3://BUCKET/PREFIX',
);

/** The address of a mail server. */
export const smtpAddress = optional((text) => {
  const url = URL.parse(text);
  const isPlain = url !== null && ['', '/'].includes(url.pathname) && url.search + url.hash === '';
  const isValid = isPlain && /^smtps?:$/.test(url.protocol) && isHost(url.hostname, '[]');
  const rule = 'must be like smtp://USER:PASSWORD@HOST:587 or smtps://HOST';
  return isValid ? percentProblem(text) : rule;
});

/** E-mail addresses, separated by commas. */
export const mailAddresses = listOf((address) => {
  if (EMAIL.pattern.test(address) && address.length <= EMAIL.max) return address;
  throw new WrongSetting('');
}, 'must be e-mail addresses, separated by commas');

/** An e-mail address; undefined if none is set. */
export function mailAddress(text: string): string | undefined {
  return mailAddresses(text)[0];
}
