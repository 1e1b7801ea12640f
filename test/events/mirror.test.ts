import { describe, expect, test } from 'bun:test';
import { chosenEngine } from '../support/engines.ts';
import { runMirror } from './mirror-run.ts';
import { startServedStore } from './served-store.ts';

/** Runs of each engine; `bun test/events/mirror-runs.ts 100` makes more. */
const RUNS = 3;

describe.each([chosenEngine()])('on $name', (engine) => {
  test('the mirror of the guide, killed and continued beside eight writers, equals the store', async () => {
    await using store = await startServedStore(engine.name, await engine.createDatabase());
    const readKey = await store.keyOf('read');
    for (let seed = 1; seed <= RUNS; seed++) {
      const { records } = await runMirror(store.servers, readKey, seed);
      expect(records).toBeGreaterThan(0);
    }
  }, 120_000);
});
