import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createLedger, type Ledger } from '../e2e/crash/ledger.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { untilState } from './haproxy.ts';
import { type FailureKind, startTraffic, type Traffic } from './traffic.ts';

/** Everything must work again this soon after a repair. */
const RECOVERY_MS = 5_000;
/** Longest response time while the database is down, plus an allowance for a slow machine. */
const PROMISED_MS = 2_000 + 1_500;
/** Recovered after this time without a failure. */
const CALM_MS = 1_000;

describe(`three instances under load survive`, () => {
  let cluster: Cluster;
  let ledger: Ledger;
  beforeAll(async () => {
    cluster = await startCluster();
    ledger = createLedger();
  }, 60_000);
  afterAll(() => cluster?.[Symbol.asyncDispose](), 60_000);

  /** Waits until requests succeed again; returns how long after now the last failure came. */
  async function recovery(traffic: Traffic): Promise<number> {
    const start = performance.now();
    const servedBefore = traffic.served;
    const isCalm = () =>
      performance.now() - Math.max(start, traffic.lastFailureAt) > CALM_MS &&
      traffic.served > servedBefore;
    while (!isCalm()) {
      if (performance.now() - start > 3 * RECOVERY_MS) throw new Error('it does not recover');
      await Bun.sleep(20);
    }
    return Math.max(0, traffic.lastFailureAt - start);
  }

  interface Fault {
    /** Breaks it; returns the repair. */
    breakIt(): Disposable | Promise<Disposable | AsyncDisposable>;
    /** Runs while it stays broken. */
    meanwhile?(): Promise<void>;
    /** The failures that requests may see meanwhile. */
    readonly allowed: readonly FailureKind[];
    /** Longest response time allowed meanwhile. */
    readonly slowestMs: number;
  }

  /** Breaks something under load and repairs it. Every acknowledged write must still be there. */
  async function survive(name: string, fault: Fault): Promise<Traffic> {
    await using traffic = startTraffic(cluster, ledger);
    await Bun.sleep(300);
    expect([...traffic.failures]).toEqual([]);
    {
      await using _away = await fault.breakIt();
      await fault.meanwhile?.();
    }
    const recovered = await recovery(traffic);
    const slowest = traffic.takeSlowest();
    await traffic.end();
    const seen = Bun.inspect(Object.fromEntries(traffic.failures), { compact: true });
    const figures = [
      `${traffic.served} served`,
      `failures ${seen}`,
      `slowest response ${Math.round(slowest)} ms`,
      `last failure ${Math.round(recovered)} ms after the end`,
    ];
    console.log(`${name}: ${figures.join(', ')}`);
    expect(ledger.problems.splice(0)).toEqual([]);
    expect([...traffic.failures.keys()].filter((kind) => !fault.allowed.includes(kind))).toEqual(
      [],
    );
    expect(recovered).toBeLessThan(RECOVERY_MS);
    expect(slowest).toBeLessThan(fault.slowestMs);
    return traffic;
  }

  const unavailable = { allowed: [503], slowestMs: PROMISED_MS };
  const unnoticed = { allowed: [], slowestMs: PROMISED_MS };

  test('a restart of PostgreSQL', async () => {
    await survive('PostgreSQL restarted', {
      ...unavailable,
      breakIt: () => cluster.postgres.stop('fast'),
    });
  }, 60_000);

  test('PostgreSQL killed and started again', async () => {
    const traffic = await survive('PostgreSQL killed', {
      ...unavailable,
      breakIt: () => cluster.postgres.kill(),
      meanwhile: () => Bun.sleep(2_500),
    });
    expect(traffic.failures.get(503)).toBeGreaterThan(0);
  }, 60_000);

  test('PostgreSQL paused for 5 s', async () => {
    const traffic = await survive('PostgreSQL paused', {
      ...unavailable,
      breakIt: () => cluster.postgres.pause(),
      meanwhile: () => Bun.sleep(5_000),
    });
    expect(traffic.failures.get(503)).toBeGreaterThan(0);
  }, 60_000);

  test('Valkey killed and started again', async () => {
    await survive('Valkey killed', {
      ...unnoticed,
      breakIt: () => cluster.valkey.kill(),
      meanwhile: () => Bun.sleep(1_000),
    });
  }, 60_000);

  test('Valkey paused', async () => {
    await survive('Valkey paused', {
      ...unnoticed,
      breakIt: () => cluster.valkey.pause(),
      meanwhile: () => Bun.sleep(1_500),
    });
  }, 60_000);

  test('one instance killed', async () => {
    await survive('one instance killed', {
      // A write in flight on the dead instance: the outcome is unknown.
      allowed: [503, 'no response'],
      slowestMs: PROMISED_MS,
      breakIt: () => cluster.instances[0].kill(),
      meanwhile: () => Bun.sleep(2_000),
    });
  }, 60_000);

  test('one instance paused', async () => {
    const { proxy } = cluster;
    let before = 0;
    await survive('one instance paused', {
      allowed: [503],
      slowestMs: 8_000,
      breakIt() {
        before = proxy.log().length;
        return cluster.instances[1].pause();
      },
      async meanwhile() {
        const start = performance.now();
        await untilState(proxy, 1, 'DOWN', before);
        const took = performance.now() - start;
        console.log(`one instance paused: taken out after ${Math.round(took)} ms`);
        expect(took).toBeLessThan(RECOVERY_MS);
        // Longer than the proxy waits for a response.
        await Bun.sleep(6_500);
      },
    });
  }, 60_000);

  test('a rolling restart of all of them, without one failed request', async () => {
    await using traffic = startTraffic(cluster, ledger);
    await Bun.sleep(300);
    const before = performance.now();
    const logged = () => cluster.proxy.log().length;
    const loggedBefore = logged();
    for (const [i, instance] of cluster.instances.entries()) {
      const since = logged();
      expect(await instance.terminate()).toBe(0);
      await instance.start();
      await untilState(cluster.proxy, i, 'UP', since);
    }
    await recovery(traffic);
    const took = performance.now() - before;
    await traffic.end();
    console.log(`rolling restart: ${traffic.served} served in ${Math.round(took)} ms`);
    expect(ledger.problems.splice(0)).toEqual([]);
    if (traffic.failures.size > 0) {
      // Show which instance failed, and the proxy's view of the instances.
      const lines = cluster.proxy.log().slice(loggedBefore).split('\n');
      console.log(lines.filter((line) => /^Server| 5\d\d /.test(line)).join('\n'));
    }
    expect(Object.fromEntries(traffic.failures)).toEqual({});
  }, 60_000);
});
