import { describe, expect, test } from 'bun:test';
import type { Storage } from '../../../src/domain/storage.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { nextTurn, numbered } from '../change-recorder.ts';
import { animal, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

/** Tells whether there were changes since it was last asked, each time in a turn of its own. */
async function track(storage: Storage): Promise<() => Promise<boolean>> {
  let changed = false;
  const tracker = storage.trackChanges(() => {
    changed = true;
  });
  const hasChanged = async () => {
    await nextTurn();
    changed = false;
    expect(await tracker.catchUp()).toBe(true);
    return changed;
  };
  expect(await hasChanged()).toBe(true);
  return hasChanged;
}

describeContract((engine) => {
  describe.each(['here', 'by another process'])(
    'the change tracker, of changes made %s,',
    (where) => {
      // Each change has its row in the log: change-log.test.ts.
      test.each<[string, (storage: Storage) => Promise<unknown>]>([
        ['a change', ({ pets }) => pets.create(animal(), CHANGE_STAMP)],
        ['a reset', ({ reset }) => reset(CHANGE_STAMP)],
      ])('tells of %s at once', async (_, change) => {
        await using subject = await openSubject(engine);
        await using another = await subject.another();
        const { storage } = where === 'here' ? subject : another;
        const hasChanged = await track(subject.storage);
        await change(storage);
        expect(await hasChanged()).toBe(true);
      });

      test('tells nothing while nothing changes', async () => {
        await using subject = await openSubject(engine);
        await numbered(subject.storage.changes);
        const hasChanged = await track(subject.storage);
        for (let turn = 0; turn < 3; turn++) expect(await hasChanged()).toBe(false);
      });
    },
  );
});
