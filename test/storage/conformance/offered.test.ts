import { expect, test } from 'bun:test';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { animal, anyState, imported, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

  test('an animal was offered unless it has always been sold', async () => {
    const { pets, removedPets } = subject.storage;
    const available = await pets.create(animal(), CHANGE_STAMP);
    const never = await pets.create(animal({ status: 'sold' }), CHANGE_STAMP);
    const again = await pets.create(animal({ status: 'sold' }), CHANGE_STAMP);
    const brought = imported({ externalId: 'x', status: 'sold' });
    await pets.importBatch([brought], CHANGE_STAMP);
    expect([await pets.wasOffered(available.id), await pets.wasOffered(4n)]).toEqual([true, false]);
    await pets.importBatch([{ ...brought, status: 'available' }], CHANGE_STAMP);
    for (const status of ['available', 'sold'] as const) {
      await pets.update(again.id, { status }, CHANGE_STAMP, anyState);
    }
    await pets.update(available.id, { status: 'sold' }, CHANGE_STAMP, anyState);
    await pets.update(never.id, { name: 'Tom' }, CHANGE_STAMP, anyState);
    await pets.remove(again.id, CHANGE_STAMP, anyState);
    expect(await pets.wasOffered(again.id)).toBeUndefined();
    await removedPets.restore(again.id, CHANGE_STAMP);
    const offered = [available.id, never.id, again.id, 4n].map((id) => pets.wasOffered(id));
    expect(await Promise.all(offered)).toEqual([true, false, true, true]);
  });
});
