import { afterEach, describe, expect, test } from 'bun:test';
import type { Storage } from '../../src/domain/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createStorageCounts } from '../../src/telemetry/storage-counts.ts';
import { chosenEngine, type TestDatabase } from '../support/engines.ts';

describe('the counts of a storage', () => {
  let database: TestDatabase;
  let storage: Storage;
  afterEach(async () => {
    await storage.close();
    await database.destroy();
  });

  test('time every method of every group that the storage has', async () => {
    database = await chosenEngine().createDatabase();
    storage = await openStorage(database.address, 'production');
    const counts = createStorageCounts('any');
    const later = { ...storage, events: { list: () => [], newest: { find: () => 1n } } };
    const timed = counts.timed(later) as typeof later; // It has the members of what it was given.

    expect(Object.keys(timed)).toEqual(Object.keys(later));
    await timed.pets.list({}, { afterId: undefined, limit: 1 });
    timed.events.list();
    expect(timed.events.newest.find()).toBe(1n);
    await timed.ping();
    timed.trackChanges(() => {});
    timed.changes.listen(() => {});
    expect(timedMethods(counts.metrics)).toEqual([
      'events.list',
      'events.newest.find',
      'pets.list',
      'ping',
    ]);
  });
});

function timedMethods(metrics: ReturnType<typeof createStorageCounts>['metrics']): string[] {
  const durations = metrics.find(({ name }) => name === 'petstore_storage_duration_seconds');
  return [...(durations?.samples() ?? [])].map(([labels]) => String(labels['method'])).sort();
}
