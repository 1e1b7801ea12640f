import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { DAY_MS } from '../../src/domain/clock.ts';
import { openSession } from '../storage/raw-session.ts';
import { eventually } from '../support/eventually.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { expectFailure, type Failure } from './failure.ts';
import { type Seen, see } from './seen-metrics.ts';

// The first starts a database server, and one waits for a sweep, once a minute.
setDefaultTimeout(180_000);

const REX = { name: 'Rex', categoryId: 1 };
const backups = createTemporaryFolder();
afterAll(() => backups[Symbol.dispose]());

const isMeasured = ({ values }: Seen) => values.size > 0;

const FAILURES: Readonly<Record<string, Failure>> = {
  'a database whose table is locked, before anybody asks': {
    alerts: ['PetstoreNotReady'],
    metrics: ['petstore_ready'],
    async fail({ database, anonymous }, ending) {
      const session = ending.use(await openSession(database.address));
      await session.run('BEGIN');
      await session.run('LOCK TABLE orders IN ACCESS EXCLUSIVE MODE');
      expect((await anonymous.get('/readyz')).status).toBe(503);
    },
  },
  'most animals that are gone': {
    alerts: ['PetstoreShrunk'],
    metrics: ['petstore_animals'],
    async prepare(petstore) {
      for (let n = 0; n < 20; n++) await petstore.writer.post('/v1/pets', REX);
      await petstore.restart();
      await eventually(() => see(petstore.metricsUrl, ['petstore_animals']), isMeasured);
    },
    async fail(petstore) {
      const pets = JSON.parse((await petstore.writer.get('/v1/pets?limit=100')).text);
      for (const { id } of pets.slice(3)) await petstore.writer.delete(`/v1/pets/${id}`);
      await petstore.restart();
    },
    isSeen: (animals) => animals > 0 && animals < 10,
  },
  'an index that is missing': {
    alerts: ['PetstoreDamaged'],
    metrics: ['petstore_integrity_faults'],
    options: { settings: { PETSTORE_BACKUP: backups.path } },
    prepare: ({ metricsUrl }) =>
      eventually(() => see(metricsUrl, ['petstore_integrity_faults']), isMeasured),
    async fail(petstore) {
      await petstore.database.sql('DROP INDEX orders_by_status');
      await petstore.restart();
    },
    isSeen: (faults) => faults > 0,
  },
  'a clock that is a month ahead': {
    alerts: ['PetstoreRetentionWaits'],
    metrics: ['petstore_retention_waiting'],
    async fail(petstore) {
      petstore.clock.advance(30 * DAY_MS);
      await petstore.restart();
    },
    isSeen: (waiting) => waiting > 0,
  },
  'a tenth of the events that goes at once': {
    alerts: ['PetstoreErasesTenth'],
    metrics: ['petstore_erased_rows_total', 'petstore_erased_table_rows'],
    options: { settings: { PETSTORE_EVENTS_KEEP: '1d' } },
    async prepare({ clock, storage, writer }) {
      for (let n = 0; n < 200; n++) await writer.post('/v1/pets', REX);
      await storage.retention.begin(clock.now());
      await storage.retention.end(clock.now());
    },
    fail: async ({ clock }) => clock.advance(2 * DAY_MS),
    isSeen: (rows) => rows > 0,
    // It looks once a minute.
    patience: 3,
  },
};

describe('the alerts tell of', () => {
  test.each(Object.keys(FAILURES))('%s', async (name) => {
    const failure = FAILURES[name];
    if (failure !== undefined) await expectFailure(failure);
  });
});
