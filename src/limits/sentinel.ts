import { RedisClient } from 'bun';
import { addressesOfHosts } from '../domain/network-list.ts';

const SENTINEL = /^(rediss?)\+sentinel:\/\//;
/** The name of the primary, and the number of a database. */
const PATH = /^\/([\w.-]+)(\/[0-9]{1,4})?$/;
/** Bounds the question to one sentinel. */
const SENTINEL_MS = 300;

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

/**
 * Asks each sentinel in turn where the primary is, and returns its address. User and password in the
 * address are those of the engine; the sentinels get none. Throws if none of them knows.
 */
export async function primaryAddress(address: string): Promise<string> {
  const problems: string[] = [];
  for (const each of addressesOfHosts(address)) {
    const url = new URL(each);
    const scheme = SENTINEL.exec(each)?.[1] ?? '';
    const [, name = '', database = ''] = PATH.exec(url.pathname) ?? [];
    const user = /\/\/(.*@)?/s.exec(each)?.[1] ?? '';
    try {
      const { host, port } = await ask(`${scheme}://${url.hostname}:${url.port || 26_379}`, name);
      return `${scheme}://${user}${host}:${port}${database}`;
    } catch (error) {
      problems.push(`${url.host}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(`no sentinel names the primary (${problems.join('; ')})`);
}

async function ask(sentinel: string, name: string): Promise<{ host: string; port: string }> {
  const client = new RedisClient(sentinel, {
    autoReconnect: false,
    enableOfflineQueue: false,
    connectionTimeout: SENTINEL_MS,
  });
  const late = setTimeout(() => client.close(), SENTINEL_MS);
  try {
    await client.connect();
    const found = await client.send('SENTINEL', ['get-master-addr-by-name', name]);
    if (!Array.isArray(found)) throw new Error(`it knows no ${name}`);
    const [host, port] = found.map(String);
    if (host === undefined || port === undefined) throw new Error(`it knows no ${name}`);
    return { host: host.includes(':') ? `[${host}]` : host, port };
  } finally {
    clearTimeout(late);
    client.close();
  }
}

/** Throws unless an engine is a primary: a sentinel may still name one that was replaced. */
export async function expectPrimary(client: RedisClient): Promise<void> {
  const role = await client.send('ROLE', []);
  if (!Array.isArray(role) || role[0] !== 'master') throw new Error('it is a replica');
}
