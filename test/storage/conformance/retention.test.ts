import { describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/domain/clock.ts';
import type { OrderStatus, Personal } from '../../../src/domain/order.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { numbered } from '../change-recorder.ts';
import { animal, anyState, imported, newKey, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const NOW = CHANGE_STAMP.at;
const after = (days: number) => ({ at: NOW + days * DAY_MS, keyId: null });

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

  describe('who adopted', () => {
    const adopt = async (who: Partial<Personal>, ...steps: readonly OrderStatus[]) => {
      const { pets, orders } = subject.storage;
      const { id: petId } = await pets.create(animal(), CHANGE_STAMP);
      const { id } = await orders.place({ petId, ...who }, CHANGE_STAMP);
      for (const [n, status] of steps.entries()) {
        await orders.update(id, { status }, after(n + 1), anyState);
      }
      return id;
    };
    const read = async (id: bigint) => await subject.storage.orders.find(id);
    const erase = async (days: number, most = 100) =>
      await subject.storage.orders.eraseFinished(NOW + days * DAY_MS, most, after(90));

    test('is erased from finished orders alone, once they are old enough, and noted', async () => {
      const open = await adopt({ adopter: 'Ada' });
      const approved = await adopt({ contact: 'bob@example.com' }, 'approved');
      const cancelled = await adopt({ note: 'Two cats.' }, 'cancelled');
      const completed = await adopt({ adopter: 'Dee', note: 'x' }, 'approved', 'completed');
      const nobody = await adopt({}, 'cancelled');
      const before = await Promise.all([open, approved, completed, nobody].map(read));
      expect(await erase(1)).toBe(1);
      expect(await read(cancelled)).toMatchObject({
        note: undefined,
        status: 'cancelled',
        updatedAt: after(90).at,
      });
      expect(await Promise.all([open, approved, completed, nobody].map(read))).toEqual(before);
      expect(await erase(2)).toBe(1);
      expect(await read(completed)).toMatchObject({ adopter: undefined, note: undefined });
      expect(await erase(3650)).toBe(0);
      expect(await Promise.all([open, approved, nobody].map(read))).toEqual(
        before.filter((_, n) => n !== 2),
      );
      await numbered(subject.storage.changes);
      const newest = { afterId: undefined, limit: 2, isDescending: true };
      const { items } = await subject.storage.audit.list({ type: 'order.updated' }, newest);
      expect(items.map(({ actor, changes }) => ({ actor, changes }))).toEqual([
        { actor: null, changes: { adopter: true, note: true } },
        { actor: null, changes: { note: true } },
      ]);
      const rows = await subject.database.sql('SELECT * FROM changes');
      const text = rows.map((row) => Object.values(row).join(' ')).join('\n');
      for (const word of ['Ada', 'bob', 'cats', 'Dee']) expect(text).not.toContain(word);
    });

    test('is erased in steps, the oldest first', async () => {
      const late = await adopt({ adopter: 'A' }, 'approved', 'completed');
      const early = await adopt({ adopter: 'B' }, 'cancelled');
      expect(await erase(5, 1)).toBe(1);
      expect([(await read(late))?.adopter, (await read(early))?.adopter]).toEqual(['A', undefined]);
      expect([await erase(5, 1), await erase(5, 1)]).toEqual([1, 0]);
    });
  });

  describe('rows of imported files', () => {
    const row = (externalId: string) => imported({ externalId });
    const take = async (ids: readonly string[], days: number, overwrite = false) => {
      const stamp = after(days);
      const { created, removed } = await subject.storage.pets.importBatch(ids.map(row), stamp, {
        overwrite,
      });
      return { created, removed };
    };
    const forget = async (days: number, most = 100) =>
      await subject.storage.imports.forgetRows(NOW + days * DAY_MS, most);
    const known = async () =>
      (
        await subject.database.sql('SELECT external_id FROM imported_rows ORDER BY external_id')
      ).map(({ external_id }) => external_id);
    const remove = async (id: bigint, days: number) =>
      await subject.storage.pets.remove(id, after(days), anyState);

    test('are forgotten after the removal of their animals, in steps', async () => {
      await take(['a', 'b', 'c', 'd'], 0);
      for (const id of [1n, 2n, 4n]) await remove(id, Number(id));
      expect(await forget(0)).toBe(0);
      expect(await forget(1)).toBe(1);
      expect(await known()).toEqual(['b', 'c', 'd']);
      expect([await forget(9, 1), await forget(9, 1), await forget(9, 1)]).toEqual([1, 1, 0]);
      expect(await known()).toEqual(['c']);
      expect(await take(['a', 'c'], 10)).toEqual({ created: 1, removed: 0 });
    });

    test('stay while files still have them, so that nothing comes back by itself', async () => {
      await take(['a', 'b'], 0);
      await remove(1n, 1);
      await remove(2n, 1);
      expect(await take(['a'], 20)).toEqual({ created: 0, removed: 1 });
      expect(await forget(19)).toBe(1);
      expect(await known()).toEqual(['a']);
      expect(await take(['a'], 40)).toEqual({ created: 0, removed: 1 });
      expect(await forget(39)).toBe(0);
      expect(await forget(40)).toBe(1);
    });

    test('are not forgotten where a changed row added the animal again', async () => {
      await take(['a', 'b'], 0);
      for (const id of [1n, 2n]) await remove(id, 1);
      const changed = { ...row('a'), name: 'Max' };
      await subject.storage.pets.importBatch([changed, row('b')], after(5));
      const marks = await subject.database.sql(
        'SELECT removed_at FROM imported_rows ORDER BY external_id',
      );
      expect(marks.map(({ removed_at }) => removed_at && Number(removed_at))).toEqual([
        null,
        after(5).at,
      ]);
    });

    test('stay with an animal that came back', async () => {
      await take(['a', 'b', 'c'], 0);
      for (const id of [1n, 2n, 3n]) await remove(id, Number(id));
      await subject.storage.removedPets.restore(1n, after(4));
      expect(await take(['b'], 4, true)).toEqual({ created: 1, removed: 0 });
      expect([await forget(9, 1), await forget(9, 1), await forget(9, 1)]).toEqual([1, 2, 0]);
      expect(await known()).toEqual(['a', 'b']);
      await remove(1n, 10);
      expect([await forget(9), await forget(10)]).toEqual([0, 1]);
      expect(await known()).toEqual(['b']);
    });
  });

  describe('ended keys', () => {
    const keyOf = (name: string, expiresAt: number | null = null) => newKey({ name, expiresAt });
    const rotate = async (id: bigint, days: number) => {
      const hash = Bun.SHA256.hash(`${id} ${days}`, 'hex');
      const rotation = { hash, at: after(days).at, overlapMs: DAY_MS };
      return (await subject.storage.keys.rotate(id, rotation))?.successor.id ?? 0n;
    };
    const removeEnded = async (days: number, most = 100) =>
      await subject.storage.keys.removeEnded(NOW + days * DAY_MS, most);
    const ids = async () => (await subject.storage.keys.list()).map(({ id }) => id);

    test('are removed with their counts, in steps; others stay, and no id is used again', async () => {
      const { keys, usage } = subject.storage;
      await keys.create(keyOf('revoked'));
      await keys.create(keyOf('expired', NOW + 2 * DAY_MS));
      await keys.create(keyOf('active', NOW + 9 * DAY_MS));
      await keys.create(keyOf('for ever'));
      await keys.create(keyOf('last'));
      const counts = { start: NOW, requests: 1, refused: 0, errors: 0 };
      await usage.add([{ keyId: 1n, ...counts }]);
      for (const id of [1n, 5n]) await keys.revoke(id, after(1).at);
      expect(await removeEnded(0.5)).toBe(0);
      expect(await removeEnded(2, 2)).toBe(2);
      expect(await ids()).toEqual([3n, 4n, 5n]);
      expect(await removeEnded(2, 2)).toBe(1);
      expect(await ids()).toEqual([3n, 4n]);
      const range = { period: 'day', from: 0, to: NOW + DAY_MS } as const;
      expect(await usage.list(1n, range)).toEqual([]);
      expect((await keys.create(keyOf('new'))).id).toBe(6n);
    });

    test('leave the first of their family until all have ended', async () => {
      const { keys } = subject.storage;
      await keys.create(keyOf('first'));
      const second = await rotate(1n, 1);
      const third = await rotate(second, 2);
      expect(await removeEnded(50)).toBe(1);
      expect(await ids()).toEqual([1n, third]);
      expect((await keys.find(third))?.familyId).toBe(1n);
      await keys.revoke(third, after(60).at);
      expect([await removeEnded(59), await removeEnded(60)]).toEqual([0, 2]);
    });

    test('of people go with all that is known of them', async () => {
      const { people, audit } = subject.storage;
      const person = { name: 'Ada', email: 'ada@example.com', role: 'viewer' } as const;
      const invitation = { hash: 'a'.repeat(64), expiresAt: NOW };
      const { id } = await people.create(person, CHANGE_STAMP, invitation);
      await people.remove(id, after(1), anyState);
      expect([await removeEnded(0.5), await removeEnded(1)]).toEqual([0, 1]);
      expect(await people.find(id)).toBeUndefined();
      expect(await subject.database.sql('SELECT * FROM people')).toEqual([]);
      await numbered(subject.storage.changes);
      const page = { afterId: undefined, limit: 1, isDescending: true };
      const [line] = (await audit.list({}, page)).items;
      expect(line).toMatchObject({ type: 'person.removed', subject: { id } });
    });
  });
});
