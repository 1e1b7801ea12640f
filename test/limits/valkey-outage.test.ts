import { describe, expect, test } from 'bun:test';
import type { Decision, Limiter } from '../../src/domain/allowance.ts';
import type { Caller } from '../../src/domain/api-key.ts';
import { BOUND_MS, openValkeyLimiter } from '../../src/limits/valkey.ts';
import { eventually } from '../support/eventually.ts';
import { startProcessClock } from '../support/process-clock.ts';
import { NOON, RULES } from './conformance.ts';
import { startValkey, type ValkeyServer } from './valkey-server.ts';

const plan = { name: 'enterprise', perMinute: 1_000_000, perDay: 100_000_000 } as const;
const caller: Caller = {
  keyId: 1n,
  familyId: 1n,
  scopes: ['write'],
  plan,
  unbannedAt: null,
  name: 'a test',
  expiresAt: null,
};

/** On a busy machine, a healthy server may exceed the deadline used in production. */
const PATIENT_BOUND_MS = 1_500;
const TIMEOUT_MS = 60_000;

interface OpenLimiter extends Limiter, AsyncDisposable {
  /** The lines it logged. */
  readonly logged: readonly string[];
}

async function openLimiter(address: string): Promise<OpenLimiter> {
  const logged: string[] = [];
  const log = {
    info: (message: string) => logged.push(`info: ${message}`),
    warn: (message: string) => logged.push(`warn: ${message}`),
  };
  const limiter = await openValkeyLimiter({
    address,
    environment: 'production',
    rules: RULES,
    time: 'caller',
    log,
    boundMs: PATIENT_BOUND_MS,
  });
  return { ...limiter, logged, [Symbol.asyncDispose]: async () => await limiter.close() };
}

const LOST = 'warn: shared limits are lost; this instance counts alone';
const AGAIN = 'info: limits are shared again; counts made meanwhile are dropped';

/** Sends requests without a pause; `stop` returns the time that the slowest took. */
function startTraffic(limiter: Limiter) {
  const clock = startProcessClock();
  let stopped = false;
  let responses = 0;
  let slowest = 0;
  async function sendRequests(): Promise<void> {
    while (!stopped) {
      const before = clock.now();
      const { refusal } = await limiter.charge(caller, NOON);
      expect(refusal).toBeUndefined();
      slowest = Math.max(slowest, clock.now() - before);
      responses++;
      await Bun.sleep(1);
    }
  }
  const clients = Array.from({ length: 8 }, sendRequests);
  async function stop(): Promise<number> {
    stopped = true;
    await Promise.all(clients);
    clock[Symbol.dispose]();
    return slowest;
  }
  return {
    get responses() {
      return responses;
    },
    stop,
    // After a failed test, its clients must not run on into the next one.
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

const until = (condition: () => boolean) => eventually(condition, Boolean);
const shared = (limiter: Limiter) => limiter.sharing()?.shared === true;
const usedOf = ({ quota }: Decision) => plan.perMinute - quota.minute.remaining;

/** Breaks the server under load and restores it; no request may fail or wait long. */
async function outage(
  server: ValkeyServer,
  breakServer: () => Disposable | Promise<Disposable | AsyncDisposable>,
): Promise<void> {
  await using limiter = await openLimiter(server.address);
  await using traffic = startTraffic(limiter);
  await until(() => traffic.responses > 50);
  {
    await using _away = await breakServer();
    await until(() => !shared(limiter));
    const before = traffic.responses;
    // After the loss is noticed, requests no longer wait for the server.
    await until(() => traffic.responses > before + 200);
    expect(limiter.logged).toEqual([LOST]);
  }
  await until(() => shared(limiter));
  const slowest = await traffic.stop();
  expect(slowest).toBeLessThan(2 * PATIENT_BOUND_MS);
  expect(limiter.logged).toEqual([LOST, AGAIN]);
  expect(limiter.sharing()).toMatchObject({ outages: 1 });
  expect(limiter.sharing()?.localFallbacks).toBeGreaterThan(200);
}

test('a limiter that is closed has lost nothing', async () => {
  await using server = await startValkey();
  const limiter = await openLimiter(server.address);
  await limiter.charge(caller, NOON);
  await limiter.close();
  await until(() => !shared(limiter));
  // By now the connection has ended.
  await eventually(
    async () =>
      String(await server.command('CLIENT', 'LIST'))
        .trim()
        .split('\n').length,
    (clients) => clients === 1,
  );
  expect([limiter.logged, limiter.sharing()?.outages]).toEqual([[], 0]);
});

describe(`Valkey down`, () => {
  test(
    'killed and restarted under load',
    async () => {
      await using server = await startValkey();
      await outage(server, server.kill);
    },
    TIMEOUT_MS,
  );

  test(
    'hung under load',
    async () => {
      await using server = await startValkey();
      await outage(server, server.pause);
    },
    TIMEOUT_MS,
  );

  test(
    'counts from the outage are not merged; earlier ones are retained',
    async () => {
      await using server = await startValkey();
      await using limiter = await openLimiter(server.address);
      for (let i = 0; i < 3; i++) await limiter.charge(caller, NOON);
      {
        using _away = server.pause();
        // The hung server may count this request as well; the limiter cannot know.
        const first = await limiter.charge(caller, NOON);
        expect(usedOf(first)).toBe(4);
        expect(usedOf(await limiter.charge(caller, NOON))).toBe(5);
        expect((await limiter.chargeAddress('192.0.2.1', NOON)).quota.minute.remaining).toBe(59);
        expect((await limiter.peekAddress('192.0.2.1', NOON)).minute.remaining).toBe(59);
      }
      await until(() => shared(limiter));
      expect(usedOf(await limiter.charge(caller, NOON))).toBeWithin(4, 6);
    },
    TIMEOUT_MS,
  );

  test(
    'an instance goes on from the counts and the ban that Valkey told it last',
    async () => {
      await using server = await startValkey();
      await using limiter = await openLimiter(server.address);
      const free = { ...caller, plan: { name: 'enterprise', perMinute: 3, perDay: 9 } } as const;
      const other = { ...free, familyId: 2n };
      const address = '192.0.2.1';
      const refusals = async (who: Caller, times: number) => {
        for (let n = 0; n < times; n++) await limiter.charge(who, NOON);
        return (await limiter.charge(who, NOON)).refusal;
      };
      expect(await refusals(free, 3 + RULES.banRefusals)).toBe('banned');
      expect(await refusals(other, 1)).toBeUndefined();
      for (let n = 0; n < RULES.anonymousPerMinute; n++) await limiter.chargeAddress(address, NOON);
      using _away = server.pause();
      expect((await limiter.charge(free, NOON)).refusal).toBe('banned');
      await until(() => !shared(limiter));
      // A request that waited for the engine, and those after it.
      expect(await refusals(other, 1)).toBe('minute');
      expect((await limiter.chargeAddress(address, NOON)).refusal).toBe('minute');
      expect((await limiter.charge({ ...free, unbannedAt: NOON }, NOON)).refusal).toBe('minute');
      // The minute is another one then, and the day the same.
      const next = await limiter.charge(free, NOON + RULES.banSeconds * 1_000);
      expect([next.refusal, next.quota.day?.remaining]).toEqual([undefined, 5]);
    },
    TIMEOUT_MS,
  );

  test(
    'down at the start, up later',
    async () => {
      await using server = await startValkey();
      const away = await server.kill();
      await using limiter = await openLimiter(server.address);
      expect(usedOf(await limiter.charge(caller, NOON))).toBe(1);
      expect((await limiter.peek(caller, NOON)).minute.remaining).toBe(plan.perMinute - 1);
      expect(limiter.sharing()).toEqual({ shared: false, outages: 1, localFallbacks: 2 });
      await away[Symbol.asyncDispose]();
      await until(() => shared(limiter));
      expect(limiter.logged).toEqual([LOST, AGAIN]);
    },
    TIMEOUT_MS,
  );

  test(
    'a server that responds but stores no counts',
    async () => {
      await using server = await startValkey('--maxmemory', '1');
      await using limiter = await openLimiter(server.address);
      expect(usedOf(await limiter.charge(caller, NOON))).toBe(1);
      expect(limiter.logged).toEqual([LOST]);
      await server.command('CONFIG', 'SET', 'maxmemory', '0');
      await until(() => shared(limiter));
    },
    TIMEOUT_MS,
  );

  test(
    'a busy process does not mistake its own delay for an outage',
    async () => {
      await using server = await startValkey();
      await using limiter = await openLimiter(server.address);
      let decisions: Promise<unknown>;
      {
        using _away = server.pause();
        decisions = Promise.all(
          Array.from({ length: 50 }, async () => limiter.charge(caller, NOON)),
        );
        // By now all are sent, and none can have a reply.
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      Bun.sleepSync(2 * PATIENT_BOUND_MS);
      // The server replies in order, so after this ping the replies are in the socket.
      const ping =
        "const c = new Bun.RedisClient(process.argv[1]); await c.send('PING', []); c.close()";
      expect(Bun.spawnSync([process.execPath, '-e', ping, server.address]).success).toBe(true);
      await decisions;
      expect(limiter.logged).toEqual([]);
      expect(limiter.sharing()?.localFallbacks).toBe(0);
    },
    TIMEOUT_MS,
  );

  test('in production a request waits at most 50 ms, as docs/OPERATING.md says', () => {
    expect(BOUND_MS).toBe(50);
  });
});
