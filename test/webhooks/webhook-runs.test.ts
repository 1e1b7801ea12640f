import { describe, expect, test } from 'bun:test';
import { chosenEngine } from '../support/engines.ts';
import { runWebhooks } from './webhook-run.ts';
import { startWebhookStore } from './webhook-store.ts';

describe.each([chosenEngine()])('on $name', (engine) => {
  // `bun test/webhooks/webhook-runs.ts 100` makes more runs, and asks for a takeover within 10 s.
  test('webhooks lose nothing, and keep the order of each record, through kills and failing receivers', async () => {
    await using store = await startWebhookStore(engine);
    const { events, kills, duplicates } = await runWebhooks(store, 1);
    expect(events).toBeGreaterThan(0);
    expect(kills).toBeGreaterThan(0);
    expect(duplicates).toBeGreaterThan(0);
  }, 120_000);
});
