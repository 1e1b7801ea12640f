import { describe, expect, test } from 'bun:test';
import { generateKey } from '../../../src/domain/api-key.ts';
import { hashKey } from '../../../src/domain/secrets.ts';
import { readAllowances } from '../../../src/server/limiter.ts';
import { openServer, type PetstoreServer } from '../../../src/server/server.ts';
import { readConfig } from '../../../src/settings/config.ts';
import { RELEASE } from '../../../src/settings/release.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { openLog } from '../../../src/telemetry/log.ts';
import { startValkey } from '../../limits/valkey-server.ts';
import { openPatientLimiter } from '../../support/chosen-limits.ts';
import { createTestClock } from '../../support/clock.ts';
import { chosenEngine } from '../../support/engines.ts';
import { sampleOf, scrape } from '../../support/scrape.ts';
import { startPetstore } from '../../support/start.ts';

/** Three servers on one database that share the limits in one Valkey, and a free key. */
async function startThree() {
  const valkey = await startValkey();
  const database = await chosenEngine().createDatabase();
  const variables = { PETSTORE_DATABASE: database.address, PETSTORE_LIMITS: valkey.address };
  const config = readConfig({ port: '0' }, variables);
  const clock = createTestClock();
  const lines: string[] = [];
  const log = openLog('info', { write: (line) => lines.push(line) });
  const servers: PetstoreServer[] = [];
  for (let i = 0; i < 3; i++) {
    const limiter = await openPatientLimiter(config, log);
    servers.push(await openServer(config, { clock, log, limiter }));
  }
  const storage = await openStorage(database.address, 'production');
  const text = generateKey('production', (count) => crypto.getRandomValues(new Uint8Array(count)));
  const { id } = await storage.keys.create({
    hash: hashKey(text),
    name: 'a test',
    plan: 'free',
    perMinute: null,
    perDay: null,
    scopes: ['read'],
    createdAt: clock.now(),
    expiresAt: null,
  });
  const headers = { authorization: `Bearer ${text}` };
  const ask = (i: number, path = '/pets') =>
    fetch(`${servers[i % 3]?.baseUrl}${path}`, { headers });
  return {
    valkey,
    keyId: id,
    lines,
    ask,
    ready: () => fetch(`${servers[0]?.url}/readyz`),
    report: () => readAllowances(config, storage, [id]),
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.close();
      await storage.close();
      await database[Symbol.asyncDispose]();
      await valkey[Symbol.asyncDispose]();
    },
  };
}

describe('three servers', () => {
  test('together allow a free key 60 requests a minute', async () => {
    await using three = await startThree();
    const responses = await Promise.all(Array.from({ length: 300 }, (_, i) => three.ask(i)));
    const remaining = responses
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(remaining.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(240);
    for (const i of [0, 1, 2]) {
      const response = await three.ask(i);
      expect(await response.json()).toMatchObject({ code: 'api_key_banned' });
      expect(response.headers.get('retry-after')).toBe('900');
    }
    const [allowance] = await three.report();
    expect(allowance).toMatchObject({ keyId: three.keyId, bans: 1 });
    expect(allowance?.day.used).toBe(60);
    expect(three.lines.filter((line) => line.includes('limits'))).toEqual([]);
  }, 60_000);

  test('stay ready and keep serving when Valkey is down', async () => {
    await using three = await startThree();
    expect((await three.ask(0)).headers.get('x-ratelimit-remaining')).toBe('59');
    expect((await three.ask(1)).headers.get('x-ratelimit-remaining')).toBe('58');
    await three.valkey.kill();
    const responses = await Promise.all([0, 1, 2].map((i) => three.ask(i)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    // Each goes on from what it was told last; the third was told nothing.
    const left = responses.map(({ headers }) => headers.get('x-ratelimit-remaining'));
    expect(left).toEqual(['58', '57', '59']);
    const ready = await three.ready();
    expect([ready.status, await ready.json()]).toEqual([
      200,
      {
        status: 'ready',
        ...RELEASE,
        checks: {
          storage: { ok: true },
          limits: {
            ok: false,
            reason: 'shared limits are out of reach; this instance counts alone',
          },
          serving: { ok: true },
        },
      },
    ]);
    await Bun.sleep(600);
    expect(three.lines.filter((line) => line.includes('shared limits are lost'))).toHaveLength(3);
    expect(three.report()).rejects.toThrow(/^the limits at redis:\S+ cannot be read$/);
  }, 60_000);
});

test('the metrics tell how limits are shared', async () => {
  await using valkey = await startValkey();
  const settings = { PETSTORE_LIMITS: valkey.address, PETSTORE_BAN_REFUSALS: '2' };
  await using petstore = await startPetstore({ settings });
  const decided = (decision: string) =>
    `petstore_limiter_decisions_total{caller="key",decision="${decision}"}`;
  const { client } = await petstore.keyWith({ perMinute: 1, perDay: 9 });
  for (let i = 0; i < 4; i++) await client.get('/v1/pets');
  const shared = await scrape(petstore.metricsUrl);
  expect(sampleOf(shared, decided('minute'))).toBe(2);
  expect(sampleOf(shared, decided('banned'))).toBe(1);
  expect(sampleOf(shared, 'petstore_limiter_bans_total')).toBe(1);
  expect(sampleOf(shared, 'petstore_limiter_shared')).toBe(1);
  expect(sampleOf(shared, 'petstore_limiter_outages_total')).toBe(0);

  await valkey.kill();
  await petstore.reader.get('/v1/pets');
  const alone = await scrape(petstore.metricsUrl);
  expect(sampleOf(alone, 'petstore_limiter_shared')).toBe(0);
  expect(sampleOf(alone, 'petstore_limiter_outages_total')).toBe(1);
  expect(sampleOf(alone, 'petstore_limiter_decided_alone_total')).toBe(1);
}, 60_000);
