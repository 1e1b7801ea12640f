import { describe, expect, test } from 'bun:test';
import type { ApiKey, NewApiKey, Rotated, Rotation } from '../../../src/domain/api-key.ts';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { withPlan } from '../../../src/domain/key-lifecycle.ts';
import { FIXED_PLANS } from '../../../src/domain/plan.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const CREATED = 1_800_000_000_123;

function hash(seed: string): string {
  return Bun.SHA256.hash(seed, 'hex');
}

describeContract((engine) => {
  describe('rotation of keys', () => {
    const subject = forEachTest(() => openSubject(engine));

    const create = async (parts: Partial<NewApiKey> = {}) =>
      await subject.storage.keys.create({
        hash: hash('one'),
        name: 'A partner',
        plan: 'enterprise',
        perMinute: 5,
        perDay: 50,
        scopes: ['adopt'],
        createdAt: CREATED,
        expiresAt: null,
        ...parts,
      });
    const find = async (id: bigint) => await subject.storage.keys.find(id);
    async function rotate({ id }: ApiKey, parts: Partial<Rotation> = {}): Promise<Rotated> {
      const rotation = { hash: hash('two'), at: CREATED + 10, overlapMs: 100, ...parts };
      const rotated = await subject.storage.keys.rotate(id, rotation);
      if (rotated === undefined) throw new Error('there was no key to rotate');
      return rotated;
    }

    test('ends the old key after the overlap, and creates a successor with its rights', async () => {
      const old = await create();
      const { successor, oldEndsAt } = await rotate(old);
      expect(successor).toEqual({
        ...old,
        id: 2n,
        createdAt: CREATED + 10,
        predecessorId: 1n,
        familyId: 1n,
      });
      expect(oldEndsAt).toBe(CREATED + 110);
      expect(await find(1n)).toEqual({ ...old, expiresAt: CREATED + 110 });
      expect(await subject.storage.keys.findByHash(hash('two'))).toEqual(successor);
    });

    test('does not extend the lifetime of the old key', async () => {
      const { oldEndsAt } = await rotate(await create({ expiresAt: CREATED + 20 }));
      expect(oldEndsAt).toBe(CREATED + 20);
      expect((await find(1n))?.expiresAt).toBe(CREATED + 20);
    });

    test('gives each successor the original lifetime, however often the key is rotated', async () => {
      const old = await create({ expiresAt: CREATED + 90 * DAY_MS });
      const { successor: second } = await rotate(old);
      const { successor: third, oldEndsAt } = await rotate(old, {
        hash: hash('three'),
        at: CREATED + 50,
        overlapMs: DAY_MS,
      });
      expect(second.expiresAt).toBe(CREATED + 10 + 90 * DAY_MS);
      expect(third.expiresAt).toBe(CREATED + 50 + 90 * DAY_MS);
      expect(oldEndsAt).toBe(CREATED + 110);
      const { successor: fourth } = await rotate(second, { hash: hash('four'), at: CREATED + 60 });
      expect(fourth.expiresAt).toBe(CREATED + 60 + 90 * DAY_MS);
    });

    test('creates successors without expiry for a key without expiry', async () => {
      const old = await create();
      await rotate(old);
      const { successor } = await rotate(old, { hash: hash('three') });
      expect(successor.expiresAt).toBeNull();
    });

    test('links a successor to its predecessor and to the first key', async () => {
      const first = await create();
      expect(first).toMatchObject({ predecessorId: null, familyId: 1n });
      const other = await create({ hash: hash('other') });
      const { successor: second } = await rotate(first);
      const { successor: third } = await rotate(second, { hash: hash('three') });
      expect(second).toMatchObject({ id: 3n, predecessorId: 1n, familyId: 1n });
      expect(third).toMatchObject({ id: 4n, predecessorId: 3n, familyId: 1n });
      await subject.reopen();
      expect(await find(4n)).toEqual(third);
      expect((await find(2n))?.familyId).toBe(other.id);
    });

    test('keeps the state of the whole family: an unban applies to every key', async () => {
      const first = await create();
      await create({ hash: hash('other') });
      await subject.storage.keys.unban(1n, CREATED + 5);
      const { successor: second } = await rotate(first);
      expect(second.unbannedAt).toBe(CREATED + 5);
      await rotate(second, { hash: hash('three') });
      await subject.storage.keys.unban(second.id, CREATED + 7);
      const unbanned = (await subject.storage.keys.list()).map(({ unbannedAt }) => unbannedAt);
      expect(unbanned).toEqual([CREATED + 7, null, CREATED + 7, CREATED + 7]);
    });

    test('that fails changes nothing', async () => {
      const old = await create();
      await expect(rotate(old, { hash: hash('one') })).rejects.toThrow();
      expect(await subject.storage.keys.list()).toEqual([old]);
    });

    test('of an unknown key creates none', async () => {
      const rotation = { hash: hash('two'), at: CREATED, overlapMs: 0 };
      expect(await subject.storage.keys.rotate(99n, rotation)).toBeUndefined();
      expect(await subject.storage.keys.list()).toEqual([]);
    });

    test.each([
      ['a revoked', 'is revoked', { revoked: true }],
      ['an expired', 'has expired', { revoked: false }],
    ] as const)('and a change of plan are refused for %s key', async (_, reason, { revoked }) => {
      const end = CREATED + 10;
      const key = await create(revoked ? {} : { expiresAt: end });
      if (revoked) await subject.storage.keys.revoke(key.id, CREATED + 5);
      const before = await find(key.id);
      const refused = {
        code: 'conflict',
        message: `Key 1 ${reason}, so it cannot be rotated or changed: create a new key.`,
      };
      await expect(rotate(key, { at: end })).rejects.toMatchObject(refused);
      const changing = async () =>
        await subject.storage.keys.update(key.id, end, withPlan(FIXED_PLANS.free, end));
      await expect(changing()).rejects.toMatchObject(refused);
      expect(await subject.storage.keys.list()).toEqual(before === undefined ? [] : [before]);
    });

    test('and a change of plan are accepted until the very end of a key', async () => {
      const key = await create({ expiresAt: CREATED + 10 });
      const changed = await subject.storage.keys.update(
        key.id,
        CREATED + 9,
        withPlan(FIXED_PLANS.free, CREATED + 9),
      );
      expect(changed?.plan).toBe('free');
      expect((await rotate(key, { at: CREATED + 9 })).successor.plan).toBe('free');
    });
  });
});
