import type { RedisOptions } from 'ioredis';
import { addressesOfHosts } from '../domain/network-list.ts';

const SENTINEL = /^(rediss?)\+sentinel:\/\//;
/** The name of the primary, and the number of a database. */
const PATH = /^\/([\w.-]+)(?:\/([0-9]{1,4}))?$/;
const DEFAULT_PORT = 6_379;
const SENTINEL_PORT = 26_379;

/** Returns true if sentinels say where the engine is. */
export function isSentinelAddress(address: string): boolean {
  return SENTINEL.test(address);
}

/** Returns true for an address such as `redis+sentinel://a:26379,b:26379/mymaster`. */
export function isValidSentinelAddress(address: string): boolean {
  return (
    isSentinelAddress(address) &&
    addressesOfHosts(address).every((each) => {
      const url = URL.parse(each);
      const isPlain = url?.search === '' && url.hash === '';
      return isPlain && url.hostname !== '' && PATH.test(url.pathname);
    })
  );
}

/** Returns an address without user and password, for messages. */
export function shownAddress(address: string): string {
  if (isSentinelAddress(address)) return address.replace(/\/\/.*@/s, '//');
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}

/** Returns what the client needs to connect to a valid address. The sentinels get no user and password. */
export function connectionOptions(address: string): Omit<RedisOptions, 'replyMapping'> {
  const urls = (isSentinelAddress(address) ? addressesOfHosts(address) : [address]).map(
    (each) => new URL(each),
  );
  const [first] = urls;
  if (first === undefined) throw new TypeError('an address without a host');
  const who = {
    ...(first.username !== '' && { username: decodeURIComponent(first.username) }),
    ...(first.password !== '' && { password: decodeURIComponent(first.password) }),
    ...(first.protocol.startsWith('rediss') && { tls: {} }),
  };
  if (!isSentinelAddress(address)) {
    const port = Number(first.port || DEFAULT_PORT);
    return { ...who, host: hostOf(first), port, db: Number(first.pathname.slice(1)) };
  }
  const [, name = '', database = '0'] = PATH.exec(first.pathname) ?? [];
  const sentinels = urls.map((url) => ({
    host: hostOf(url),
    port: Number(url.port || SENTINEL_PORT),
  }));
  const encrypted = 'tls' in who && { sentinelTLS: {}, enableTLSForSentinelMode: true };
  return { ...who, ...encrypted, sentinels, name, db: Number(database) };
}

/** Sockets take an IPv6 address without the brackets of a URL. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');
