import { describe, expect, test } from 'bun:test';
import { createLedger } from '../../e2e/crash/ledger.ts';
import { createRandom } from '../../e2e/crash/random.ts';
import { eventually } from '../../support/eventually.ts';
import { runKill } from './kills/kill-run.ts';
import { startKilledStore } from './kills/store.ts';

const KILLS = 3;

// `bun test/server/workers/kill-runs.ts 100` kills each a hundred times, and asks for a response within 10 s.
describe.each(['worker', 'process'] as const)('two workers, and a %s that is killed', (kind) => {
  test('lose and double nothing, and exceed no limit', async () => {
    await using store = await startKilledStore(kind);
    const ledger = createLedger();
    let broken = 0;
    for (let seed = 1; seed <= KILLS; seed++) {
      const run = await runKill(store, ledger, createRandom(seed));
      const { lost, doubled, changed, otherErrors, problems } = run;
      expect({ lost, doubled, changed, otherErrors }).toEqual({
        lost: 0,
        doubled: 0,
        changed: 0,
        otherErrors: 0,
      });
      expect(problems).toEqual([]);
      broken += run.broken;
    }
    // Otherwise no kill came while a request was in progress.
    expect(broken).toBeGreaterThan(0);
    if (kind === 'worker') {
      // The log is written once a second.
      await eventually(
        () => store.target.output().match(/died and is replaced/g)?.length,
        (deaths) => deaths === KILLS,
      );
    }
    const { granted, beyondPromise } = await store.probe.end();
    expect(granted).toBeGreaterThan(0);
    expect(beyondPromise).toBe(0);
  }, 180_000);
});
