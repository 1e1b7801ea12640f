import { describe, expect, test } from 'bun:test';
import { readConfig } from '../../../src/config.ts';
import { readAllowances } from '../../../src/configured-limiter.ts';
import { generateKey } from '../../../src/domain/api-key.ts';
import { hashKey } from '../../../src/domain/key-hash.ts';
import { openServer, type PetstoreServer } from '../../../src/server.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { openLog } from '../../../src/telemetry/log.ts';
import { NO_VALKEY, startValkey } from '../../limits/valkey-server.ts';
import { openPatientLimiter } from '../../support/chosen-limits.ts';
import { createTestClock } from '../../support/clock.ts';
import { chosenEngine } from '../../support/engines.ts';
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

describe.skipIf(NO_VALKEY !== undefined)(
  `three servers${NO_VALKEY ? `: ${NO_VALKEY}` : ''}`,
  () => {
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
      for (const { headers } of responses) expect(headers.get('x-ratelimit-remaining')).toBe('59');
      const ready = await three.ready();
      expect([ready.status, await ready.json()]).toEqual([
        200,
        {
          status: 'ready',
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
  },
);

test('limits in memory lead to a warning with a database for many instances', async () => {
  await using petstore = await startPetstore({ settings: { PETSTORE_LIMITS: 'memory:' } });
  const warned = petstore.log.filter((line) => line.includes('set PETSTORE_LIMITS'));
  expect(warned).toHaveLength(chosenEngine().name === 'postgres' ? 1 : 0);
});
