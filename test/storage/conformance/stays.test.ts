import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { AnimalRequest } from '../../../src/domain/animal.ts';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { Failure } from '../../../src/domain/failure.ts';
import type { Pet, PetStatus } from '../../../src/domain/pet.ts';
import { dateText, type ProfileChange } from '../../../src/domain/profile.ts';
import { areApart, type NewStay, OUTCOME_TYPES, type Stay } from '../../../src/domain/stay.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { animal, anyState, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const NEW = { order: 'none', orderId: 0n, published: false, heldTo: -1, isRemoved: false } as const;

/** What a walk knows of an animal: its status, and of its newest stay what must follow. */
interface Known {
  readonly id: bigint;
  status: PetStatus;
  /** The outcome of the newest stay; null while it is open. */
  outcome: Stay['outcomeType'];
  outcomeDay: number;
  stays: number;
  /** The state of the last order. */
  order: 'none' | 'placed' | 'approved' | 'completed' | 'returned' | 'cancelled';
  orderId: bigint;
  published: boolean;
  /** The last day of quarantine. */
  heldTo: number;
  isRemoved: boolean;
}

const step = fc.record({
  which: fc.nat(2),
  way: fc.constantFrom(
    ...(['add', 'patch', 'place', 'order', 'return', 'start', 'leave', 'reopen', 'note'] as const),
    ...(['remove', 'restore', 'import', 'hold', 'publish', 'days'] as const),
  ),
  status: fc.constantFrom<PetStatus>('available', 'pending', 'sold'),
  outcome: fc.constantFrom(...OUTCOME_TYPES),
  days: fc.nat(4),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

describeContract((engine) => {
  describe('stays', () => {
    const subject = forEachTest(() => openSubject(engine));

    const list = async (states: AnimalRequest['filter']['states']) =>
      (
        await subject.storage.animals.list({
          ...{ filter: { states }, sort: 'newest', after: undefined, limit: 100 },
        })
      ).items;

    /** Walks all ways in which animals come and leave, and returns what must hold. */
    function walk() {
      let day = 0;
      const known: Known[] = [];
      const stamp = () => ({ at: CHANGE_STAMP.at + day * DAY_MS, keyId: 7n });
      const { storage } = subject;

      async function attempt(isAllowed: boolean, work: () => unknown): Promise<boolean> {
        try {
          await work();
        } catch (error) {
          if (!(error instanceof Failure) || error.code !== 'conflict') throw error;
          expect(isAllowed, error.message).toBe(false);
          return false;
        }
        expect(isAllowed).toBe(true);
        return true;
      }

      function left(one: Known, outcome: Stay['outcomeType']) {
        one.status = 'sold';
        Object.assign(one, { outcome, outcomeDay: day });
        if (outcome !== 'adopted') one.published = false;
        const isOpen = one.order === 'placed' || one.order === 'approved';
        if (isOpen) one.order = outcome === 'adopted' ? 'completed' : 'cancelled';
      }
      function back(one: Known, isHidden: boolean) {
        Object.assign(one, { status: 'available', outcome: null, stays: one.stays + 1 });
        if (isHidden) one.published = false;
      }
      /** A status alone: it opens what ended within a day, and starts a stay otherwise. */
      function moved(one: Known, status: PetStatus) {
        if (status === 'sold' && one.status !== 'sold') left(one, 'adopted');
        else if (status !== 'sold' && one.status === 'sold') {
          if (one.outcomeDay < day - 1) one.stays++;
          one.outcome = null;
        }
        one.status = status;
      }

      async function take({ which, way, status, outcome, days }: Step): Promise<void> {
        if (way === 'days') day += days;
        if (way === 'add') {
          const { id } = await storage.pets.create({ ...animal(), status }, stamp());
          const isSold = status === 'sold';
          known.push({
            ...{ id, status, outcome: isSold ? 'adopted' : null, outcomeDay: day, stays: 1 },
            ...NEW,
          });
        }
        const one = known[which];
        if (one === undefined) return;
        const { id } = one;
        if (way === 'restore') {
          if (await attempt(one.isRemoved, () => storage.removedPets.restore(id, stamp()))) {
            one.isRemoved = false;
          }
          return;
        }
        if (one.isRemoved) return;
        const isOrdered = one.order === 'placed' || one.order === 'approved';
        const isGone = one.status === 'sold';
        const isHeld = day <= one.heldTo;
        const profile = async (change: ProfileChange) =>
          await storage.profiles.update(id, change, stamp(), anyState);
        const newest = async () => (await storage.stays.list(id))?.at(-1) as Stay;
        const update = async (change: NewStay) =>
          await storage.stays.update(id, (await newest()).id, change, stamp(), anyState);
        if (way === 'patch') {
          const isMove = status !== one.status;
          const isAllowed = !(isMove && (isOrdered || (status === 'sold' && isHeld)));
          const change = () => storage.pets.update(id, { status }, stamp(), anyState);
          if ((await attempt(isAllowed, change)) && isMove) moved(one, status);
        } else if (way === 'import') {
          const externalId = `e${id}`;
          const row = { name: 'Import', category: { id: 1n }, status, externalId };
          await storage.pets.importBatch([row], stamp());
          known.push(...(await imported(externalId, status)));
        } else if (way === 'place') {
          await attempt(one.status === 'available', async () => {
            one.orderId = (await storage.orders.place({ petId: id }, stamp())).id;
            Object.assign(one, { order: 'placed', status: 'pending' });
          });
        } else if (way === 'order' && isOrdered) {
          const to = one.order === 'placed' ? 'approved' : days === 0 ? 'cancelled' : 'completed';
          const change = () =>
            storage.orders.update(one.orderId, { status: to }, stamp(), anyState);
          if (!(await attempt(!(to === 'completed' && isHeld), change))) return;
          one.order = to;
          if (to === 'completed') left(one, 'adopted');
          if (to === 'cancelled') one.status = 'available';
        } else if (way === 'return' && one.orderId > 0n) {
          const isAllowed = one.order === 'completed' && isGone;
          const give = () => storage.stays.returnOrder(one.orderId, {}, stamp());
          if (await attempt(isAllowed, give)) {
            one.order = 'returned';
            back(one, true);
          }
        } else if (way === 'start') {
          if (
            await attempt(isGone, () => storage.stays.create(id, { intakeType: 'stray' }, stamp()))
          ) {
            back(one, true);
          }
        } else if (way === 'leave') {
          const wasOpen = !isGone;
          const isAllowed = !(outcome === 'adopted' && wasOpen && isHeld);
          if (await attempt(isAllowed, () => update({ outcomeType: outcome }))) {
            const { outcomeDay, published } = one;
            // To say again how it left changes nothing.
            const isSame = !wasOpen && one.outcome === outcome;
            left(one, outcome);
            if (!wasOpen) one.outcomeDay = outcomeDay;
            if (isSame) one.published = published;
          }
        } else if (way === 'reopen') {
          await update({ outcomeType: null });
          if (isGone) Object.assign(one, { status: 'available', outcome: null });
        } else if (way === 'note') await update({ note: `day ${day}` });
        else if (way === 'hold') {
          const careUntil = days === 0 ? null : dateText(stamp().at + (days - 2) * DAY_MS);
          await profile({ care: days === 4 ? null : 'quarantine', careUntil });
          one.heldTo = days === 0 ? Number.POSITIVE_INFINITY : days === 4 ? -1 : day + days - 2;
        } else if (way === 'publish') {
          await profile({ published: true, species: 'cat' });
          one.published = true;
        } else if (way === 'remove') {
          if (await attempt(!isOrdered, () => storage.pets.remove(id, stamp(), anyState))) {
            one.isRemoved = true;
          }
        }
      }

      /** Follows an animal that an import has added or changed. */
      async function imported(externalId: string, status: PetStatus): Promise<Known[]> {
        const pets = await storage.pets.findImported([externalId]);
        return pets.flatMap((pet): Known[] => {
          const one = known.find(({ id }) => id === pet.id);
          if (one === undefined) {
            const outcome = status === 'sold' ? ('adopted' as const) : null;
            return [
              {
                ...{ id: pet.id, status: pet.status, outcome, outcomeDay: day, stays: 1, ...NEW },
              },
            ];
          }
          if (pet.status !== one.status) moved(one, pet.status);
          return [];
        });
      }

      async function check(): Promise<void> {
        const [here, gone, removed] = [
          await list(['here']),
          await list(['left']),
          await list(['removed']),
        ];
        const ids = (some: readonly { readonly pet: Pet }[]) =>
          some.map(({ pet }) => pet.id).sort();
        const present = known.filter(({ isRemoved }) => !isRemoved);
        const where = (isGone: boolean) =>
          present
            .filter(({ status }) => (status === 'sold') === isGone)
            .map(({ id }) => id)
            .sort();
        expect(ids(here)).toEqual(where(false));
        expect(ids(gone)).toEqual(where(true));
        expect(ids(removed)).toEqual(
          known
            .filter((one) => one.isRemoved)
            .map(({ id }) => id)
            .sort(),
        );
        let listed = 0;
        for (const one of present) {
          const stays = (await storage.stays.list(one.id)) ?? [];
          const shown = [...here, ...gone].find(({ pet }) => pet.id === one.id);
          expect(areApart(stays)).toBe(true);
          expect(stays.filter(({ outcomeDate }) => outcomeDate === null).length).toBeLessThan(2);
          expect({
            status: shown?.pet.status,
            outcome: stays.at(-1)?.outcomeType,
            stays: stays.length,
          }).toEqual({
            ...{ status: one.status, outcome: one.outcome, stays: one.stays },
          });
          expect(shown?.stay).toEqual(stays.at(-1));
          expect(shown?.profile.inCareSince).toBe(stays.at(-1)?.intakeDate ?? null);
          expect(shown?.profile.published).toBe(one.published);
          const care = shown?.profile.care ?? null;
          if (one.status !== 'sold' && one.published && care === null) listed++;
        }
        const counts = await storage.stats.pets();
        for (const status of ['available', 'pending', 'sold'] as const) {
          expect(counts[status]).toBe(present.filter((one) => one.status === status).length);
        }
        const request = {
          filter: {},
          sort: 'newest',
          after: undefined,
          limit: 100,
          at: stamp().at,
          fairDay: 1,
        } as const;
        expect((await storage.listings.list(request)).items).toHaveLength(listed);
      }
      return { take, check };
    }

    test('status, list, listing and counts follow the stays, however animals come and leave', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
          await subject.storage.reset(CHANGE_STAMP);
          const { take, check } = walk();
          const first = { which: 0, way: 'add', outcome: 'died', days: 0 } as const;
          await take({ ...first, status: 'available' });
          await take({ ...first, status: 'available' });
          for (const each of steps) {
            await take(each);
            await check();
          }
        }),
        { numRuns: 60 },
      );
    }, 120_000);
  });
});
