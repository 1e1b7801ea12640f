import { describe, expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS } from '../../src/domain/clock.ts';
import type { Decoder } from '../../src/photos/decoder.ts';
import { createPhotos } from '../../src/photos/photos.ts';
import { publish } from '../photos/adding.ts';
import { addAnimals, idOf, idsOf } from '../support/animals.ts';
import { forEachTest } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';

/* What is brought back, or sent again, while or after something of it was removed. */

const petstore = forEachTest(() => startPetstore({ settings: { PETSTORE_ADOPT: 'on' } }));

async function removeAndRestore(id: bigint): Promise<void> {
  expect((await petstore.writer.delete(`/v1/pets/${id}`)).status).toBe(204);
  expect((await petstore.writer.post(`/v1/pets/${id}/restore`, '')).status).toBe(200);
}

test('an animal that is restored is found by its name, in the index and behind it', async () => {
  const { storage, writer, reader } = petstore;
  const named = (n: number) => (n % 2_500 === 2_499 ? 'Quimby' : 'Rex');
  for (let n = 0; n < 10_000; n += 500) {
    await addAnimals(
      storage,
      Array.from({ length: 500 }, (_, m) => ({ name: named(n + m) })),
    );
  }
  await storage.optimize();
  const search = async () => idsOf(await reader.get('/v1/pets?name=quimb'));
  const ids = [2_500n, 5_000n, 7_500n, 10_000n];
  expect(await search()).toEqual(ids);
  for (const id of ids) await removeAndRestore(id);
  expect(await search()).toEqual(ids);
  await writer.patch('/v1/pets/5000', { name: 'Milo' });
  await removeAndRestore(7_500n);
  expect(await search()).toEqual([2_500n, 7_500n, 10_000n]);
  expect(idsOf(await reader.get('/v1/pets?name=milo'))).toEqual([5_000n]);
}, 60_000);

describe('the page of an animal that is restored', () => {
  const page = async (id: bigint) => {
    const response = await fetch(`${petstore.url}/adopt/${id}/chloe`);
    return { status: response.status, text: await response.text() };
  };
  async function add(status?: string): Promise<bigint> {
    const { writer } = petstore;
    const id = idOf(await writer.post('/v1/pets', { name: 'Chloe', categoryId: 1, status }));
    await publish(writer, id);
    return id;
  }

  test('says goodbye for as long as it did before', async () => {
    const id = await add();
    await petstore.writer.patch(`/v1/pets/${id}`, { status: 'sold' });
    petstore.clock.advance(40 * DAY_MS);
    expect((await page(id)).text).toContain('Chloe has found a home');
    await removeAndRestore(id);
    expect(await page(id)).toMatchObject({ status: 200, text: expect.stringContaining('a home') });
    petstore.clock.advance(51 * DAY_MS);
    expect((await page(id)).status).toBe(410);
    await removeAndRestore(id);
    expect((await page(id)).status).toBe(410);
  });

  test('shows it if it is still for adoption, and nothing while it is removed', async () => {
    const id = await add();
    await petstore.writer.delete(`/v1/pets/${id}`);
    expect((await page(id)).status).toBe(404);
    await petstore.writer.post(`/v1/pets/${id}/restore`, '');
    expect((await page(id)).text).toContain('<h1>Chloe</h1>');
  });

  test('does not exist for one that was never for adoption here, or has not been adopted', async () => {
    const id = await add('sold');
    expect((await page(id)).status).toBe(404);
    await removeAndRestore(id);
    expect((await page(id)).status).toBe(404);
  });
});

test('a photo that the sweep is removing is refused, and whole when it is sent again', async () => {
  const kept = new Map<string, Uint8Array>();
  const removing = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const bucket = {
    put: async (name: string, content: Uint8Array) => void kept.set(name, content),
    get: async (name: string) => (kept.has(name) && new Blob([new Uint8Array(3)])) || undefined,
    async remove(name: string) {
      removing.resolve();
      await go.promise;
      kept.delete(name);
    },
    async *names() {
      yield* kept.keys();
      return undefined;
    },
  };
  const frames = [{ width: 6, format: 'jpg', bytes: new Uint8Array([1, 2, 3]) }] as const;
  const decoder = { decode: async () => ({ width: 6, height: 4, frames }), end: async () => {} };
  const { clock, storage } = petstore;
  const photos = createPhotos({
    ...{ storage: storage.photoFiles, bucket, clock },
    decoder: decoder as unknown as Decoder,
  });
  const upload = { descriptor: 0, bytes: 3, digest: '' };
  await photos.take(upload, 1n);
  clock.advance(2 * HOUR_MS);
  const sweep = photos.sweep(10, clock.now());
  await removing.promise;
  expect(photos.take(upload, 1n)).rejects.toThrow('is being removed at this moment');
  go.resolve();
  expect((await sweep).removed).toBe(1);
  expect(kept.size).toBe(0);
  const { sha256 } = await photos.take(upload, 1n);
  expect([...kept.keys()]).toEqual([`${sha256}-6.jpg`]);
  expect(await photos.read(`${sha256}-6.jpg`)).toBeInstanceOf(Blob);
  expect((await photos.sweep(10, clock.now())).removed).toBe(0);
});
