import { expect, test } from 'bun:test';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { HOUR_MS } from '../../src/domain/clock.ts';
import { openPhotos } from '../../src/photos/photos.ts';
import { animal, anyState, openSubject } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { createTestClock } from '../support/clock.ts';
import { chosenEngine } from '../support/engines.ts';
import { picture } from '../support/pictures.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

test('files are removed an hour after they were stored last, unless a photo has them', async () => {
  await using subject = await openSubject(chosenEngine());
  using folder = createTemporaryFolder();
  const clock = createTestClock();
  const { storage } = subject;
  const photos = openPhotos(undefined, storage.photoFiles, clock);
  const take = async (seed: number) => {
    const path = folder.file(`${seed}.jpg`);
    writeFileSync(path, await picture(400, 300, 'jpeg', seed));
    const descriptor = openSync(path, 'r');
    const upload = { descriptor, bytes: 0, digest: '' };
    const taken = await photos.take(upload, 1n);
    closeSync(descriptor);
    return taken;
  };
  const isThere = async ({ sha256 }: { readonly sha256: string }) =>
    (await photos.read(`${sha256}-320.webp`)) !== undefined;
  const sweep = async () => {
    while (!(await photos.sweep(100, clock.now())).isLast);
  };

  const [added, failed] = [await take(1), await take(2)];
  const { id } = await storage.pets.create(animal(), CHANGE_STAMP);
  const { photo } = (await storage.photos.add(id, { ...added, alt: '' }, CHANGE_STAMP)) ?? {};
  clock.advance(HOUR_MS - 1);
  await sweep();
  expect([await isThere(added), await isThere(failed)]).toEqual([true, true]);
  clock.advance(2);
  await sweep();
  expect([await isThere(added), await isThere(failed)]).toEqual([true, false]);
  await storage.photos.remove(id, photo?.id ?? 0n, CHANGE_STAMP, anyState);
  // Sent again by somebody else, who has not added the photo yet.
  await take(1);
  await sweep();
  expect(await isThere(added)).toBe(true);
  clock.advance(HOUR_MS + 1);
  await sweep();
  expect(await isThere(added)).toBe(false);
});
