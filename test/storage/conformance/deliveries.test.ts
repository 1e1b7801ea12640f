import { describe, expect, test } from 'bun:test';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { numbered } from '../change-recorder.ts';
import { openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';
import { addWebhook, attemptOf, delivered, pending, stored } from './delivery-states.ts';

const EVERYTHING = { afterId: undefined, limit: 100 };

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

  const deliveries = () => subject.storage.deliveries;

  const create = () => addWebhook(subject.storage);

  async function disable(id: bigint): Promise<void> {
    await subject.storage.webhooks.update(id, (current) => ({
      ...current,
      disabledReason: 'requested',
    }));
  }

  const versionOf = async (id: bigint) =>
    (await deliveries().snapshot(0)).webhooks.find((webhook) => webhook.id === id);
  const logged = async (id: bigint) =>
    (await subject.storage.webhooks.deliveries(id, EVERYTHING)).items;
  const eventIds = async (id: bigint) => (await logged(id)).map(({ eventId }) => eventId);

  describe('a webhook', () => {
    test('is loaded while it is enabled, and shows that it was changed', async () => {
      const [one, two] = [await create(), await create()];
      await disable(one);
      expect(await versionOf(one)).toEqual({
        id: one,
        disabledReason: 'requested',
        revision: 2n,
        isOrphan: false,
      });
      expect(await versionOf(two)).toMatchObject({ disabledReason: null, revision: 1n });
      expect(await deliveries().load([one, two])).toMatchObject([
        { webhook: { id: two }, revision: 1n },
      ]);
    });

    test('shows that a retry was asked for', async () => {
      const id = await create();
      await stored(subject.storage, id, [delivered(1n)]);
      await subject.storage.webhooks.retry(id, 1n, 5);
      expect(await versionOf(id)).toMatchObject({ revision: 2n });
    });
  });

  describe('a delivery', () => {
    test('is added once, and stays as it is when it is added again', async () => {
      const id = await create();
      await stored(subject.storage, id, [delivered(1n), pending(2n)]);
      await stored(subject.storage, id, [pending(1n), pending(3n)]);
      expect((await logged(id)).map(({ eventId, status }) => `${eventId} ${status}`)).toEqual([
        '3 pending',
        '2 pending',
        '1 delivered',
      ]);
    });
  });

  describe('the health of an endpoint', () => {
    test('can disable it; to enable it forgives earlier failures', async () => {
      const id = await create();
      const term = await stored(subject.storage, id, [pending(1n)]);
      const failed = pending(1n, { attempts: 1 });
      const failing = { failingSince: 7, disable: { reason: 'failing', at: 8 } } as const;
      // The second finds it disabled.
      for (let i = 0; i < 2; i++) {
        await deliveries().record(term, [attemptOf(id, failed, failing)]);
      }
      await subject.storage.optimize();
      await numbered(subject.storage.changes);
      const page = { afterId: undefined, limit: 9 };
      const lines = await subject.storage.audit.list({ type: 'webhook.updated' }, page);
      expect(lines.items).toMatchObject([
        {
          ...{ at: 8, actor: null, subject: { type: 'webhook', id } },
          changes: { status: ['enabled', 'disabled'], disabledReason: [null, 'failing'] },
        },
      ]);
      const found = await subject.storage.webhooks.find(id);
      expect(found).toMatchObject({ disabledReason: 'failing', failingSince: 7 });
      const enabled = await subject.storage.webhooks.update(id, (current) => ({
        ...current,
        disabledReason: null,
      }));
      expect(enabled).toMatchObject({ disabledReason: null, failingSince: null });
    });
  });

  describe('the change log is needed', () => {
    test('by nobody without an enabled webhook', async () => {
      expect(await deliveries().neededAfter()).toBeUndefined();
      const id = await create();
      await stored(subject.storage, id, [], 5n);
      await disable(id);
      expect(await deliveries().neededAfter()).toBeUndefined();
    });

    test('after the earliest position, or before the earliest pending event', async () => {
      const [one, two] = [await create(), await create()];
      await stored(subject.storage, one, [], 9n);
      await stored(subject.storage, two, [], 7n);
      expect(await deliveries().neededAfter()).toBe(7n);
      await stored(subject.storage, two, [pending(4n), delivered(2n)], 12n);
      expect(await deliveries().neededAfter()).toBe(3n);
    });

    test('so its removal can stop there', async () => {
      const { categories, changes } = subject.storage;
      for (const name of ['A', 'B', 'C', 'D']) await categories.create(name, CHANGE_STAMP);
      await subject.storage.optimize();
      expect(await changes.removeExpired(CHANGE_STAMP.at, 100, 2n)).toBe(2);
      const { changes: rest } = await changes.list({ after: undefined, limit: 10 });
      expect(rest.map(({ id }) => id)).toEqual([3n, 4n]);
    });
  });

  describe('deliveries are removed', () => {
    test('when they are old enough, the first ones first, in steps', async () => {
      const id = await create();
      const at = (eventId: bigint, createdAt: number) => delivered(eventId, { createdAt });
      const states = [at(1n, 1), at(2n, 2), pending(3n, { createdAt: 1 }), at(4n, 3), at(5n, 9)];
      await stored(subject.storage, id, states);
      expect(await deliveries().removeExpired(0, 10)).toBe(0);
      expect(await deliveries().removeExpired(3, 2)).toBe(2);
      expect(await eventIds(id)).toEqual([5n, 4n, 3n]);
      expect(await deliveries().removeExpired(3, 2)).toBe(1);
      expect(await deliveries().removeExpired(3, 2)).toBe(0);
      expect(await eventIds(id)).toEqual([5n, 3n]);
    });

    test('also pending ones of a disabled webhook', async () => {
      const id = await create();
      await stored(subject.storage, id, [pending(3n, { createdAt: 1 })]);
      await disable(id);
      expect(await deliveries().removeExpired(1, 10)).toBe(1);
    });

    test('but not those after the position, which would be added again', async () => {
      const id = await create();
      const states = [delivered(1n, { createdAt: 1 }), delivered(2n, { createdAt: 1 })];
      await stored(subject.storage, id, states, 1n);
      expect(await deliveries().removeExpired(1, 10)).toBe(1);
      expect(await eventIds(id)).toEqual([2n]);
    });

    test('all of a removed webhook, in steps', async () => {
      const [one, two] = [await create(), await create()];
      await stored(subject.storage, one, [delivered(1n), pending(2n), delivered(3n)]);
      await stored(subject.storage, two, [delivered(1n)]);
      await subject.storage.webhooks.remove(one, () => {});
      expect(await deliveries().removeExpired(0, 2)).toBe(2);
      expect(await deliveries().removeExpired(0, 2)).toBe(1);
      expect(await deliveries().removeExpired(0, 2)).toBe(0);
      expect(await eventIds(two)).toEqual([1n]);
    });
  });
});
