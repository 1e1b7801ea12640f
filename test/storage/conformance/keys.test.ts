import { describe, expect, test } from 'bun:test';
import type { Allowance } from '../../../src/domain/allowance.ts';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { hashKey } from '../../../src/domain/secrets.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { imported, newKey, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const CREATED = CHANGE_STAMP.at;

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

  describe('keys', () => {
    test('keep the time of the first revocation', async () => {
      const { keys } = subject.storage;
      await keys.create(newKey());
      await keys.revoke(1n, CREATED + 5);
      await keys.revoke(1n, CREATED + 9);
      expect((await keys.find(1n))?.revokedAt).toBe(CREATED + 5);
      await keys.revoke(99n, CREATED);
      expect(await keys.list()).toHaveLength(1);
    });

    test('have increasing times of unban, even if the clock was set back', async () => {
      const { keys } = subject.storage;
      expect((await keys.create(newKey())).unbannedAt).toBeNull();
      await keys.unban(1n, CREATED + 5);
      await keys.unban(1n, CREATED + 3);
      expect((await keys.find(1n))?.unbannedAt).toBe(CREATED + 6);
      await keys.unban(1n, CREATED + 9);
      expect((await keys.find(1n))?.unbannedAt).toBe(CREATED + 9);
    });

    test('one that alone may manage keys gets an end only if another one outlasts it', async () => {
      const { keys } = subject.storage;
      await keys.create(newKey({ scopes: ['admin'] }));
      await keys.create(newKey({ name: 'two', scopes: ['admin'], expiresAt: CREATED + 5 }));
      const until = async (expiresAt: number) =>
        await keys.update(1n, CREATED, (known) => ({ ...known, expiresAt }));
      await expect(until(CREATED + 5)).rejects.toMatchObject({ code: 'conflict' });
      expect((await until(CREATED + 4))?.expiresAt).toBe(CREATED + 4);
    });

    test('stay as they are when a rotation fails', async () => {
      const { keys } = subject.storage;
      const old = await keys.create(newKey());
      const rotate = async () =>
        await keys.rotate(1n, { hash: hashKey('one'), at: CREATED + 10, overlapMs: 100 });
      await expect(rotate()).rejects.toThrow();
      expect(await keys.list()).toEqual([old]);
    });

    test('keep the latest recorded use', async () => {
      const { keys } = subject.storage;
      await keys.create(newKey());
      await keys.create(newKey({ name: 'two' }));
      const lastUses = async () => (await keys.list()).map(({ lastUsedAt }) => lastUsedAt);
      await keys.recordUse(new Map([[1n, CREATED + 7]]));
      expect(await lastUses()).toEqual([CREATED + 7, null]);
      await keys.recordUse(
        new Map([
          [1n, CREATED + 3],
          [2n, CREATED + 4],
          [99n, CREATED],
        ]),
      );
      expect(await lastUses()).toEqual([CREATED + 7, CREATED + 4]);
      await keys.recordUse(new Map());
      expect(await lastUses()).toEqual([CREATED + 7, CREATED + 4]);
      // A clock was three days ahead, and was set right.
      await keys.recordUse(new Map([[1n, CREATED + 3 * DAY_MS]]));
      await keys.recordUse(new Map([[1n, CREATED + 9]]));
      expect(await lastUses()).toEqual([CREATED + 9, CREATED + 4]);
    });
  });

  describe('allowances', () => {
    const allowance = (keyId: bigint, seed: number): Allowance => ({
      keyId,
      minute: { start: seed, used: seed + 1, otherStart: seed + 2, otherUsed: seed + 3 },
      day: { start: seed + 4, used: seed + 5, otherStart: seed + 6, otherUsed: seed + 7 },
      refusalsStart: seed + 8,
      refusals: seed + 9,
      bans: seed + 10,
      bannedUntil: seed + 11,
      unbannedAt: seed + 12,
    });

    test('are stored unchanged, and replaced by later ones', async () => {
      const { keys, allowances } = subject.storage;
      await keys.create(newKey());
      await keys.create(newKey({ name: 'two' }));
      expect(await allowances.find(1n)).toBeUndefined();
      expect(await allowances.list()).toEqual([]);
      await allowances.save([allowance(2n, 2 * CREATED), allowance(1n, 0)]);
      expect(await allowances.find(2n)).toEqual(allowance(2n, 2 * CREATED));
      await allowances.save([allowance(1n, 100)]);
      expect(await allowances.list()).toEqual([allowance(1n, 100), allowance(2n, 2 * CREATED)]);
      await subject.reopen();
      expect(await subject.storage.allowances.find(1n)).toEqual(allowance(1n, 100));
    });

    test('are saved together or not at all', async () => {
      const { keys, allowances } = subject.storage;
      await keys.create(newKey());
      await keys.create(newKey({ name: 'two' }));
      const wrong = { ...allowance(2n, 0), bans: null as unknown as number };
      const saving = async () => await allowances.save([allowance(1n, 0), wrong]);
      await expect(saving()).rejects.toThrow();
      expect(await allowances.list()).toEqual([]);
      await allowances.save([]);
    });

    test('of a key that was removed are dropped, and those of others saved', async () => {
      const { keys, allowances } = subject.storage;
      await keys.create(newKey());
      await allowances.save([allowance(99n, 0), allowance(1n, 0)]);
      expect(await allowances.list()).toEqual([allowance(1n, 0)]);
    });
  });

  describe('the storage', () => {
    test('fails as unavailable, with the time to wait, while another process blocks its writes', async () => {
      await subject.storage.pets.importBatch([imported()], CHANGE_STAMP);
      {
        await using _held = await subject.database.holdWrites();
        const adding = async () =>
          await subject.storage.pets.importBatch([imported()], CHANGE_STAMP);
        await expect(adding()).rejects.toMatchObject({
          code: 'service_unavailable',
          details: { retryAfterSeconds: expect.any(Number) },
        });
        expect(await subject.storage.pets.count()).toBe(1);
      }
      await subject.storage.pets.importBatch([imported()], CHANGE_STAMP);
      expect(await subject.storage.pets.count()).toBe(2);
    });

    test('fails as unavailable when the database is damaged', async () => {
      await subject.storage.pets.importBatch([imported()], CHANGE_STAMP);
      await subject.database.destroy();
      const { storage } = subject;
      for (const work of [
        async () => await storage.ping(),
        async () => await storage.pets.find(1n),
        async () => await storage.pets.count(),
        async () => await storage.keys.findByHash(hashKey('one')),
        async () => await storage.reset(CHANGE_STAMP),
      ]) {
        await expect(work()).rejects.toMatchObject({ code: 'service_unavailable' });
      }
    });
  });
});
