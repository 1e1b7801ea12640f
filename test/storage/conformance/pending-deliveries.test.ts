import { describe, expect, test } from 'bun:test';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';
import {
  addWebhook,
  DELIVERED_AT,
  type DeliveryState,
  delivered,
  pending,
  stored,
} from './delivery-states.ts';

const NOW = DELIVERED_AT + 1_000;

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

  const deliveries = () => subject.storage.deliveries;

  const create = () => addWebhook(subject.storage);

  describe('what is pending', () => {
    const next = async (id: bigint, now = NOW, limit = 10) => {
      const [found] = await deliveries().pending([id], now, limit);
      return found?.next.map(({ eventId, nextAttemptAt }) =>
        nextAttemptAt === null ? `${eventId}` : `${eventId} at ${nextAttemptAt - NOW}`,
      );
    };
    const about = (record: string, eventId: bigint, parts: Partial<DeliveryState> = {}) =>
      pending(eventId, { record, ...parts });

    test('is counted for each webhook that has something, with the age of the oldest', async () => {
      const [one, two, none] = [await create(), await create(), await create()];
      await stored(subject.storage, one, [
        about('pet 1', 1n, { createdAt: 7 }),
        about('pet 1', 2n),
        delivered(3n, { createdAt: 5 }),
      ]);
      await stored(subject.storage, two, [about('pet 1', 3n)]);
      expect(await deliveries().pending([one, two, none], NOW, 10)).toMatchObject([
        { webhookId: one, count: 2, oldestAt: 7, next: [{ eventId: 1n, attempts: 0 }] },
        { webhookId: two, count: 1, oldestAt: DELIVERED_AT, next: [{ eventId: 3n }] },
      ]);
    });

    test('is due in the order of events, then what is due later by its time', async () => {
      const id = await create();
      const at = (eventId: bigint, milliseconds: number) =>
        pending(eventId, { attempts: 1, nextAttemptAt: NOW + milliseconds });
      await stored(subject.storage, id, [
        ...[at(1n, 900), at(2n, 0), at(3n, 500), pending(4n), at(5n, -300)],
      ]);
      expect(await next(id)).toEqual(['2 at 0', '4', '5 at -300', '3 at 500', '1 at 900']);
      expect(await next(id, NOW + 500, 4)).toEqual(['2 at 0', '3 at 500', '4', '5 at -300']);
    });

    test('comes with its event, unless that was removed from the log', async () => {
      const { id: category } = await subject.storage.categories.create('Dogs', CHANGE_STAMP);
      await subject.storage.optimize();
      const id = await create();
      await stored(subject.storage, id, [pending(1n), pending(2n)]);
      const [found] = await deliveries().pending([id], NOW, 10);
      const [event] = (await subject.storage.changes.list({ after: 0n, limit: 1 })).changes;
      expect(event).toMatchObject({ id: 1n, category: { id: category, name: 'Dogs' } });
      expect(found?.next.map(({ change }) => change)).toEqual([event, undefined]);
    });
  });
});
