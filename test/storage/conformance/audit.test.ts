import { describe, expect, test } from 'bun:test';
import { RESTORABLE_MS } from '../../../src/domain/audit.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { numbered } from '../change-recorder.ts';
import { animal, anyState, imported, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';
import { BY_A_KEY } from './logged-writes.ts';

describeContract((engine) => {
  describe('the audit', () => {
    const subject = forEachTest(() => openSubject(engine));

    const lines = async (filter = {}, page = {}) => {
      await numbered(subject.storage.changes);
      const asked = { afterId: undefined, limit: 50, ...page };
      return (await subject.storage.audit.list(filter, asked)).items;
    };
    const typesOf = (found: readonly { readonly type: string }[]) => found.map(({ type }) => type);

    test('outlives the events, which end with a marker', async () => {
      const { pets, changes } = subject.storage;
      for (const name of ['Ada', 'Bob', 'Cy']) await pets.create(animal({ name }), CHANGE_STAMP);
      await numbered(changes);
      expect(await changes.removeExpired(CHANGE_STAMP.at, 10)).toBe(2);
      const { changes: left } = await changes.list({ after: undefined, limit: 10 });
      expect(left.map(({ id }) => id)).toEqual([3n]);
      expect(async () => await changes.list({ after: 1n, limit: 10 })).toThrow('have been removed');
      expect(await lines()).toHaveLength(3);
      expect(await changes.removeFromAudit(CHANGE_STAMP.at, 10)).toBe(2);
      expect(await lines()).toHaveLength(1);
    });

    test('keeps what is no event from the feed', async () => {
      const { webhooks, pets, changes } = subject.storage;
      const hook = { url: 'https://a.example/', types: null, description: null, createdAt: 0 };
      await webhooks.create(
        { ...hook, ownerId: null, disabledReason: null },
        () => 'secret',
        BY_A_KEY,
      );
      await pets.create(animal(), CHANGE_STAMP);
      expect(typesOf(await lines())).toEqual(['webhook.created', 'pet.created']);
      const page = await changes.list({ after: undefined, limit: 10 });
      expect(typesOf(page.changes)).toEqual(['pet.created']);
      expect(await changes.list({ after: 2n, limit: 10 })).toEqual({
        changes: [],
        resumeAfter: 2n,
      });
    });
  });

  describe('removed animals', () => {
    const subject = forEachTest(() => openSubject(engine));
    const photo = { sha256: 'a'.repeat(64), alt: 'Rex', width: 640, height: 480 };

    test('come back whole, and an import sees them again', async () => {
      const { pets, profiles, photos, removedPets } = subject.storage;
      const row = imported({ externalId: 'A1' });
      await pets.importBatch([row], CHANGE_STAMP);
      await profiles.update(1n, { sex: 'male', location: 'Run 4' }, CHANGE_STAMP, anyState);
      await photos.add(1n, photo, CHANGE_STAMP);
      const read = async () => [
        await pets.find(1n),
        await profiles.find(1n),
        await photos.list(1n),
        await pets.count(),
        (await pets.list({ nameFolded: 'rex' }, { afterId: undefined, limit: 5 })).items.length,
      ];
      const before = await read();
      await pets.remove(1n, CHANGE_STAMP, anyState);
      expect(await photos.audience(photo.sha256)).toBeUndefined();
      const again = async () => await pets.importBatch([row], CHANGE_STAMP);
      expect((await again()).removed).toBe(1);
      expect(await removedPets.restore(1n, BY_A_KEY)).toEqual(before[0] as never);
      expect(await read()).toEqual(before);
      expect((await again()).unchanged).toBe(1);
      expect(async () => await removedPets.restore(1n, BY_A_KEY)).toThrow('is there');
    });

    test('are forgotten after 30 days', async () => {
      const { pets, removedPets } = subject.storage;
      const { at } = CHANGE_STAMP;
      await pets.create(animal(), CHANGE_STAMP);
      await pets.remove(1n, CHANGE_STAMP, anyState);
      const late = { at: at + RESTORABLE_MS, keyId: null };
      expect(await removedPets.restore(1n, late)).toBeUndefined();
      expect(await removedPets.removeExpired(at - 1, 10)).toBe(0);
      expect(await removedPets.removeExpired(at, 10)).toBe(1);
      expect(await removedPets.restore(1n, CHANGE_STAMP)).toBeUndefined();
    });
  });
});
