import { describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { NO_ROWS } from '../../../src/domain/import.ts';
import type { DisabledReason } from '../../../src/domain/webhook.ts';
import { LONG_CARE_DAYS, ORDER_WAIT_DAYS, WORK_SHOWN } from '../../../src/domain/work.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { addEnquiry, addListed } from '../../support/enquiries.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { animal, anyState, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const NOW = CHANGE_STAMP.at;
const stampAt = (at: number) => ({ ...CHANGE_STAMP, at });
const NONE = { count: 0, first: [] };
const sha = (n: number) => n.toString(16).padStart(64, '0');

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

  const work = async (at = NOW) => await subject.storage.work.list(at);
  async function add(name: string, inCareSince: string | null = null, published = true) {
    const { pets, profiles } = subject.storage;
    const { id } = await pets.create(animal({ name }), CHANGE_STAMP);
    const known = { species: 'dog', published, inCareSince } as const;
    await profiles.update(id, known, CHANGE_STAMP, anyState);
    return id;
  }
  const addPhoto = (petId: bigint, n: number) =>
    subject.storage.photos.add(
      petId,
      { sha256: sha(n), alt: '', width: 640, height: 480 },
      CHANGE_STAMP,
    );

  describe('the work list', () => {
    test('of an empty shop is empty', async () => {
      expect(await work()).toEqual({
        orders: NONE,
        enquiries: NONE,
        longInCare: NONE,
        withoutPhoto: NONE,
        endedHolds: NONE,
        imports: NONE,
        webhooks: NONE,
        channels: NONE,
      });
    });

    test('has new enquiries, the oldest first, also of an animal that was removed', async () => {
      const { enquiries, pets } = subject.storage;
      const [rex, gone] = [await addListed(subject.storage), await addListed(subject.storage)];
      const ids = [
        await addEnquiry(subject.storage, { petId: rex }, NOW),
        await addEnquiry(subject.storage, { petId: gone }, NOW + 1),
        await addEnquiry(subject.storage, { petId: rex }, NOW + 2),
      ];
      await enquiries.update(ids[2] ?? 0n, { status: 'answered' }, CHANGE_STAMP, anyState);
      await pets.remove(gone, CHANGE_STAMP, anyState);
      const found = (await work()).enquiries;
      expect(found.count).toBe(2);
      expect(found.first.map(({ id, petId }) => [id, petId])).toEqual([
        [ids[0] ?? 0n, rex],
        [ids[1] ?? 0n, gone],
      ]);
      expect(found.first.map(({ petName }) => petName === null)).toEqual([false, true]);
    });

    test('has orders that have been open for days, the oldest first', async () => {
      const { pets, orders } = subject.storage;
      const limit = NOW - ORDER_WAIT_DAYS * DAY_MS;
      const placed: bigint[] = [];
      for (const at of [limit + 1, limit, limit - 1, limit - 2, limit - 3]) {
        const pet = await pets.create(animal({ name: `at ${limit - at}` }), stampAt(at));
        placed.push((await orders.place({ petId: pet.id, adopter: 'Ana' }, stampAt(at))).id);
      }
      const [, , second = 0n, approved = 0n, cancelled = 0n] = placed;
      await orders.update(approved, { status: 'approved' }, CHANGE_STAMP, anyState);
      await orders.update(cancelled, { status: 'cancelled' }, CHANGE_STAMP, anyState);
      expect((await work()).orders).toEqual({
        count: 3,
        first: [
          { id: approved, petId: 4n, petName: 'at 2', status: 'approved', placedAt: limit - 2 },
          { id: second, petId: 3n, petName: 'at 1', status: 'placed', placedAt: limit - 1 },
          { id: placed[1] ?? 0n, petId: 2n, petName: 'at 0', status: 'placed', placedAt: limit },
        ],
      });
    });

    test('has listed animals that have been in care for long', async () => {
      const limit = new Date(NOW - LONG_CARE_DAYS * DAY_MS).toISOString().slice(0, 10);
      await add('Recent');
      const long = await add('Long', limit);
      const longest = await add('Longest', '2020-02-29');
      await add('Hidden', '2019-01-01', false);
      expect((await work()).longInCare).toEqual({
        count: 2,
        first: [
          { petId: longest, petName: 'Longest', since: '2020-02-29' },
          { petId: long, petName: 'Long', since: limit },
        ],
      });
      expect((await work(NOW + LONG_CARE_DAYS * DAY_MS)).longInCare.count).toBe(3);
    });

    test('has listed animals until they have a photo, and again without', async () => {
      const { pets, photos, profiles } = subject.storage;
      const without = async () =>
        (await work()).withoutPhoto.first.map(({ petName, status }) => `${petName} ${status}`);
      const rex = await add('Rex');
      const hidden = await add('Hidden', null, false);
      await addPhoto(hidden, 9);
      expect(await without()).toEqual(['Rex available']);
      const first = await addPhoto(rex, 1);
      const second = await addPhoto(rex, 2);
      expect(await without()).toEqual([]);
      await profiles.update(hidden, { published: true }, CHANGE_STAMP, anyState);
      expect(await without()).toEqual([]);
      await photos.remove(rex, first?.photo.id ?? 0n, CHANGE_STAMP, anyState);
      expect(await without()).toEqual([]);
      await photos.remove(rex, second?.photo.id ?? 0n, CHANGE_STAMP, anyState);
      await pets.update(rex, { status: 'pending', name: 'Max' }, CHANGE_STAMP, anyState);
      expect(await without()).toEqual(['Max pending']);
      await pets.remove(rex, CHANGE_STAMP, anyState);
      await pets.remove(hidden, CHANGE_STAMP, anyState);
      expect(await without()).toEqual([]);
      for (let n = 0; n < WORK_SHOWN + 2; n++) await add(`Dog ${n}`);
      expect((await work()).withoutPhoto.count).toBe(WORK_SHOWN + 2);
      expect(await without()).toHaveLength(WORK_SHOWN);
      await subject.storage.reset(CHANGE_STAMP);
      expect((await work()).withoutPhoto).toEqual(NONE);
    });

    test('has recent imports with rejected rows, the latest first', async () => {
      const { imports } = subject.storage;
      async function end(endedAt: number, rejected: number, dryRun = false) {
        const owner = 'one process';
        const added = {
          keyId: 7n,
          dryRun,
          createdAt: endedAt,
          choices: '',
          owner,
          leaseEndsAt: endedAt + 1,
        };
        const { id } = await imports.create(added);
        const rejectedRows = rejected > 0 ? [{ line: 2, reason: 'name must not be empty' }] : [];
        const rows = { ...NO_ROWS, rejected };
        const state = {
          status: 'completed',
          endedAt,
          rows,
          rejectedRows,
          failure: null,
          header: null,
        } as const;
        await imports.save({ id, owner, leaseEndsAt: endedAt + 1 }, state);
        return id;
      }
      const older = await end(NOW - 2, 3);
      const newer = await end(NOW - 1, 1);
      await end(NOW - 1, 0);
      await end(NOW - 1, 5, true);
      await end(NOW - 30 * DAY_MS, 5);
      expect((await work()).imports).toEqual({
        count: 2,
        first: [
          { id: newer, endedAt: NOW - 1, rejected: 1 },
          { id: older, endedAt: NOW - 2, rejected: 3 },
        ],
      });
    });

    test('has webhooks that fail or that the service has disabled', async () => {
      const { webhooks } = subject.storage;
      const add = async (disabledReason: DisabledReason | null) => {
        const url = `https://${disabledReason}.example`;
        const settings = { url, types: null, description: null };
        const { id } = await webhooks.create({ ...settings, createdAt: NOW }, () => 'secret');
        await webhooks.update(id, (current) => ({ ...current, disabledReason }));
      };
      for (const reason of [null, 'requested', 'gone', 'failing', 'copied'] as const) {
        await add(reason);
      }
      const failing = async () =>
        (await work()).webhooks.first.map(({ url, failingSince }) => [url, failingSince]);
      const disabled = ['gone', 'failing', 'copied'].map((reason) => [
        `https://${reason}.example`,
        null,
      ]);
      expect(await failing()).toEqual(disabled);
      await subject.database.sql('UPDATE webhooks SET failing_since = 5 WHERE id < 3');
      expect(await failing()).toEqual([['https://null.example', 5], ...disabled]);
    });
  });
});
