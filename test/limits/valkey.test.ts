import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Limiter } from '../../src/domain/allowance.ts';
import type { Caller } from '../../src/domain/api-key.ts';
import { DAY_MS } from '../../src/domain/clock.ts';
import { openValkeyLimiter, UnreachableLimits } from '../../src/limits/valkey.ts';
import { freePort } from '../support/free-port.ts';
import { atOnceConformance } from './at-once-conformance.ts';
import { type LimiterUnderTest, limiterConformance, NOON, RULES } from './conformance.ts';
import { familyConformance } from './family-conformance.ts';
import { startValkey, type ValkeyServer } from './valkey-server.ts';

/** Long enough that a busy machine never reaches the bound in tests of counts. */
const PATIENT_MS = 10_000;

let server: ValkeyServer;
let keys = 0;

/** A caller with an unused key. */
function newCaller(perMinute: number, perDay: number): Caller {
  const plan = { name: 'enterprise', perMinute, perDay } as const;
  const keyId = BigInt(++keys);
  return {
    keyId,
    familyId: keyId,
    scopes: ['write'],
    plan,
    unbannedAt: null,
    name: 'a test',
    expiresAt: null,
  };
}

const silent = { info: () => undefined, warn: () => undefined };

function openPatient(rules = RULES): Promise<Limiter> {
  const { address } = server;
  const patient = { boundMs: PATIENT_MS, time: 'caller', log: silent } as const;
  return openValkeyLimiter({ address, environment: 'production', rules, ...patient });
}

/** The Valkey limiter on an empty server. Closing and killing it are the same. */
async function openEmpty(rules = RULES): Promise<LimiterUnderTest> {
  await server.command('FLUSHALL');
  let limiter = await openPatient(rules);
  return {
    limiter: {
      charge: (caller, now) => limiter.charge(caller, now),
      peek: (caller, now) => limiter.peek(caller, now),
      chargeAddress: (group, now) => limiter.chargeAddress(group, now),
      peekAddress: (group, now) => limiter.peekAddress(group, now),
      flush: () => limiter.flush(),
      report: (keyIds) => limiter.report(keyIds),
      sharing: () => limiter.sharing(),
      close: () => limiter.close(),
    },
    async restart() {
      await limiter.close();
      limiter = await openPatient(rules);
    },
    caller: async (perMinute, perDay) => newCaller(perMinute, perDay),
    async [Symbol.asyncDispose]() {
      expect(limiter.sharing()).toEqual({ shared: true, outages: 0, localFallbacks: 0 });
      await limiter.close();
    },
  };
}

describe(`Valkey`, () => {
  beforeAll(async () => {
    server = await startValkey();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  limiterConformance('Valkey', openEmpty);
  atOnceConformance('Valkey', openEmpty);
  familyConformance('Valkey', openEmpty);

  test('500 concurrent requests at three instances are granted 60, each remaining once', async () => {
    await server.command('FLUSHALL');
    const limiters = await Promise.all([openPatient(), openPatient(), openPatient()]);
    const caller = newCaller(60, 1_000);
    const decisions = await Promise.all(
      Array.from({ length: 500 }, (_, i) => limiters[i % 3]?.charge(caller, NOON)),
    );
    const granted = decisions.filter((decision) => decision?.refusal === undefined);
    const remaining = granted.map((decision) => decision?.quota.minute.remaining ?? -1);
    expect(remaining.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
    // 440 refusals: the 60th bans, and the ban holds at every instance.
    for (const limiter of limiters) {
      expect((await limiter.charge(caller, NOON)).refusal).toBe('banned');
      await limiter.close();
    }
  });

  test('concurrent requests are charged in one call for each key', async () => {
    await using under = await openEmpty();
    const [one, two] = [newCaller(1_000, 10_000), newCaller(1_000, 10_000)];
    const calls = async () => {
      const stats = String(await server.command('INFO', 'commandstats'));
      return Number(/cmdstat_evalsha:calls=([0-9]+)/.exec(stats)?.[1]);
    };
    const before = await calls();
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => under.limiter.charge(n % 2 ? one : two, NOON)),
    );
    expect((await calls()) - before).toBe(2);
    const { quota } = await under.limiter.charge(one, NOON);
    expect(quota.day?.remaining).toBe(9_949);
  });

  test('scripts are sent again to a server that has lost them', async () => {
    await using under = await openEmpty();
    const caller = newCaller(60, 1_000);
    await under.limiter.charge(caller, NOON);
    await server.command('SCRIPT', 'FLUSH');
    const decisions = await Promise.all(
      Array.from({ length: 20 }, async () => under.limiter.charge(caller, NOON)),
    );
    expect(decisions.map(({ quota }) => quota.minute.remaining).toSorted()).toEqual(
      Array.from({ length: 20 }, (_, i) => 39 + i),
    );
  });

  test('follows the clock of the server, not of the instance', async () => {
    const { address } = server;
    const patient = { boundMs: PATIENT_MS, log: silent, time: 'server' } as const;
    const limiter = await openValkeyLimiter({
      ...patient,
      address,
      environment: 'production',
      rules: RULES,
    });
    const { quota } = await limiter.charge(newCaller(60, 1_000), NOON);
    expect(Math.abs(quota.at - Date.now())).toBeLessThan(10_000);
    expect(quota.minute.resetsAt).toBeGreaterThan(quota.at);
    expect((await limiter.peekAddress('192.0.2.9', NOON)).at).toBeLessThan(Date.now() + 10_000);
    await limiter.close();
  });

  test('stores nothing forever, and bans and their doubling while they matter', async () => {
    await using under = await openEmpty();
    const caller = newCaller(1, 1_000);
    const ttl = async (key: string) => Number(await server.command('PTTL', key));
    await under.limiter.charge(caller, NOON);
    await under.limiter.chargeAddress('192.0.2.1', NOON);
    const key = `petstore:production:key:{${caller.keyId}}`;
    expect(await ttl(key)).toBeWithin(2 * DAY_MS - 60_000, 2 * DAY_MS + 1);
    expect(await ttl('petstore:production:address:{192.0.2.1}')).toBeWithin(1, 180_001);
    for (let ban = 0; ban < 9; ban++) {
      const { bannedUntil = NOON } = await under.limiter.peek(caller, NOON);
      for (let i = 0; i < 62; i++) await under.limiter.charge(caller, bannedUntil);
    }
    expect(await ttl(key)).toBeWithin(2 * DAY_MS - 60_000, 2 * DAY_MS + 1);
    const all = (await server.command('KEYS', '*')) as string[]; // KEYS returns a list of names.
    for (const name of all) expect(await ttl(name)).toBeGreaterThan(0);
  });

  test('the two deployments share nothing on one server', async () => {
    await server.command('FLUSHALL');
    const production = await openPatient();
    const { address } = server;
    const staging = await openValkeyLimiter({
      address,
      rules: RULES,
      boundMs: PATIENT_MS,
      log: silent,
      environment: 'staging',
      time: 'caller',
    });
    const caller = newCaller(60, 1_000);
    await production.charge(caller, NOON);
    expect((await staging.peek(caller, NOON)).minute.remaining).toBe(60);
    await Promise.all([production.close(), staging.close()]);
  });

  test('reports the counts of keys, or that it cannot', async () => {
    await using under = await openEmpty();
    const [used, unused] = [newCaller(2, 1_000), newCaller(2, 1_000)];
    for (let i = 0; i < 3; i++) await under.limiter.charge(used, NOON);
    const reported = await under.limiter.report([used.keyId, unused.keyId]);
    expect(reported).toHaveLength(1);
    expect(reported[0]).toMatchObject({ keyId: used.keyId, refusals: 1, bannedUntil: 0 });
    expect(reported[0]?.day).toMatchObject({ start: Date.UTC(2027, 2, 3), used: 2 });

    const nowhere = await openValkeyLimiter({
      address: 'redis://shop:s3cret@127.0.0.1:1',
      environment: 'production',
      rules: RULES,
      time: 'caller',
      log: silent,
    });
    const failing = async () => nowhere.report([used.keyId]);
    expect(failing()).rejects.toThrow(UnreachableLimits);
    expect(failing()).rejects.toThrow('the limits at redis://127.0.0.1:1 cannot be read');
    await nowhere.close();
  });

  test('stores all of a key in one slot of a cluster', async () => {
    // Without a port of its own, the bus of the cluster takes one of those for outgoing connections.
    const bus = ['--cluster-port', String(freePort())];
    await using cluster = await startValkey('--cluster-enabled', 'yes', ...bus);
    await cluster.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    while (!String(await cluster.command('CLUSTER', 'INFO')).includes('cluster_state:ok')) {
      await Bun.sleep(20);
    }
    const limiter = await openValkeyLimiter({
      address: cluster.address,
      environment: 'production',
      rules: RULES,
      boundMs: PATIENT_MS,
      time: 'caller',
      log: silent,
    });
    for (let i = 0; i < 10; i++) {
      const { quota } = await limiter.charge(newCaller(60, 1_000), NOON);
      expect(quota.minute.remaining).toBe(59);
      await limiter.chargeAddress(`192.0.2.${i}`, NOON);
    }
    expect(limiter.sharing()).toEqual({ shared: true, outages: 0, localFallbacks: 0 });
    await limiter.close();
  });
});
