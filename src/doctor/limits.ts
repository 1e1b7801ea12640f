import { RedisClient } from 'bun';
import { SECOND_MS } from '../domain/clock.ts';
import { MEMORY } from '../limits/open.ts';
import { isSentinelAddress, primaryAddress } from '../limits/sentinel.ts';
import { BOUND_MS } from '../limits/valkey.ts';
import { certificateProblem, type Presence, probe } from '../limits/valkey-endpoint.ts';
import { shownAddress } from '../limits/valkey-link.ts';
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
  if (isSentinelAddress(address)) return await inspectNamed(address);
  const client = new RedisClient(address, {
    autoReconnect: false,
    enableOfflineQueue: false,
    connectionTimeout: ATTEMPT_MS,
  });
  const late = setTimeout(() => client.close(), ATTEMPT_MS);
  try {
    await client.connect();
    const findings = await inspectEngine(client);
    return [good(`${shownAddress(address)} accepts the connection.`), ...findings];
  } catch {
    return [await unusable(address)];
  } finally {
    clearTimeout(late);
    client.close();
  }
}

/** Inspects the engine that the sentinels of an address name. */
async function inspectNamed(address: string): Promise<readonly Finding[]> {
  const shown = shownAddress(address);
  try {
    const named = await primaryAddress(address);
    const found = `The sentinels of ${shown} name ${shownAddress(named)} as the primary.`;
    return [good(found), ...(await inspectLimits(named))];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const todo = 'Check the sentinels and the name in PETSTORE_LIMITS.';
    return [bad(`${shown} cannot be used: ${reason}.`, todo)];
  }
}

async function inspectEngine(client: RedisClient): Promise<readonly Finding[]> {
  await client.send('PING', []);
  const asked = Date.now();
  const begun = performance.now();
  const time = await client.send('TIME', []);
  const roundTrip = performance.now() - begun;
  const [seconds = 0, microseconds = 0] = Array.isArray(time) ? time.map(Number) : [];
  const theirs = seconds * SECOND_MS + microseconds / 1_000;
  return [
    ...engineFindings(String(await client.send('INFO', [])), roundTrip),
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

/** Why an address cannot be used and what to do about it, by what is there. */
const REASONS: Readonly<Record<Presence, readonly [reason: string, todo: string]>> = {
  nobody: ['nothing answers there', 'Check that it runs, and listens on this address and port.'],
  silent: ['it does not answer in time', 'Find out what blocks it, or restart it.'],
  password: ['it refuses this user or password', 'Correct user and password in PETSTORE_LIMITS.'],
  other: [
    'it is not a Valkey or Redis that this service may use',
    'Check the address in PETSTORE_LIMITS.',
  ],
};

async function unusable(address: string): Promise<Finding> {
  const certificate = await certificateProblem(address, ATTEMPT_MS);
  const [reason, todo] =
    certificate === undefined
      ? REASONS[await probe(address, ATTEMPT_MS)]
      : [
          certificate,
          'Set NODE_EXTRA_CA_CERTS to the file with the certificates of its authority.',
        ];
  const found = `${shownAddress(address)} cannot be used: ${reason}.`;
  return bad(found, `${todo} Until then each instance counts by itself.`);
}
