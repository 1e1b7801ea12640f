import { describe, expect, test } from 'bun:test';
import {
  CHOICES_KEPT_MS,
  IMPORT_LEASE_MS,
  type ImportState,
  type ImportStep,
  INTERRUPTED,
  NO_ANIMALS,
  NO_ROWS,
} from '../../../src/domain/import.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { imported, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const NOON = Date.UTC(2026, 10, 22, 12);
const LATER = NOON + IMPORT_LEASE_MS;
const OWNER = 'one process';
const FOUND = { id: 1n, owner: OWNER, leaseEndsAt: LATER };

const COMPLETED: ImportState = {
  status: 'completed',
  endedAt: NOON + 1,
  rows: { read: 3, total: 3, skipped: 1, repeated: 0, rejected: 1 },
  rejectedRows: [{ line: 2, reason: 'name must not be empty' }],
  failure: null,
  header: null,
};

describeContract((engine) => {
  describe('imports', () => {
    const subject = forEachTest(() => openSubject(engine));

    const add = (dryRun = false, leaseEndsAt = LATER) =>
      subject.storage.imports.create({
        keyId: 7n,
        dryRun,
        createdAt: NOON,
        choices: 'name=Name',
        owner: OWNER,
        leaseEndsAt,
      });
    const find = (id = 1n) => subject.storage.imports.find(id);
    const stepOf = (number: number, parts: Partial<ImportStep> = {}): ImportStep => ({
      ...FOUND,
      number,
      rows: { ...NO_ROWS, read: number },
      batch: [imported({ externalId: `A${number}` })],
      stamp: CHANGE_STAMP,
      options: {},
      ...parts,
    });

    test('keep the state that their process saves, until it is final', async () => {
      const { imports } = subject.storage;
      await add();
      expect(await imports.save(FOUND, COMPLETED)).toBe(true);
      expect(await find()).toMatchObject(COMPLETED);
      const failed = { ...COMPLETED, status: 'failed', failure: INTERRUPTED } as const;
      expect(await imports.save(FOUND, failed)).toBe(false);
      expect(await find()).toMatchObject(COMPLETED);
    });

    test('take no state and no batch of another process', async () => {
      const { imports, pets } = subject.storage;
      await add();
      expect(await imports.save({ ...FOUND, owner: 'another' }, COMPLETED)).toBe(false);
      expect(await imports.importBatch(stepOf(1, { owner: 'another' }))).toBeUndefined();
      expect(await find()).toMatchObject({ status: 'queued' });
      expect(await pets.count()).toBe(0);
    });

    test('count a batch in the transaction that writes it, and no batch twice', async () => {
      const { imports, pets } = subject.storage;
      await add();
      expect(await imports.importBatch(stepOf(1))).toEqual([1n]);
      expect(await imports.importBatch(stepOf(2))).toEqual([2n]);
      expect(await imports.importBatch(stepOf(2))).toEqual([]);
      expect(await pets.count()).toBe(2);
      const state = await find();
      expect(state?.animals).toEqual({ ...NO_ANIMALS, created: 2 });
      expect(state?.rows.read).toBe(2);
    });

    test('count nothing of a batch that fails', async () => {
      const { imports, pets } = subject.storage;
      await add();
      // Two rows of a batch must not have one external id.
      const batch = [imported({ externalId: 'A' }), imported({ externalId: 'A' })];
      await expect((async () => imports.importBatch(stepOf(1, { batch })))()).rejects.toThrow();
      expect(await pets.count()).toBe(0);
      expect((await find())?.animals).toEqual(NO_ANIMALS);
      expect(await imports.importBatch(stepOf(1))).toHaveLength(1);
      expect((await find())?.animals.created).toBe(1);
    });

    test('fail when their lease has ended, with what was written', async () => {
      const { imports, pets } = subject.storage;
      await add();
      await add();
      await imports.importBatch(stepOf(1));
      await imports.save({ ...FOUND, id: 2n, leaseEndsAt: LATER + 1 }, COMPLETED);
      expect(await imports.failAbandoned(LATER - 1)).toBe(0);
      expect(await imports.failAbandoned(LATER)).toBe(1);
      expect(await find()).toMatchObject({
        status: 'failed',
        endedAt: LATER,
        failure: INTERRUPTED,
        animals: { ...NO_ANIMALS, created: 1 },
      });
      expect((await find(2n))?.status).toBe('completed');
      expect(await imports.importBatch(stepOf(2))).toBeUndefined();
      expect(await pets.count()).toBe(1);
    });

    test('last while their process renews the lease', async () => {
      const { imports } = subject.storage;
      await add();
      await imports.renew('another', LATER + 2);
      await imports.renew(OWNER, LATER + 1);
      expect(await imports.failAbandoned(LATER)).toBe(0);
      expect(await imports.failAbandoned(LATER + 1)).toBe(1);
    });

    test('are removed some time after their end, in bounded steps', async () => {
      const { imports } = subject.storage;
      for (let n = 1; n <= 4; n++) await add();
      for (const id of [1n, 2n, 3n]) await imports.save({ ...FOUND, id }, COMPLETED);
      expect(await imports.removeExpired(NOON, 10)).toBe(0);
      expect(await imports.removeExpired(NOON + 1, 2)).toBe(2);
      expect(await imports.removeExpired(NOON + 1, 2)).toBe(1);
      const { items } = await imports.list({ afterId: undefined, limit: 10 });
      expect(items.map(({ id }) => id)).toEqual([4n]);
    });

    test('of one header are found, without dry runs, and the newest outlasts the others', async () => {
      const { imports } = subject.storage;
      const header = 'c2f6b1a09d3e4f58';
      for (const dryRun of [false, false, true, false]) await add(dryRun);
      for (const id of [1n, 2n, 3n]) await imports.save({ ...FOUND, id }, { ...COMPLETED, header });
      await imports.save({ ...FOUND, id: 4n }, COMPLETED);
      const page = { afterId: undefined, limit: 10, isDescending: true };
      const ids = async () => (await imports.list(page, header)).items.map(({ id }) => id);
      expect(await ids()).toEqual([2n, 1n]);
      expect(await imports.removeExpired(NOON + 1, 10)).toBe(3);
      expect(await ids()).toEqual([2n]);
      expect((await find(2n))?.choices).toBe('name=Name');
      expect(await imports.removeExpired(NOON + 1 + CHOICES_KEPT_MS, 10)).toBe(1);
    });

    test('remember the photos of an animal until it is added again', async () => {
      const { imports, pets } = subject.storage;
      const batch = [imported({ externalId: 'A' }), imported({ externalId: 'B' })];
      const { ids } = await pets.importBatch(batch, CHANGE_STAMP);
      await imports.notePhoto('A', '0123456789abcdef');
      await imports.notePhoto('A', '0123456789abcdef');
      for (let n = 0; n < 50; n++) await imports.notePhoto('A', `${n}`.padStart(16, '0'));
      await imports.notePhoto('C', '0123456789abcdef');
      const marks = async (id: string) => (await imports.knownPhotos(['A', 'B', 'C'])).get(id);
      expect((await marks('A'))?.size).toBe(48);
      expect((await marks('A'))?.has(`${49}`.padStart(16, '0'))).toBe(true);
      expect([(await marks('B'))?.size, await marks('C')]).toEqual([0, undefined]);
      expect((await pets.importBatch(batch.toReversed(), CHANGE_STAMP)).ids).toEqual(
        ids.toReversed(),
      );
      await pets.remove(ids[0] ?? 0n, CHANGE_STAMP, () => {});
      const next = batch.map((row) => ({ ...row, name: 'Changed' }));
      const added = await pets.importBatch(next, CHANGE_STAMP);
      expect(added.ids).toEqual([3n, 2n]);
      expect((await marks('A'))?.size).toBe(0);
    });

    test('go with a reset, which ends one that is running', async () => {
      const { storage } = subject;
      await add();
      await storage.reset(CHANGE_STAMP);
      expect(await find()).toBeUndefined();
      expect(await storage.imports.importBatch(stepOf(1))).toBeUndefined();
      expect(await storage.pets.count()).toBe(0);
      expect((await add()).id).toBe(2n);
    });
  });
});
