import { describe, expect, test } from 'bun:test';
import type { Decision, Limiter } from '../../src/domain/allowance.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { MaybePromise } from '../../src/domain/maybe-promise.ts';
import { BOUND_MS, openValkeyLimiter } from '../../src/limits/valkey.ts';
import { eventually } from '../support/eventually.ts';
import { startProcessClock } from '../support/process-clock.ts';
import { NOON, RULES } from './conformance.ts';
import { NO_VALKEY, startValkey, type ValkeyServer } from './valkey-server.ts';

const plan = { name: 'enterprise', perMinute: 1_000_000, perDay: 100_000_000 } as const;
const caller: Caller = { keyId: 1n, familyId: 1n, scopes: ['write'], plan, unbannedAt: null };

/** On a busy machine a server that is well may take longer than the bound of production. */
const PATIENT_BOUND_MS = 500;
const TIMEOUT_MS = 60_000;

interface OpenLimiter extends Limiter, AsyncDisposable {
  /** What it says in the log. */
  readonly said: readonly string[];
}

async function openLimiter(address: string): Promise<OpenLimiter> {
  const said: string[] = [];
  const log = {
    info: (message: string) => said.push(`info: ${message}`),
    warn: (message: string) => said.push(`warn: ${message}`),
  };
  const limiter = await openValkeyLimiter({
    ...{ address, environment: 'production', rules: RULES, time: 'as asked', log },
    boundMs: PATIENT_BOUND_MS,
  });
  return { ...limiter, said, [Symbol.asyncDispose]: async () => await limiter.close() };
}

const LOST = 'warn: shared limits are lost; this instance counts alone';
const AGAIN = 'info: limits are shared again; counts made meanwhile are dropped';

/** Asks without a pause until it is stopped, as traffic does; gives how long the slowest took. */
function startTraffic(limiter: Limiter) {
  const clock = startProcessClock();
  let stopped = false;
  let responses = 0;
  let slowest = 0;
  async function ask(): Promise<void> {
    while (!stopped) {
      const before = clock.now();
      const { refusal } = await limiter.charge(caller, NOON);
      expect(refusal).toBeUndefined();
      slowest = Math.max(slowest, clock.now() - before);
      responses++;
      await Bun.sleep(1);
    }
  }
  const clients = Array.from({ length: 8 }, ask);
  async function stop(): Promise<number> {
    stopped = true;
    await Promise.all(clients);
    clock[Symbol.dispose]();
    return slowest;
  }
  return {
    get answers() {
      return responses;
    },
    stop,
    // Where a test fails, its clients must not live on in the next one.
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

const until = (condition: () => boolean) => eventually(condition, Boolean);
const shared = (limiter: Limiter) => limiter.sharing()?.shared === true;
const usedOf = ({ quota }: Decision) => plan.perMinute - quota.minute.remaining;

/** Takes the server away under use and gives it back; nothing that asks may notice. */
async function outage(
  server: ValkeyServer,
  takeAway: () => MaybePromise<Disposable | AsyncDisposable>,
): Promise<void> {
  await using limiter = await openLimiter(server.address);
  await using traffic = startTraffic(limiter);
  await until(() => traffic.answers > 50);
  {
    await using _away = await takeAway();
    await until(() => !shared(limiter));
    const before = traffic.answers;
    // Past the first loss nobody waits: in one bound there are many answers.
    await until(() => traffic.answers > before + 200);
    expect(limiter.said).toEqual([LOST]);
  }
  await until(() => shared(limiter));
  const slowest = await traffic.stop();
  expect(slowest).toBeLessThan(2 * PATIENT_BOUND_MS);
  expect(limiter.said).toEqual([LOST, AGAIN]);
  expect(limiter.sharing()).toMatchObject({ outages: 1 });
  expect(limiter.sharing()?.decidedAlone).toBeGreaterThan(200);
}

describe.skipIf(NO_VALKEY !== undefined)(`Valkey away${NO_VALKEY ? `: ${NO_VALKEY}` : ''}`, () => {
  test(
    'killed and started again under use',
    async () => {
      await using server = await startValkey();
      await outage(server, server.kill);
    },
    TIMEOUT_MS,
  );

  test(
    'hung under use',
    async () => {
      await using server = await startValkey();
      await outage(server, server.pause);
    },
    TIMEOUT_MS,
  );

  test(
    'counts made meanwhile are not merged, those before are kept',
    async () => {
      await using server = await startValkey();
      await using limiter = await openLimiter(server.address);
      for (let i = 0; i < 3; i++) await limiter.charge(caller, NOON);
      {
        using _away = server.pause();
        // The one that meets the hung server may be counted there as well: nobody can know.
        const first = await limiter.charge(caller, NOON);
        expect(usedOf(first)).toBe(1);
        expect(usedOf(await limiter.charge(caller, NOON))).toBe(2);
        expect((await limiter.chargeAddress('192.0.2.1', NOON)).quota.minute.remaining).toBe(59);
        expect((await limiter.lookAddress('192.0.2.1', NOON)).minute.remaining).toBe(59);
      }
      await until(() => shared(limiter));
      expect(usedOf(await limiter.charge(caller, NOON))).toBeWithin(4, 6);
    },
    TIMEOUT_MS,
  );

  test(
    'not there at the start, there later',
    async () => {
      await using server = await startValkey();
      const away = await server.kill();
      await using limiter = await openLimiter(server.address);
      expect(usedOf(await limiter.charge(caller, NOON))).toBe(1);
      expect((await limiter.look(caller, NOON)).minute.remaining).toBe(plan.perMinute - 1);
      expect(limiter.sharing()).toEqual({ shared: false, outages: 1, decidedAlone: 2 });
      await away[Symbol.asyncDispose]();
      await until(() => shared(limiter));
      expect(limiter.said).toEqual([LOST, AGAIN]);
    },
    TIMEOUT_MS,
  );

  test(
    'one that answers but takes no counts is an outage too',
    async () => {
      await using server = await startValkey('--maxmemory', '1');
      await using limiter = await openLimiter(server.address);
      expect(usedOf(await limiter.charge(caller, NOON))).toBe(1);
      expect(limiter.said).toEqual([LOST]);
      await server.command('CONFIG', 'SET', 'maxmemory', '0');
      await until(() => shared(limiter));
    },
    TIMEOUT_MS,
  );

  test(
    'a busy process does not take its own delay for the engine’s',
    async () => {
      await using server = await startValkey();
      await using limiter = await openLimiter(server.address);
      let asked: Promise<unknown>;
      {
        using _away = server.pause();
        asked = Promise.all(Array.from({ length: 50 }, async () => limiter.charge(caller, NOON)));
        // All are sent by then, and none can be answered yet.
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      Bun.sleepSync(2 * PATIENT_BOUND_MS);
      // The server answers in the order of the asking, so the answers lie in the socket now.
      const ask =
        "const c = new Bun.RedisClient(process.argv[1]); await c.send('PING', []); c.close()";
      expect(Bun.spawnSync([process.execPath, '-e', ask, server.address]).success).toBe(true);
      await asked;
      expect(limiter.said).toEqual([]);
      expect(limiter.sharing()?.decidedAlone).toBe(0);
    },
    TIMEOUT_MS,
  );

  test('in production a request waits for 50 ms, as docs/OPERATING.md says', () => {
    expect(BOUND_MS).toBe(50);
  });
});
