import { describe, expect, test } from 'bun:test';
import type { OrderQuery, OrderStatus } from '../../../src/domain/order.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { animal, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

/** More than one page reads. */
const ORDERS = 2_010;

describeContract((engine) => {
  describe('a search for orders', () => {
    const subject = forEachTest(() => openSubject(engine));

    async function place(adopter: string, at: number): Promise<void> {
      const { id: petId } = await subject.storage.pets.create(animal(), CHANGE_STAMP);
      await subject.storage.orders.place({ petId, adopter }, { ...CHANGE_STAMP, at });
    }

    /** The ids of all pages, and how many pages there were. */
    async function walk(query: OrderQuery, limit = 2): Promise<readonly [number[], number]> {
      const ids: number[] = [];
      let afterId: bigint | undefined;
      for (let pages = 1; ; pages++) {
        const page = await subject.storage.orders.list(query, { afterId, limit });
        ids.push(...page.items.map(({ id }) => Number(id)));
        if (!page.more) return [ids, pages];
        afterId = page.resumeAfter ?? page.items.at(-1)?.id;
      }
    }

    test('finds what is far apart, on pages that each read a bounded number', async () => {
      await Promise.all([place('Ana', 5), place('Ben', 6)]);
      for (let placed = 0; placed < ORDERS; placed += 30) {
        await Promise.all(Array.from({ length: 30 }, () => place('Nobody', 7)));
      }
      await Promise.all([place('Ana', 8), place('Ben', 9)]);
      const [of = 0] = (await walk({ from: 5, to: 6 }))[0];
      const search = { words: ['ana'], withPersonal: true };
      const [found, pages] = await walk({ search });
      expect(found).toHaveLength(2);
      expect(found[0]).toBe(of);
      // A page that takes long ends early, so a busy machine makes more of them.
      expect(pages).toBeGreaterThanOrEqual(2);
      const [newest, newestPages] = await walk({ search, sort: 'newest' });
      expect(newest).toEqual(found.toReversed());
      expect(newestPages).toBeGreaterThanOrEqual(2);
      const [none, emptyPages] = await walk({ search: { ...search, withPersonal: false } });
      expect(none).toEqual([]);
      expect(emptyPages).toBeGreaterThanOrEqual(2);
      expect((await walk({ from: 8 }))[0]).toHaveLength(2);
      expect((await walk({ from: 8, search }))[0]).toEqual(found.slice(1));
    }, 60_000);

    test('each step keeps its time, and can be searched for by it', async () => {
      const { orders } = subject.storage;
      await place('Ana', 10);
      await place('Ben', 20);
      const to = (id: bigint, status: OrderStatus, time: number) =>
        orders.update(id, { status }, { ...CHANGE_STAMP, at: time }, () => {});
      await to(1n, 'approved', 30);
      await to(1n, 'completed', 50);
      await to(2n, 'cancelled', 40);
      await orders.update(1n, { adopter: null }, { ...CHANGE_STAMP, at: 60 }, () => {});
      expect(await orders.find(1n)).toMatchObject({
        ...{ placedAt: 10, approvedAt: 30, completedAt: 50, updatedAt: 60 },
      });
      expect((await orders.find(1n))?.cancelledAt).toBeUndefined();
      const within = async (step: OrderStatus, from: number, end: number) =>
        (await walk({ step, from, to: end }))[0];
      expect(await within('placed', 10, 20)).toEqual([1]);
      expect(await within('approved', 30, 31)).toEqual([1]);
      expect(await within('approved', 31, 99)).toEqual([]);
      expect(await within('completed', 50, 51)).toEqual([1]);
      expect(await within('cancelled', 0, 99)).toEqual([2]);
    });

    test('an empty shop, and a position that somebody has made up, give an empty page', async () => {
      const positions = [undefined, 0n, -(2n ** 63n), 2n ** 63n - 1n];
      for (const sort of ['oldest', 'newest'] as const) {
        for (const afterId of positions) {
          const page = await subject.storage.orders.list({ from: 0, sort }, { afterId, limit: 5 });
          expect(page.items).toEqual([]);
        }
      }
      await place('Ana', 5);
      const page = { afterId: 2n ** 63n - 1n, limit: 5 };
      expect(await subject.storage.orders.list({ from: 0 }, page)).toMatchObject({ items: [] });
    });
  });
});
