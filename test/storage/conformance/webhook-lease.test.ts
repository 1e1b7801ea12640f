import { describe, expect, test } from 'bun:test';
import { forEachTest } from '../../support/lifetime.ts';
import { openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';
import { addWebhook, attemptOf, delivered, newTerm, pending, stored } from './delivery-states.ts';

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

  const deliveries = () => subject.storage.deliveries;

  const create = () => addWebhook(subject.storage);

  const leaseNow = async () => (await deliveries().snapshot(0)).lease;
  const logged = async (id: bigint) =>
    (await subject.storage.webhooks.deliveries(id, { afterId: undefined, limit: 100 })).items;

  describe('the lease', () => {
    test('is free at first, and of several that take it at once one gets it', async () => {
      await using other = await subject.another();
      const seen = await leaseNow();
      expect(seen).toEqual({ term: 0n, heartbeat: 0n });
      const all = [subject.storage, other.storage, subject.storage, other.storage];
      const taken = await Promise.all(all.map((storage) => storage.deliveries.takeLease(seen)));
      expect(taken.filter((term) => term !== undefined)).toEqual([1n]);
      expect(await leaseNow()).toEqual({ term: 1n, heartbeat: 1n });
    });

    test('has a heartbeat until somebody else takes it', async () => {
      const term = await newTerm(subject.storage);
      expect(await deliveries().renewLease(term)).toBe(true);
      expect(await leaseNow()).toEqual({ term, heartbeat: 2n });
      const next = await newTerm(subject.storage);
      expect(next).toBe(term + 1n);
      expect(await deliveries().renewLease(term)).toBe(false);
      expect(await leaseNow()).toEqual({ term: next, heartbeat: 1n });
    });

    test('is not taken if its heartbeat has grown since it was seen', async () => {
      const term = await newTerm(subject.storage);
      const seen = await leaseNow();
      await deliveries().renewLease(term);
      expect(await deliveries().takeLease(seen)).toBeUndefined();
      expect(await deliveries().renewLease(term)).toBe(true);
    });

    test('is free when its leader gives it back, which nobody else can do', async () => {
      const first = await newTerm(subject.storage);
      const second = await newTerm(subject.storage);
      await deliveries().releaseLease(first);
      expect(await leaseNow()).toEqual({ term: second, heartbeat: 1n });
      await deliveries().releaseLease(second);
      expect(await leaseNow()).toEqual({ term: second, heartbeat: 0n });
      expect(await newTerm(subject.storage)).toBe(second + 1n);
    });

    test('of an earlier term stores nothing', async () => {
      const id = await create();
      const first = await newTerm(subject.storage);
      const second = await stored(subject.storage, id, [pending(3n)], 1n);
      const { eventId, type, record, createdAt } = pending(4n);
      const added = { webhookId: id, eventId, type, record, createdAt };
      expect(await deliveries().add(first, [added])).toBe(false);
      expect(await deliveries().record(first, [attemptOf(id, delivered(3n))])).toBe(false);
      await deliveries().savePositions(first, [{ webhookId: id, position: 9n }]);
      expect(await logged(id)).toMatchObject([{ eventId: 3n, status: 'pending' }]);
      expect(await deliveries().load([id])).toMatchObject([{ position: 1n }]);
      expect(await deliveries().add(second, [added])).toBe(true);
      expect((await logged(id)).map(({ eventId }) => eventId)).toEqual([4n, 3n]);
    });
  });
});
