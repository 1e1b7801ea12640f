import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { HeldWebhook } from '../../../src/domain/delivery.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { animal, openSubject, type Subject } from '../subject.ts';
import { describeContract } from './contract.ts';
import { DELIVERED_AT, delivered, held, pending, progressOf } from './delivery-states.ts';

const EVERYTHING = { afterId: undefined, limit: 100 };

describeContract((engine) => {
  let subject: Subject;
  beforeEach(async () => {
    subject = await openSubject(engine);
  });
  afterEach(() => subject[Symbol.asyncDispose]());

  const deliveries = () => subject.storage.deliveries;

  async function create(): Promise<bigint> {
    const webhook = { url: 'https://a.example', types: null, description: null, createdAt: 1 };
    return (await subject.storage.webhooks.create(webhook, () => 'secret')).id;
  }

  async function surveyed(id: bigint) {
    const { webhooks } = await deliveries().survey();
    const found = webhooks.find((webhook) => webhook.id === id);
    if (found === undefined) throw new Error(`no webhook ${id}`);
    return found;
  }

  async function loaded(deliverer: bigint, id: bigint): Promise<HeldWebhook | undefined> {
    return (await deliveries().load(deliverer, [id]))[0];
  }

  async function disable(id: bigint): Promise<void> {
    await subject.storage.webhooks.update(id, (current) => ({
      ...current,
      disabledReason: 'requested',
    }));
  }

  const eventIds = async (id: bigint) =>
    (await subject.storage.webhooks.deliveries(id, EVERYTHING)).items.map(({ eventId }) => eventId);

  describe('a deliverer', () => {
    test('gets an id that is never given again, and beats until it is removed', async () => {
      await create();
      const first = await deliveries().register();
      expect(await deliveries().beat(first)).toBe(true);
      const { deliverers } = await deliveries().survey();
      expect(deliverers).toEqual([{ id: first, beat: 2n }]);
      await deliveries().removeDeliverer({ id: first, beat: 2n });
      expect(await deliveries().beat(first)).toBe(false);
      expect(await deliveries().register()).toBeGreaterThan(first);
    });

    test('that beats after it was seen is not removed', async () => {
      const id = await deliveries().register();
      await deliveries().beat(id);
      await deliveries().removeDeliverer({ id, beat: 1n });
      expect(await deliveries().beat(id)).toBe(true);
    });

    test('claims what is free, and keeps it from others while it lives', async () => {
      const id = await create();
      const [first, second] = [await deliveries().register(), await deliveries().register()];
      const free = await surveyed(id);
      await deliveries().claim(first, [free]);
      await deliveries().claim(second, [free, await surveyed(id)]);
      expect(await loaded(second, id)).toBeUndefined();
      expect(await loaded(first, id)).toMatchObject({ webhook: { id }, position: 0n });
      await deliveries().removeDeliverer({ id: first, beat: 1n });
      await deliveries().claim(second, [await surveyed(id)]);
      expect(await loaded(first, id)).toBeUndefined();
      expect(await loaded(second, id)).toMatchObject({ webhook: { id } });
    });

    test('does not claim what another one took since the survey, even if that one is gone', async () => {
      const id = await create();
      const free = await surveyed(id);
      const first = await held(subject.storage, id);
      await deliveries().removeDeliverer({ id: first, beat: 1n });
      const second = await deliveries().register();
      await deliveries().claim(second, [free]);
      expect(await loaded(second, id)).toBeUndefined();
    });

    test('of several that claim at once, each webhook has one', async () => {
      for (let n = 0; n < 20; n++) await create();
      await using other = await subject.another();
      const { webhooks } = await deliveries().survey();
      const both = [subject.storage, other.storage].map(async (storage) => {
        const id = await storage.deliveries.register();
        await storage.deliveries.claim(id, webhooks);
        const ids = webhooks.map((each) => each.id);
        return (await storage.deliveries.load(id, ids)).map(({ webhook }) => webhook.id);
      });
      const claimed = (await Promise.all(both)).flat();
      expect(claimed.length).toBe(new Set(claimed).size);
    });

    test('claims and loads only what is enabled', async () => {
      const [one, two] = [await create(), await create()];
      const deliverer = await held(subject.storage, one);
      await disable(one);
      await disable(two);
      expect(await surveyed(one)).toMatchObject({ disabledReason: 'requested', revision: 2n });
      await deliveries().claim(deliverer, [await surveyed(two)]);
      expect(await deliveries().load(deliverer, [one, two])).toEqual([]);
    });

    test('frees what it releases', async () => {
      const id = await create();
      const deliverer = await held(subject.storage, id);
      await deliveries().release(deliverer + 1n, [id]);
      expect(await surveyed(id)).toMatchObject({ delivererId: deliverer });
      await deliveries().release(deliverer, [id]);
      expect(await surveyed(id)).toMatchObject({ delivererId: null });
    });
  });

  describe('a webhook starts', () => {
    test('after the newest event', async () => {
      const { id: category } = await subject.storage.categories.create('Dogs', CHANGE_STAMP);
      await subject.storage.pets.create(animal({ categoryId: category }), CHANGE_STAMP);
      await subject.storage.optimize();
      const id = await create();
      const deliverer = await held(subject.storage, id, {
        position: await subject.storage.changes.newest(),
      });
      expect((await loaded(deliverer, id))?.position).toBe(2n);
      const next = await create();
      await deliveries().claim(deliverer, [await surveyed(next)]);
      expect((await loaded(deliverer, next))?.position).toBe(2n);
    });
  });

  describe('progress', () => {
    test('is stored as a whole, and found by whoever takes over', async () => {
      const id = await create();
      const waiting = pending(12n, { attempts: 2, nextAttemptAt: 99, type: 'order.updated' });
      const states = [delivered(9n), delivered(11n), waiting, pending(13n, { record: 'pet 12' })];
      const first = await held(subject.storage, id, {
        ...{ position: 10n, deliveries: states, lastSuccessAt: 5, failingSince: 6 },
      });
      await deliveries().removeDeliverer({ id: first, beat: 1n });
      const second = await deliveries().register();
      await deliveries().claim(second, [await surveyed(id)]);
      const found = await loaded(second, id);
      expect(found).toMatchObject({
        ...{ position: 10n, settled: [11n], webhook: { lastSuccessAt: 5, failingSince: 6 } },
      });
      expect(found?.pending).toEqual([
        {
          ...{ eventId: 12n, type: 'order.updated', record: 'pet 12', attempts: 2 },
          ...{ createdAt: DELIVERED_AT, nextAttemptAt: 99 },
        },
        {
          ...{ eventId: 13n, type: 'pet.created', record: 'pet 12', attempts: 0 },
          ...{ createdAt: DELIVERED_AT, nextAttemptAt: null },
        },
      ]);
    });

    test('of a later attempt replaces the earlier one', async () => {
      const id = await create();
      const failed = pending(1n, { attempts: 1, error: 'HTTP 500', responseStatus: 500 });
      const deliverer = await held(subject.storage, id, { deliveries: [failed] });
      const later = delivered(1n, { attempts: 2, deliveredAt: DELIVERED_AT + 5 });
      await deliveries().record(deliverer, [progressOf(id, { deliveries: [later] })]);
      const { items } = await subject.storage.webhooks.deliveries(id, EVERYTHING);
      expect(items).toEqual([
        expect.objectContaining({ attempts: 2, error: null, responseStatus: 200 }),
      ]);
    });

    test('of a webhook that somebody else holds is refused, that of the others is stored', async () => {
      const [own, lost] = [await create(), await create()];
      const deliverer = await held(subject.storage, own);
      await held(subject.storage, lost);
      const kept = await deliveries().record(deliverer, [
        progressOf(own, { position: 3n, deliveries: [delivered(3n)] }),
        progressOf(lost, { position: 3n, deliveries: [delivered(3n)] }),
      ]);
      expect([...kept]).toEqual([own]);
      expect(await eventIds(own)).toEqual([3n]);
      expect(await eventIds(lost)).toEqual([]);
    });

    test('of a deliverer that was removed is refused', async () => {
      const id = await create();
      const deliverer = await held(subject.storage, id);
      await deliveries().removeDeliverer({ id: deliverer, beat: 1n });
      const progress = progressOf(id, { position: 3n, deliveries: [delivered(3n)] });
      expect((await deliveries().record(deliverer, [progress])).size).toBe(0);
      expect(await eventIds(id)).toEqual([]);
    });

    test('can disable a webhook; to enable it forgives earlier failures', async () => {
      const id = await create();
      await held(subject.storage, id, { failingSince: 7, disable: 'failing' });
      const found = await subject.storage.webhooks.find(id);
      expect(found).toMatchObject({ disabledReason: 'failing', failingSince: 7 });
      const enabled = await subject.storage.webhooks.update(id, (current) => ({
        ...current,
        disabledReason: null,
      }));
      expect(enabled).toMatchObject({ disabledReason: null, failingSince: null });
    });

    test('a retry shows in the survey', async () => {
      const id = await create();
      await held(subject.storage, id, { deliveries: [delivered(1n)] });
      const { revision } = await surveyed(id);
      await subject.storage.webhooks.retry(id, 1n, 5);
      expect((await surveyed(id)).revision).toBeGreaterThan(revision);
    });
  });

  describe('the change log is needed', () => {
    test('by nobody without an enabled webhook', async () => {
      expect(await deliveries().neededAfter()).toBeUndefined();
      const id = await create();
      await held(subject.storage, id, { position: 5n });
      await disable(id);
      expect(await deliveries().neededAfter()).toBeUndefined();
    });

    test('after the earliest position, or before the earliest pending event', async () => {
      const [one, two] = [await create(), await create()];
      await held(subject.storage, one, { position: 9n });
      const deliverer = await held(subject.storage, two, { position: 7n });
      expect(await deliveries().neededAfter()).toBe(7n);
      const progress = progressOf(two, { position: 12n, deliveries: [pending(4n), delivered(2n)] });
      await deliveries().record(deliverer, [progress]);
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
      await held(subject.storage, id, { deliveries: states });
      expect(await deliveries().removeExpired(0, 10)).toBe(0);
      expect(await deliveries().removeExpired(3, 2)).toBe(2);
      expect(await eventIds(id)).toEqual([5n, 4n, 3n]);
      expect(await deliveries().removeExpired(3, 2)).toBe(1);
      expect(await deliveries().removeExpired(3, 2)).toBe(0);
      expect(await eventIds(id)).toEqual([5n, 3n]);
    });

    test('also pending ones of a disabled webhook', async () => {
      const id = await create();
      await held(subject.storage, id, { deliveries: [pending(3n, { createdAt: 1 })] });
      await disable(id);
      expect(await deliveries().removeExpired(1, 10)).toBe(1);
    });

    test('all of a removed webhook, in steps', async () => {
      const [one, two] = [await create(), await create()];
      await held(subject.storage, one, {
        deliveries: [delivered(1n), pending(2n), delivered(3n)],
      });
      await held(subject.storage, two, { deliveries: [delivered(1n)] });
      await subject.storage.webhooks.remove(one, () => {});
      expect(await deliveries().removeExpired(0, 2)).toBe(2);
      expect(await deliveries().removeExpired(0, 2)).toBe(1);
      expect(await deliveries().removeExpired(0, 2)).toBe(0);
      expect(await eventIds(two)).toEqual([1n]);
    });
  });
});
