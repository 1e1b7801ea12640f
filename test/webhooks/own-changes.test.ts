import { expect, test } from 'bun:test';
import type { Webhook } from '../../src/domain/webhook.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { startTestDeliveries } from './test-deliveries.ts';

// What other processes change is noticed within a second: much later than the deliveries of this test.
test('a change of a webhook holds from its response on, on the instance that made it', async () => {
  await using running = await startTestDeliveries(chosenEngine());
  const { webhooks, categories } = running.storage;
  const change = async (part: Partial<Webhook>) => {
    running.running.changed(1n, await webhooks.update(1n, (current) => ({ ...current, ...part })));
  };
  const arrivals = (count: number) =>
    eventually(
      () => running.arrived.map(({ url }) => url),
      (urls) => urls.length === count,
    );
  await running.webhook();
  await categories.create('A', CHANGE_STAMP);
  await arrivals(1);
  await change({ url: 'https://other.example/events' });
  await categories.create('B', CHANGE_STAMP);
  expect((await arrivals(2)).at(-1)).toBe('https://other.example/events');
  await change({ disabledReason: 'requested' });
  await categories.create('C', CHANGE_STAMP);
  expect(running.running.report()).toMatchObject({ held: 0 });
  await change({ disabledReason: null });
  expect(await arrivals(3)).toHaveLength(3);
});
