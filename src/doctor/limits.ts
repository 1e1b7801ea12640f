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
  if (address === MEMORY) {
    return [good('Requests are counted in the memory of each instance.')];
  }
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
  const primary = `${host}:${remotePort}`;
  return good(`The sentinels of ${shown} name ${primary} as the primary.`);
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

/** Returns the findings for an engine from its reply to INFO and its round trip. */
export function engineFindings(info: string, roundTripMs: number): readonly Finding[] {
  const facts = new Map(
    info.split(/\r?\n/).flatMap((line): [string, string][] => {
      const [, name, value] = /^([a-z0-9_]+):(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value ?? '']];
    }),
  );
  const valkey = facts.get('valkey_version');
  const version = valkey ?? facts.get('redis_version') ?? 'unknown';
  const name = `It is ${valkey === undefined ? 'Redis' : 'Valkey'} ${version}.`;
  const isNew = Number.parseInt(version, 10) >= OLDEST_VERSION;
  const found = [
    isNew ? good(name) : bad(name, `Use Valkey, or Redis ${OLDEST_VERSION} or later.`),
  ];
  if ((facts.get('role') ?? 'master') !== 'master') {
    const todo = 'Name the primary in PETSTORE_LIMITS.';
    found.push(bad('It is a replica, which counts nothing.', todo));
  }
  const time = `A round trip took ${roundTripMs.toFixed(1)} ms.`;
  const late = `${time} After ${BOUND_MS} ms an instance counts by itself.`;
  const isQuick = roundTripMs <= BOUND_MS / 2;
  const nearer = 'Run it nearer to the service, or see what loads it.';
  found.push(isQuick ? good(time) : advice(late, nearer));
  const policy = facts.get('maxmemory_policy') ?? 'unknown';
  const kept = EVICTION.get(policy);
  const dropping = `Its maxmemory-policy is ${policy}: it drops counts and bans when memory is short.`;
  const set = `Set maxmemory-policy to ${[...EVICTION.keys()].join(' or ')}.`;
  found.push(kept === undefined ? bad(dropping, set) : good(kept));
  const losing = 'It has no append-only file, so it loses counts and bans when it restarts.';
  return facts.get('aof_enabled') === '1'
    ? [...found, good('Its counts survive a restart (append-only file).')]
    : [...found, advice(losing, 'Set appendonly to yes, unless that is acceptable.')];
}

/** The policies that keep the bans of keys, and what each of them drops. */
const EVICTION: ReadonlyMap<string, string> = new Map([
  ['noeviction', 'It drops no counts when memory is short.'],
  // It drops what expires first: counts of addresses live for minutes, those of keys for days.
  ['volatile-ttl', 'When memory is short, it drops counts of addresses first and of keys last.'],
]);

/** Why an address cannot be used and what to do about it. A certificate says why itself. */
const FAULTS: Readonly<Record<EngineFault, readonly [reason: string | undefined, todo: string]>> = {
  nobody: ['nothing answers there', 'Check that it runs, and listens on this address and port.'],
  silent: ['it does not answer in time', 'Find out what blocks it, or restart it.'],
  certificate: [
    undefined,
    'Set NODE_EXTRA_CA_CERTS to the file with the certificates of its authority.',
  ],
  password: ['it refuses this user or password', 'Correct user and password in PETSTORE_LIMITS.'],
  other: [
    'it is not a Valkey or Redis that this service may use',
    'Check the address in PETSTORE_LIMITS.',
  ],
};

function unusable(address: string, error: unknown): Finding {
  const { fault, reason } = problemOf(error);
  const shown = shownAddress(address);
  if (isSentinelAddress(address) && reason.includes('sentinels')) {
    const todo = 'Check the sentinels and the name in PETSTORE_LIMITS.';
    return bad(`${shown} cannot be used: ${reason}`, todo);
  }
  const [said = reason, todo] = FAULTS[fault];
  const found = `${shown} cannot be used: ${said}.`;
  return bad(found, `${todo} Until then each instance counts by itself.`);
}
