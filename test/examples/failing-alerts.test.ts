import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { parse } from 'yaml';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/clock.ts';
import { openSession } from '../storage/raw-session.ts';
import { spawnPetstore } from '../support/command-line.ts';
import { chosenEngine } from '../support/engines.ts';
import { addEnquiry } from '../support/enquiries.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { createServingKey, serving, UNLIMITED } from '../support/serving.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';
import { startReceiver } from '../webhooks/receivers.ts';
import { expectFiring, RULES, scrapedSeries } from './alert-rules.ts';
import { expectFailure, type Failure } from './failure.ts';
import { FAILING_MIN, followed, see, sumOf, WELL_MIN } from './seen-metrics.ts';

// The first starts a database server, and some wait until something is late.
setDefaultTimeout(120_000);

const REX = { name: 'Rex', categoryId: 1 };

/** More requests at once than there are connections. */
const CROWD = 60;

/** Writes that wait for somebody who holds the tables. */
async function holdWrites(petstore: TestPetstore, ending: AsyncDisposableStack) {
  ending.use(await petstore.database.holdWrites());
  return Promise.all(Array.from({ length: CROWD }, () => petstore.writer.post('/v1/pets', REX)));
}

const WEBHOOKS = { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8', PETSTORE_WEBHOOK_SCHEDULE: '0s,7d' };
const secretKey = (byte: number) => Buffer.alloc(32, byte).toString('base64');

/** Subscribes a receiver that responds so. */
async function subscribe(
  { admin }: TestPetstore,
  ending: AsyncDisposableStack,
  respond: (response: ServerResponse) => void,
) {
  const receiver = ending.use(await startReceiver('127.0.0.1', (_, response) => respond(response)));
  const url = `http://127.0.0.1:${receiver.port}/`;
  expect((await admin.post('/v1/webhooks', { url })).status).toBe(201);
}

const FAILURES: Readonly<Record<string, Failure>> = {
  'a database that is locked': {
    alerts: ['PetstoreDatabaseFailing', 'PetstoreFailing', 'PetstoreSlow'],
    metrics: [
      'petstore_http_requests_total',
      'petstore_http_request_duration_seconds',
      'petstore_storage_failures_total',
    ],
    fail: holdWrites,
  },
  'connections that are all in use': {
    alerts: ['PetstorePoolExhausted'],
    metrics: ['petstore_storage_waiting'],
    async fail({ database, writer }, ending) {
      const session = ending.use(await openSession(database.address));
      await session.run('BEGIN');
      await session.run('LOCK TABLE pets IN ACCESS EXCLUSIVE MODE');
      for (let n = 0; n < CROWD; n++) writer.get(`/v1/pets?name=${n}`).catch(() => {});
    },
    isSeen: (waiting) => waiting > 0,
  },
  'more writes than may be in progress': {
    alerts: ['PetstoreOverloaded'],
    metrics: ['petstore_http_requests_refused_total'],
    options: { settings: { PETSTORE_MAX_IN_PROGRESS: '1' } },
    async fail(petstore, ending) {
      await holdWrites(petstore, ending);
      await Promise.all(Array.from({ length: CROWD }, () => petstore.writer.post('/v1/pets', REX)));
    },
  },
  'an event loop that is held up': {
    alerts: ['PetstoreEventLoopLate'],
    metrics: ['petstore_event_loop_lag_seconds'],
    async fail({ writer }) {
      for (let n = 0; n < 10; n++) {
        let isAnswered = false;
        const asked = writer.get('/v1/pets').finally(() => {
          isAnswered = true;
        });
        while (!isAnswered) {
          Bun.sleepSync(150);
          await Bun.sleep(0);
        }
        await asked;
      }
    },
  },
  'a Valkey that does not answer': {
    alerts: ['PetstoreLimitsAlone'],
    metrics: ['petstore_limiter_shared'],
    fail: (petstore) => petstore.restart({ PETSTORE_LIMITS: `redis://127.0.0.1:${freePort()}` }),
    isSeen: (shared) => shared === 0,
  },
  'clients that are banned': {
    alerts: ['PetstoreManyBans'],
    metrics: ['petstore_limiter_bans_total'],
    async fail({ keyWith }) {
      const { client } = await keyWith({ plan: 'enterprise', perMinute: 1 });
      for (let n = 0; n < 500; n++) await client.get('/v1/pets');
    },
  },
  'requests that may not wait': {
    alerts: ['PetstoreEventWaitsRefused'],
    metrics: ['petstore_events_waits_total'],
    options: { settings: { PETSTORE_MAX_WAITING: '1' } },
    async fail({ writer }) {
      const waits = [1, 2].map(() => writer.get('/v1/events?after=latest&wait=30'));
      for (const wait of waits) wait.catch(() => {});
      await Promise.race(waits);
    },
  },
  'changes that get no number': {
    alerts: ['PetstoreEventsLate'],
    metrics: ['petstore_changes_unnumbered_age_seconds'],
    async fail({ clock, database, writer }, ending) {
      // The age is by the clock of PostgreSQL.
      clock.set(Date.now() - MINUTE_MS);
      const session = ending.use(await openSession(database.address));
      await session.run('BEGIN');
      await session.run('SELECT FROM change_numbering FOR UPDATE');
      await writer.post('/v1/pets', REX);
    },
    isSeen: (age) => age > 10,
  },
  'a receiver that does not respond': {
    alerts: ['PetstoreWebhooksLate'],
    metrics: ['petstore_webhook_oldest_event_age_seconds', 'petstore_webhooks'],
    options: { settings: WEBHOOKS },
    async fail(petstore, ending) {
      await subscribe(petstore, ending, () => {});
      await petstore.writer.post('/v1/pets', REX);
      await eventually(
        () => see(petstore.metricsUrl, ['petstore_webhook_events_queued']),
        (seen) => sumOf(seen) > 0,
      );
      petstore.clock.advance(2 * HOUR_MS);
    },
    isSeen: (age) => age > 3_600,
  },
  'a receiver that is gone': {
    alerts: ['PetstoreWebhooksDisabled'],
    metrics: ['petstore_webhooks'],
    options: { settings: WEBHOOKS },
    async fail(petstore, ending) {
      await subscribe(petstore, ending, (response) => response.writeHead(410).end());
      await petstore.writer.post('/v1/pets', REX);
      const seen = () => see(petstore.metricsUrl, ['petstore_webhooks']);
      await eventually(seen, ({ values }) => values.get('petstore_webhooks{state="gone"}') === 1);
    },
  },
  'a secret of a webhook that cannot be read': {
    alerts: ['PetstoreWebhookSecretsUnreadable'],
    metrics: ['petstore_webhook_attempts_total'],
    options: { settings: { ...WEBHOOKS, PETSTORE_SECRET_KEY: secretKey(1) } },
    async fail(petstore, ending) {
      await subscribe(petstore, ending, (response) => response.end());
      await petstore.restart({ PETSTORE_SECRET_KEY: secretKey(2) });
      await petstore.writer.post('/v1/pets', REX);
    },
    isSeen: (attempts) => attempts > 0,
  },
  'a mail server that cannot be reached': {
    alerts: ['PetstoreMailsFail'],
    metrics: ['petstore_mails_total'],
    options: {
      settings: {
        PETSTORE_SMTP: `smtp://127.0.0.1:${freePort()}`,
        PETSTORE_NOTIFY: 'staff@shop.example',
      },
    },
    fail: ({ storage, clock }) => addEnquiry(storage, {}, clock.now()),
    isSeen: (mails) => mails > 0,
  },
  'memory that is held': {
    alerts: ['PetstoreMemoryGrows'],
    metrics: ['process_resident_memory_bytes'],
    async fail(_, ending) {
      const held = [Buffer.alloc(450 * 1_048_576, 1)];
      ending.defer(() => void held.pop());
    },
    isSeen: (bytes) => bytes > 450e6,
  },
};

describe('the alerts tell of', () => {
  test.each(Object.keys(FAILURES))('%s', async (name) => {
    const failure = FAILURES[name];
    if (failure !== undefined) await expectFailure(failure);
  });

  test('a service that ends soon after each start, and then is away', async () => {
    await using database = await chosenEngine().createDatabase();
    const settings = { PETSTORE_DATABASE: database.address };
    const key = await createServingKey(settings, ...UNLIMITED);
    const starts: number[] = [];
    let url = '';
    for (let start = 0; start < 5; start++) {
      const child = spawnPetstore(['serve', '--port', '0', '--ops-port', '0'], settings);
      await using server = await serving(child, key);
      [, url = ''] = /^Metrics on (.*)$/m.exec(server.announced()) ?? [];
      starts.push(sumOf(await see(url, ['process_start_time_seconds'])));
    }
    const [first = 0, ...later] = starts;
    const ticks = [`${first}+0x${WELL_MIN - 1}`, ...later, `${later.at(-1)}+0x${FAILING_MIN}`];
    const series = scrapedSeries('process_start_time_seconds');
    const minutes = WELL_MIN + FAILING_MIN;
    await expectFiring([{ series, values: ticks.join(' ') }], minutes, ['PetstoreRestarting']);
    // What Prometheus notes of a scrape.
    expect(fetch(url)).rejects.toThrow();
    const up = { series: scrapedSeries('up'), values: `1+0x${WELL_MIN - 1} 0+0x${FAILING_MIN}` };
    await expectFiring([up], minutes, ['PetstoreDown']);
  });

  // The log drops lines once 64 MiB of them wait (test/telemetry/log-output.test.ts), so here the count is made up.
  test('lines of the log that nobody reads', async () => {
    await using petstore = await startPetstore();
    const well = await see(petstore.metricsUrl, ['petstore_log_lines_dropped_total']);
    expect([...well.values.values()]).toEqual([0]);
    const values = new Map([...well.values].map(([series]) => [series, 1]));
    const input = followed(well, { ...well, values });
    await expectFiring(input, WELL_MIN + FAILING_MIN, ['PetstoreLogDropped']);
  });
});

test('each alert fires in a test', () => {
  const tests = [
    'alerts.test.ts',
    'failing-alerts.test.ts',
    'failing-storage-alerts.test.ts',
    '../world/alerts.test.ts',
  ].map((name) => readFileSync(join(import.meta.dir, name), 'utf8'));
  const { groups } = parse(readFileSync(RULES, 'utf8'));
  const names: string[] = groups.flatMap(({ rules }: { rules: { alert: string }[] }) =>
    rules.map(({ alert }) => alert),
  );
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !tests.some((text) => text.includes(`'${name}'`)))).toEqual([]);
});
