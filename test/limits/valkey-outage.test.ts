import { describe, expect, test } from 'bun:test';
import type { Decision, Limiter } from '../../src/domain/allowance.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { openValkeyLimiter } from '../../src/limits/valkey.ts';
import { NOON, RULES } from './conformance.ts';
import { NO_VALKEY, startValkey, type ValkeyServer } from './valkey-server.ts';

const plan = { name: 'enterprise', perMinute: 1_000_000, perDay: 100_000_000 } as const;
const caller: Caller = { keyId: 1n, scopes: ['write'], plan, unbannedAt: null };

/** The bound is 50 ms; a busy machine may be late by so much more. */
const GENEROUS_MS = 250;
const BACK_WITHIN_MS = 5_000;

/** A limiter with the bound that it has in production, and what it says in the log. */
async function openLimiter(address: string): Promise<{ limiter: Limiter; said: string[] }> {
  const said: string[] = [];
  const log = {
    info: (message: string) => said.push(`info: ${message}`),
    warn: (message: string) => said.push(`warn: ${message}`),
  };
  const limiter = await openValkeyLimiter({
    ...{ address, environment: 'production', rules: RULES, time: 'as asked', log },
  });
  return { limiter, said };
}

const LOST = 'warn: shared limits are lost; this instance counts alone';
const AGAIN = 'info: limits are shared again; counts made meanwhile are dropped';

/** Asks without a pause until it is stopped, as traffic does; gives how long the slowest took. */
function startTraffic(limiter: Limiter) {
  let stopped = false;
  let answers = 0;
  let slowest = 0;
  async function ask(): Promise<void> {
    while (!stopped) {
      const before = performance.now();
      const { refusal } = await limiter.charge(caller, NOON);
      expect(refusal).toBeUndefined();
      slowest = Math.max(slowest, performance.now() - before);
      answers++;
      await Bun.sleep(1);
    }
  }
  const clients = Array.from({ length: 8 }, ask);
  return {
    get answers() {
      return answers;
    },
    async stop(): Promise<number> {
      stopped = true;
      await Promise.all(clients);
      return slowest;
    },
  };
}

async function until(condition: () => boolean, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms`);
    await Bun.sleep(10);
  }
}

const shared = (limiter: Limiter) => limiter.sharing()?.shared === true;
const usedOf = ({ standing }: Decision) => plan.perMinute - standing.minute.remaining;

/** Takes the server away under use and gives it back; nothing that asks may notice. */
async function outage(
  server: ValkeyServer,
  takeAway: () => unknown,
  giveBack: () => unknown,
): Promise<void> {
  const { limiter, said } = await openLimiter(server.address);
  const traffic = startTraffic(limiter);
  await until(() => traffic.answers > 50, BACK_WITHIN_MS);
  await takeAway();
  await until(() => !shared(limiter), BACK_WITHIN_MS);
  const before = traffic.answers;
  // Past the first loss nobody waits: in one bound there are many answers.
  await until(() => traffic.answers > before + 200, BACK_WITHIN_MS);
  expect(said).toEqual([LOST]);
  await giveBack();
  await until(() => shared(limiter), BACK_WITHIN_MS);
  const slowest = await traffic.stop();
  expect(slowest).toBeLessThan(GENEROUS_MS);
  expect(said).toEqual([LOST, AGAIN]);
  expect(limiter.sharing()).toMatchObject({ outages: 1 });
  expect(limiter.sharing()?.decidedAlone).toBeGreaterThan(200);
  await limiter.close();
}

describe.skipIf(NO_VALKEY !== undefined)(`Valkey away${NO_VALKEY ? `: ${NO_VALKEY}` : ''}`, () => {
  test('killed and started again under use', async () => {
    await using server = await startValkey();
    await outage(server, server.kill, server.start);
  }, 20_000);

  test('hung under use', async () => {
    await using server = await startValkey();
    await outage(server, server.pause, server.resume);
  }, 20_000);

  test('counts made meanwhile are not merged, those before are kept', async () => {
    await using server = await startValkey();
    const { limiter } = await openLimiter(server.address);
    for (let i = 0; i < 3; i++) await limiter.charge(caller, NOON);
    server.pause();
    // The one that meets the hung server may be counted there as well: nobody can know.
    const first = await limiter.charge(caller, NOON);
    expect(usedOf(first)).toBe(1);
    expect(usedOf(await limiter.charge(caller, NOON))).toBe(2);
    expect((await limiter.chargeAddress('192.0.2.1', NOON)).standing.minute.remaining).toBe(59);
    expect((await limiter.lookAddress('192.0.2.1', NOON)).minute.remaining).toBe(59);
    server.resume();
    await until(() => shared(limiter), BACK_WITHIN_MS);
    expect(usedOf(await limiter.charge(caller, NOON))).toBeWithin(4, 6);
    await limiter.close();
  }, 20_000);

  test('not there at the start, there later', async () => {
    await using server = await startValkey();
    await server.kill();
    const { limiter, said } = await openLimiter(server.address);
    expect(usedOf(await limiter.charge(caller, NOON))).toBe(1);
    expect((await limiter.look(caller, NOON)).minute.remaining).toBe(plan.perMinute - 1);
    expect(limiter.sharing()).toEqual({ shared: false, outages: 1, decidedAlone: 2 });
    await server.start();
    await until(() => shared(limiter), BACK_WITHIN_MS);
    expect(said).toEqual([LOST, AGAIN]);
    await limiter.close();
  }, 20_000);

  test('one that answers but takes no counts is an outage too', async () => {
    await using server = await startValkey('--maxmemory', '1');
    const { limiter, said } = await openLimiter(server.address);
    expect(usedOf(await limiter.charge(caller, NOON))).toBe(1);
    expect(said).toEqual([LOST]);
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    await until(() => shared(limiter), BACK_WITHIN_MS);
    await limiter.close();
  }, 20_000);

  test('a busy process does not take its own delay for the engine’s', async () => {
    await using server = await startValkey();
    const { limiter, said } = await openLimiter(server.address);
    const asked = Promise.all(Array.from({ length: 50 }, async () => limiter.charge(caller, NOON)));
    Bun.sleepSync(200);
    await asked;
    expect(said).toEqual([]);
    await limiter.close();
  });
});
