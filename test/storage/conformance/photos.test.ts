import { beforeEach, describe, expect, test } from 'bun:test';
import { PHOTOS_MAX, type PhotoChange } from '../../../src/domain/photo.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { animal, anyState, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const sha = (n: number) => n.toString(16).padStart(64, '0');
const PIXELS = { width: 640, height: 480 };

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

  describe('photos', () => {
    let petId: bigint;
    beforeEach(async () => {
      petId = (await subject.storage.pets.create(animal(), CHANGE_STAMP)).id;
    });

    const add = async (n: number) =>
      await subject.storage.photos.add(petId, { sha256: sha(n), alt: '', ...PIXELS }, CHANGE_STAMP);
    const order = async () =>
      (await subject.storage.photos.list(petId))?.map(({ id, position }) => [Number(id), position]);
    const change = async (id: bigint, to: PhotoChange) =>
      await subject.storage.photos.update(petId, id, to, CHANGE_STAMP, anyState);

    test('are at most twelve, also if they are added at once', async () => {
      const adding = Array.from({ length: PHOTOS_MAX + 5 }, (_, n) => add(n));
      const ended = await Promise.allSettled(adding);
      expect(ended.filter(({ status }) => status === 'rejected').length).toBe(5);
      expect((await order())?.map(([, position]) => position)).toEqual(
        Array.from({ length: PHOTOS_MAX }, (_, n) => n + 1),
      );
    });

    test('keep their focus to a millionth', async () => {
      await add(1);
      const changed = await change(1n, { focus: { x: 1 / 3, y: 1 } });
      expect(changed?.focus).toEqual({ x: 0.333333, y: 1 });
      expect((await subject.storage.photos.find(petId, 1n))?.focus).toEqual({ x: 0.333333, y: 1 });
    });
  });

  describe('files of photos', () => {
    const BYTES = new Uint8Array(70_000).map((_, n) => n % 256);
    const [NAME, OTHER] = [`${sha(1)}-320.webp`, `${sha(2)}-320.webp`];
    const put = async (name: string, content: Uint8Array | null, at: number) =>
      await subject.storage.photoFiles.put([{ name, content }], at);
    const bytesOf = async (name: string) => {
      const found = await subject.storage.photoFiles.find(name);
      return found && (found.content === null ? null : Buffer.from(found.content));
    };
    const sweep = (before: number, now: number, after = '', most = 100) =>
      subject.storage.photoFiles.removeUnused(after, most, before, now, 100);

    test('are stored unchanged', async () => {
      expect(await put(NAME, BYTES, 5)).toBe(true);
      expect(await put(OTHER, null, 5)).toBe(true);
      await subject.reopen();
      expect((await bytesOf(NAME))?.equals(BYTES)).toBe(true);
      expect(await bytesOf(OTHER)).toBe(null);
      expect(await bytesOf('x')).toBe(undefined);
    });

    test('are removed when no photo names them, and they are old enough', async () => {
      const { id } = await subject.storage.pets.create(animal(), CHANGE_STAMP);
      const photo = { sha256: sha(1), alt: '', ...PIXELS };
      await subject.storage.photos.add(id, photo, CHANGE_STAMP);
      await put(NAME, BYTES, 5);
      await put(OTHER, BYTES, 5);
      expect(await sweep(5, 10)).toEqual({ last: undefined, removed: 0, marked: [] });
      expect(await sweep(6, 10)).toEqual({ last: undefined, removed: 1, marked: [] });
      expect(await bytesOf(NAME)).not.toBe(undefined);
      await subject.storage.pets.remove(id, CHANGE_STAMP, anyState);
      // A removed animal can be brought back with its photos.
      expect((await sweep(8, 10)).removed).toBe(0);
      await subject.storage.removedPets.removeExpired(CHANGE_STAMP.at, 10);
      // Sent again, which makes it young.
      await put(NAME, BYTES, 8);
      expect((await sweep(8, 10)).removed).toBe(0);
      expect((await sweep(9, 10)).removed).toBe(1);
      expect(await bytesOf(NAME)).toBe(undefined);
    });

    test('are looked through in steps', async () => {
      for (const n of [1, 2, 3, 4, 5]) await put(sha(n), BYTES, 1);
      const first = await sweep(2, 2, '', 2);
      expect(first).toEqual({ last: sha(2), removed: 2, marked: [] });
      const second = await sweep(2, 2, first.last, 2);
      expect(second.last).toBe(sha(4));
      expect(await sweep(2, 2, second.last, 2)).toEqual({
        last: undefined,
        removed: 1,
        marked: [],
      });
    });

    test('in a bucket cannot be stored while they are removed from there', async () => {
      await put(NAME, null, 5);
      expect(await sweep(6, 10)).toEqual({ last: undefined, removed: 0, marked: [NAME] });
      expect(await put(NAME, null, 11)).toBe(false);
      // Another instance leaves it alone, until the mark is as old as that of one that was killed.
      expect((await sweep(10, 12)).marked).toEqual([]);
      await subject.storage.photoFiles.forget([NAME], 9);
      expect(await put(NAME, null, 12)).toBe(false);
      await subject.storage.photoFiles.forget([NAME], 10);
      expect(await put(NAME, null, 13)).toBe(true);
    });

    test('of a killed sweep are taken over', async () => {
      await put(NAME, null, 5);
      await sweep(6, 10);
      expect((await sweep(11, 20)).marked).toEqual([NAME]);
      await subject.storage.photoFiles.forget([NAME], 20);
      expect(await bytesOf(NAME)).toBe(undefined);
    });
  });
});
