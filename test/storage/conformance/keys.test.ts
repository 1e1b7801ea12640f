import { describe, expect, test } from 'bun:test';
import type { Allowance } from '../../../src/domain/allowance.ts';
import type { NewApiKey } from '../../../src/domain/api-key.ts';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { withPlan } from '../../../src/domain/key-lifecycle.ts';
import { FIXED_PLANS } from '../../../src/domain/plan.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { imported, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const CREATED = 1_800_000_000_123;

function hash(seed: string): string {
  return Bun.SHA256.hash(seed, 'hex');
}

function newKey(parts: Partial<NewApiKey> = {}): NewApiKey {
  return {
    hash: hash('one'),
    name: 'A partner',
    plan: 'pro',
    perMinute: null,
    perDay: null,
    scopes: ['write'],
    createdAt: CREATED,
    expiresAt: null,
    ...parts,
  };
}

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

  describe('keys', () => {
    test.each<[string, Partial<NewApiKey>]>([
      ['of a plan', {}],
      ['of enterprise', { plan: 'enterprise', perMinute: 5, perDay: 4_000_000_000 }],
      ['that expires', { expiresAt: CREATED + 1 }],
      ['of every scope', { scopes: ['read', 'adopt', 'write', 'admin'] }],
      ['of no scope', { scopes: [] }],
      ['with an odd name', { name: `'"😺%` }],
    ])('a key %s is stored unchanged', async (_, parts) => {
      const { hash: stored, ...facts } = newKey(parts);
      const created = await subject.storage.keys.create(newKey(parts));
      expect(created).toMatchObject({ id: 1n, ...facts, lastUsedAt: null, revokedAt: null });
      expect(await subject.storage.keys.findByHash(stored)).toEqual(created);
      expect(await subject.storage.keys.find(1n)).toEqual(created);
      expect(await subject.storage.keys.list()).toEqual([created]);
    });

    test('list the prefixes of all their hashes', async () => {
      const { keys } = subject.storage;
      expect(await keys.hashPrefixes()).toEqual([]);
      const hashes = ['one', 'two', 'three'].map(hash);
      for (const [i, own] of hashes.entries()) {
        await keys.create(newKey({ hash: own, name: `Key ${i}` }));
      }
      await keys.revoke(1n, CREATED);
      const prefixes = await keys.hashPrefixes();
      expect(prefixes.toSorted()).toEqual(hashes.map((each) => each.slice(0, 16)).toSorted());
    });

    test('are found only by their own hash and id', async () => {
      const { keys } = subject.storage;
      await keys.create(newKey());
      const second = await keys.create(newKey({ hash: hash('two'), name: 'B' }));
      expect(await keys.findByHash(hash('two'))).toEqual(second);
      expect(await keys.findByHash(hash('three'))).toBeUndefined();
      expect(await keys.findByHash(hash('two').toUpperCase())).toBeUndefined();
      expect(await keys.findByHash('')).toBeUndefined();
      expect(await keys.find(3n)).toBeUndefined();
      expect(await keys.find(-1n)).toBeUndefined();
      expect((await keys.list()).map(({ name }) => name)).toEqual(['A partner', 'B']);
    });

    test('have unique hashes', async () => {
      await subject.storage.keys.create(newKey());
      const again = async () => await subject.storage.keys.create(newKey());
      await expect(again()).rejects.toThrow();
    });

    test('keep the time of the first revocation', async () => {
      const { keys } = subject.storage;
      await keys.create(newKey());
      await keys.revoke(1n, CREATED + 5);
      await keys.revoke(1n, CREATED + 9);
      expect((await keys.find(1n))?.revokedAt).toBe(CREATED + 5);
      await keys.revoke(99n, CREATED);
      expect(await keys.list()).toHaveLength(1);
    });

    test('take the limits of a new plan, and keep the rest', async () => {
      const { keys } = subject.storage;
      const created = await keys.create(newKey());
      const own = { name: 'enterprise', perMinute: 7, perDay: 8 } as const;
      const changed = { ...created, plan: 'enterprise', perMinute: 7, perDay: 8 } as const;
      expect(await keys.update(1n, CREATED, withPlan(own, CREATED))).toEqual(changed);
      expect(await keys.find(1n)).toEqual(changed);
      expect(await keys.update(1n, CREATED, withPlan(FIXED_PLANS.pro, CREATED))).toEqual(created);
      expect(await keys.find(1n)).toEqual(created);
      expect(await keys.update(99n, CREATED, withPlan(FIXED_PLANS.free, CREATED))).toBeUndefined();
      expect(await keys.list()).toHaveLength(1);
    });

    test('are listed page by page', async () => {
      const { keys } = subject.storage;
      for (const seed of ['a', 'b', 'c']) {
        await keys.create(newKey({ hash: hash(seed), name: seed }));
      }
      const page = async (afterId: bigint | undefined, limit: number) => {
        const { items, more } = await keys.page({ afterId, limit });
        return [items.map(({ name }) => name).join(''), more];
      };
      expect(await page(undefined, 3)).toEqual(['abc', false]);
      expect(await page(undefined, 2)).toEqual(['ab', true]);
      expect(await page(2n, 2)).toEqual(['c', false]);
      expect(await page(2n ** 63n - 1n, 2)).toEqual(['', false]);
    });

    test('take every setting of a change, and keep the rest', async () => {
      const { keys } = subject.storage;
      const created = await keys.create(newKey());
      const settings = {
        name: `'"😺%`,
        plan: 'enterprise',
        perMinute: 7,
        perDay: 4_000_000_000,
        scopes: ['read', 'admin'],
        expiresAt: CREATED + 5,
        lifetimeMs: 6,
        revokedAt: CREATED + 4,
      } as const;
      const seen: unknown[] = [];
      const changed = await keys.update(1n, CREATED, (current) => {
        seen.push(current);
        return settings;
      });
      expect(seen.at(-1)).toEqual(created);
      expect(changed).toEqual({ ...created, ...settings });
      await subject.reopen();
      expect(await subject.storage.keys.find(1n)).toEqual({ ...created, ...settings });
    });

    test('do not take a change that throws, or of an unknown key', async () => {
      const { keys } = subject.storage;
      const created = await keys.create(newKey());
      const forbidding = async () =>
        await keys.update(1n, CREATED, () => {
          throw new RangeError('forbidden');
        });
      await expect(forbidding()).rejects.toThrow('forbidden');
      expect(await keys.update(99n, CREATED, (current) => current)).toBeUndefined();
      expect(await keys.list()).toEqual([created]);
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

    test('keep the latest recorded use', async () => {
      const { keys } = subject.storage;
      await keys.create(newKey());
      await keys.create(newKey({ hash: hash('two') }));
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
      await keys.create(newKey({ hash: hash('two') }));
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
      await keys.create(newKey({ hash: hash('two') }));
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
    test('responds to a ping', async () => {
      expect(await subject.storage.ping()).toBeUndefined();
    });

    test('keeps everything when closed and reopened', async () => {
      await subject.storage.keys.create(newKey());
      await subject.storage.pets.importBatch([imported({ externalId: 'x' })], CHANGE_STAMP);
      const key = await subject.storage.keys.find(1n);
      const pet = await subject.storage.pets.find(1n);
      await subject.reopen();
      expect(pet).toBeDefined();
      expect(await subject.storage.keys.find(1n)).toEqual(key);
      expect(await subject.storage.pets.find(1n)).toEqual(pet);
    });

    test('keeps its keys after a reset', async () => {
      await subject.storage.keys.create(newKey());
      await subject.storage.reset(CHANGE_STAMP);
      expect(await subject.storage.keys.list()).toHaveLength(1);
    });

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
        async () => await storage.keys.findByHash(hash('one')),
        async () => await storage.reset(CHANGE_STAMP),
      ]) {
        await expect(work()).rejects.toMatchObject({ code: 'service_unavailable' });
      }
    });
  });
});
