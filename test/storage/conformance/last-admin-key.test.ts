import { describe, expect, test } from 'bun:test';
import type { ApiKey, KeySettings, NewApiKey } from '../../../src/domain/api-key.ts';
import type { Storage } from '../../../src/domain/storage.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const NOW = 1_800_000_000_123;

type Change = (key: ApiKey) => KeySettings;

const revoked: Change = (key) => ({ ...key, revokedAt: NOW });
const demoted: Change = (key) => ({ ...key, scopes: ['write'] });
const endingSooner: Change = (key) => ({ ...key, expiresAt: NOW + 1 });

/** The changes that take away the last key that may manage keys. */
const REFUSED: readonly [string, Change][] = [
  ['revoked', revoked],
  ['without the scope', demoted],
  ['without any scope', (key) => ({ ...key, scopes: [] })],
  ['ending sooner', endingSooner],
];

describeContract((engine) => {
  describe('the last admin key', () => {
    let count = 0;
    const subject = forEachTest(() => openSubject(engine));

    const create = async (parts: Partial<NewApiKey> = {}) =>
      await subject.storage.keys.create({
        hash: Bun.SHA256.hash(String(++count), 'hex'),
        name: 'An administrator',
        plan: 'pro',
        perMinute: null,
        perDay: null,
        scopes: ['admin'],
        createdAt: NOW - 100,
        expiresAt: null,
        ...parts,
      });
    const change = async ({ id }: ApiKey, next: Change, storage: Storage = subject.storage) =>
      await storage.keys.update(id, NOW, next);
    const all = async () => await subject.storage.keys.list();

    test.each(REFUSED)('is not %s', async (_, next) => {
      const last = await create({ scopes: ['read', 'admin'], expiresAt: NOW + 50 });
      // None of them counts as another one.
      await create({ scopes: ['read', 'adopt', 'write'] });
      await create({ expiresAt: NOW });
      const { id } = await create();
      await subject.storage.keys.revoke(id, NOW - 1);
      const before = await all();
      await expect(change(last, next)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(`Without key ${last.id}, no active key`),
      });
      expect(await all()).toEqual(before);
    });

    test.each(REFUSED)('may be %s once there is another', async (_, next) => {
      const key = await create();
      await create({ scopes: ['read', 'admin'], expiresAt: NOW + 2 });
      expect(await change(key, next)).toEqual({ ...key, ...next(key) });
    });

    test('gets an end only if another one outlasts it', async () => {
      const key = await create();
      await create({ expiresAt: NOW + 5 });
      const until = (time: number) => change(key, (known) => ({ ...known, expiresAt: time }));
      await expect(until(NOW + 5)).rejects.toMatchObject({ code: 'conflict' });
      expect((await until(NOW + 4))?.expiresAt).toBe(NOW + 4);
    });

    test.each<[string, Change]>([
      ['name', (key) => ({ ...key, name: 'B' })],
      ['plan', (key) => ({ ...key, plan: 'free' })],
      ['other scopes', (key) => ({ ...key, scopes: ['read', 'admin'] })],
      ['later end', (key) => ({ ...key, expiresAt: null, lifetimeMs: null })],
    ])('may get another %s', async (_, next) => {
      const key = await create({ expiresAt: NOW + 5 });
      expect(await change(key, next)).toEqual({ ...key, ...next(key) });
    });

    test('is no reason to keep a key that has ended, or never had the scope', async () => {
      const expired = await create({ expiresAt: NOW });
      const plain = await create({ scopes: ['write'] });
      for (const key of [expired, plain]) {
        expect((await change(key, revoked))?.revokedAt).toBe(NOW);
      }
    });

    test('may be revoked by a command', async () => {
      const key = await create();
      await subject.storage.keys.revoke(key.id, NOW);
      expect((await subject.storage.keys.find(key.id))?.revokedAt).toBe(NOW);
    });

    test.each<[string, Change]>([
      ['revoked', revoked],
      ['demoted', demoted],
      ['given an end', endingSooner],
    ])('of several that are %s at once stays, even across processes', async (_, next) => {
      await using other = await subject.another();
      const keys = await Promise.all(Array.from({ length: 6 }, () => create()));
      const changes = [...keys, ...keys.toReversed()].map((key, i) =>
        change(key, next, i % 2 === 0 ? subject.storage : other.storage),
      );
      const outcomes = await Promise.allSettled(changes);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason.code).toBe('conflict');
      }
      const lasting = (await all()).filter(
        ({ scopes, revokedAt, expiresAt }) =>
          scopes.includes('admin') && revokedAt === null && expiresAt === null,
      );
      expect(lasting).toHaveLength(1);
    });
  });
});
