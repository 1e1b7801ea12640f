import { expect, test } from 'bun:test';
import { DeliveryWindow } from '../../../src/changes/webhooks/delivery-window.ts';
import type { DeliveryState, PendingDelivery } from '../../../src/domain/delivery.ts';

const NOON = Date.UTC(2026, 10, 22, 12);
const pending = (eventId: bigint): PendingDelivery => ({
  ...{ eventId, type: 'pet.updated', record: 'pet 1', createdAt: NOON },
  ...{ attempts: 0, nextAttemptAt: null },
});

test('an event that is finished while its state is read is not sent again', () => {
  const window = new DeliveryWindow({
    ...{ pending: [pending(1n), pending(2n)], settled: [], position: 2n },
  } as unknown as ConstructorParameters<typeof DeliveryWindow>[0]);
  const [first] = window.due(NOON, 10);
  if (first === undefined) throw new Error('nothing is due');
  first.phase = 'sending';
  window.beginLoad();
  const read = [pending(1n), pending(2n)];
  // Before what was read arrives, the attempt succeeds and is stored.
  window.stored(first, { ...first.pending, status: 'delivered' } as DeliveryState);
  window.merge(read);
  expect(window.due(NOON, 10).map((entry) => entry.pending.eventId)).toEqual([2n]);
  // Somebody asks for it again later.
  window.beginLoad();
  window.merge([pending(1n)]);
  expect(window.due(NOON, 10).map((entry) => entry.pending.eventId)).toEqual([1n]);
});
