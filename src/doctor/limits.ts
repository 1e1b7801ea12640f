import { isIPv6 } from 'node:net';
import type { Redis } from 'ioredis';
import { SECOND_MS } from '../domain/clock.ts';
import { isSentinelAddress, shownAddress } from '../limits/engine-address.ts';
import { MEMORY } from '../limits/open.ts';
import { BOUND_MS } from '../limits/valkey.ts';
import { createClient, type EngineFault, problemOf } from '../limits/valkey-link.ts';
import { clockDifference } from './clock.ts';
import { type Finding, findingsOf } from './finding.ts';

const { good, advice, bad } = findingsOf('limits');

const OLDEST_VERSION = 7;
const ATTEMPT_MS = 2 * SECOND_MS;

/** Inspects the engine that counts requests. Never throws. */
export async function inspectLimits(address: string): Promise<readonly Finding[]> {
  if (address === MEMORY) return [good('Requests are counted in the memory of each instance.')];
  const client = createClient(address, ATTEMPT_MS);
  let failure: unknown;
  client.on('error', (error) => {
    failure = error;
  });
  try {
    await client.connect();
    return [accepted(address, client), ...(await inspectEngine(client))];
  } catch (error) {
    // The client says that the connection was closed, and why in an event before.
    return [unusable(address, failure ?? error)];
  } finally {
    client.disconnect();
  }
}

function accepted(address: string, { stream }: Redis): Finding {
  const shown = shownAddress(address);
  if (!isSentinelAddress(address)) return good(`${shown} accepts the connection.`);
  const { remoteAddress = '', remotePort } = stream;
  const host = isIPv6(remoteAddress) ? `[${remoteAddress}]` : remoteAddress;
  return good(`The sentinels of ${shown} name ${host}:${remotePort} as the primary.`);
}

async function inspectEngine(client: Redis): Promise<readonly Finding[]> {
  await client.ping();
  const asked = Date.now();
  const begun = performance.now();
  const [seconds, microseconds] = (await client.time()).map(Number);
  const roundTrip = performance.now() - begun;
  const theirs = (seconds ?? 0) * SECOND_MS + (microseconds ?? 0) / 1_000;
  return [
    ...engineFindings(await client.info(), roundTrip),
    clockDifference('the limits engine', theirs - (asked + roundTrip / 2)),
  ];
}

/** The policies that keep the bans of keys, and what each of them drops. */
const EVICTION: Readonly<Partial<Record<string, string>>> = {
  noeviction: 'It drops no counts when memory is short.',
  // It drops what expires first: counts of addresses live for minutes, those of keys for days.
  'volatile-ttl': 'When memory is short, it drops counts of addresses first and of keys last.',
};

/** Returns the findings for an engine from its reply to INFO and its round trip. */
export function* engineFindings(info: string, roundTripMs: number): Generator<Finding> {
  const fact = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  const valkey = fact('valkey_version');
  const version = valkey ?? fact('redis_version') ?? 'unknown';
  const judge = Number.parseInt(version, 10) >= OLDEST_VERSION ? good : bad;
  yield judge(`It is ${valkey === undefined ? 'Redis' : 'Valkey'} ${version}.
    → Use Valkey, or Redis ${OLDEST_VERSION} or later.`);
  if ((fact('role') ?? 'master') !== 'master') {
    yield bad(`It is a replica, which counts nothing.
      → Name the primary in PETSTORE_LIMITS.`);
  }
  const time = `A round trip took ${roundTripMs.toFixed(1)} ms.`;
  yield roundTripMs <= BOUND_MS / 2
    ? good(time)
    : advice(`${time} After ${BOUND_MS} ms an instance counts by itself.
        → Run it nearer to the service, or see what loads it.`);
  const policy = fact('maxmemory_policy') ?? 'unknown';
  const kept = EVICTION[policy];
  yield kept !== undefined
    ? good(kept)
    : bad(`Its maxmemory-policy is ${policy}: it drops counts and bans when memory is short.
        → Set maxmemory-policy to ${Object.keys(EVICTION).join(' or ')}.`);
  yield fact('aof_enabled') === '1'
    ? good('Its counts survive a restart (append-only file).')
    : advice(`It has no append-only file, so it loses counts and bans when it restarts.
        → Set appendonly to yes, unless that is acceptable.`);
}

/** Why an address cannot be used and what to do about it. A certificate says why itself. */
const FAULTS: Readonly<Record<EngineFault, (reason: string) => string>> = {
  nobody: () => `nothing answers there.
    → Check that it runs, and listens on this address and port.`,
  silent: () => `it does not answer in time.
    → Find out what blocks it, or restart it.`,
  certificate: (reason) => `${reason}.
    → Set NODE_EXTRA_CA_CERTS to the file with the certificates of its authority.`,
  password: () => `it refuses this user or password.
    → Correct user and password in PETSTORE_LIMITS.`,
  other: () => `it is not a Valkey or Redis that this service may use.
    → Check the address in PETSTORE_LIMITS.`,
};

function unusable(address: string, error: unknown): Finding {
  const { fault, reason } = problemOf(error);
  const shown = shownAddress(address);
  if (isSentinelAddress(address) && reason.includes('sentinels')) {
    return bad(`${shown} cannot be used: ${reason}
      → Check the sentinels and the name in PETSTORE_LIMITS.`);
  }
  const told = FAULTS[fault](reason);
  return bad(`${shown} cannot be used: ${told} Until then each instance counts by itself.`);
}
