import { expect, setDefaultTimeout, test } from 'bun:test';
import { HOUR_MS } from '../../src/domain/clock.ts';
import type { TaskEnd } from '../../src/domain/task.ts';
import { openStorage } from '../../src/storage/open.ts';
import { chosenEngine } from '../support/engines.ts';
import { examined, findingsLike } from './examination.ts';

// The first may have to start a database server.
setDefaultTimeout(60_000);

test('the doctor says which tasks fail, which are late, and when the others last succeeded', async () => {
  await using database = await chosenEngine().createDatabase();
  const storage = await openStorage(database.address, 'production');
  const found = async () => {
    const all = await examined({ PETSTORE_DATABASE: database.address });
    return findingsLike(all, 'tasks', /./).map((each) => `${each.verdict} ${each.found}`);
  };
  expect(await found()).toEqual([]);
  const at = Date.UTC(2026, 10, 22, 14, 5, 6);
  async function record(name: string, end: TaskEnd, dueAt: number): Promise<void> {
    const [seen] = (await storage.tasks.list()).filter((each) => each.name === name);
    const taken = await storage.tasks.take(name, 'shop-1 4711', seen, at);
    await storage.tasks.end(name, taken?.turn ?? 0n, end);
    await storage.tasks.plan(name, dueAt);
  }
  await record('backups', { at, problem: undefined }, Date.now() + HOUR_MS);
  await record('retention', { at, problem: undefined }, Date.now() - 2 * HOUR_MS);
  await record('channel 7', { at, problem: undefined }, Date.now());
  for (let n = 0; n < 2; n++) await record('channel 7', { at, problem: 'no such host' }, at);
  await record('channel 8', { at, problem: 'it is closed' }, at);
  await storage.close();
  expect(await found()).toEqual([
    'advice The task channel 7 failed 2 times on shop-1 4711 (no such host); it last succeeded 2026-11-22T14:05:06 UTC.',
    'advice The task channel 8 failed once on shop-1 4711 (it is closed); it never succeeded.',
    expect.stringMatching(/^advice The task retention was due \S+ UTC, and no process does it\.$/),
    'good Last successes: backups 2026-11-22T14:05:06 UTC.',
  ]);
});
