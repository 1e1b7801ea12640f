import { describe, expect, test } from 'bun:test';
import { numbered } from '../../storage/change-recorder.ts';
import { idOf, idsOf, linksOf, targetOf } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

describe('DELETE /v1/pets/{petId} (deletePet)', () => {
  const petstore = forAllTests(() => startPetstore());

  const add = async (name = 'Rex') =>
    idOf(await petstore.writer.post('/v1/pets', { name, categoryId: 7 }));
  const remove = (id: bigint | string) => petstore.writer.delete(`/v1/pets/${id}`);

  describe('204', () => {
    test('removes the animal, with an empty response', async () => {
      const other = await add();
      const id = await add();
      const response = await remove(id);
      expect([response.status, response.text]).toEqual([204, '']);
      expect(response.headers.get('content-type')).toBeNull();
      expect(response.headers.get('etag')).toBeNull();
      expectError(await petstore.reader.get(`/v1/pets/${id}`), 'pet_not_found');
      await numbered(petstore.storage.changes);
      const history = await petstore.reader.get(`/v1/pets/${id}/history`);
      expect(JSON.parse(history.text).at(-1)).toMatchObject({ type: 'pet.deleted' });
      expect((await petstore.reader.get(`/v1/pets?id=${id}`)).text).toBe('[]');
      expect((await petstore.reader.get(`/v1/pets/${other}`)).status).toBe(200);
    });

    test('the id is never reused, also after a restart', async () => {
      const last = await add();
      await remove(last);
      const next = await add();
      expect(next).toBeGreaterThan(last);
      await remove(next);
      await petstore.restart();
      expect(await add()).toBeGreaterThan(next);
    });

    test('a closed order stays when its animal is removed', async () => {
      const id = await add();
      const placed = await petstore.writer.post('/v1/store/orders', { petId: Number(id) });
      const path = `/v1/store/orders/${idOf(placed)}`;
      const cancelled = await petstore.writer.patch(path, { status: 'cancelled' });
      expect((await remove(id)).status).toBe(204);
      expect((await petstore.reader.get(path)).text).toBe(cancelled.text);
      const again = await petstore.writer.post('/v1/store/orders', { petId: Number(id) });
      expectError(again, 'pet_not_found');
    });

    test('a walk through the pages continues if the last animal seen is removed', async () => {
      const ids = [await add('Walk'), await add('Walk'), await add('Walk')];
      const first = await petstore.reader.get('/v1/pets?name=walk&limit=2');
      await remove(ids[1] ?? 0n);
      const next = await petstore.reader.get(targetOf(linksOf(first).get('next')));
      expect(idsOf(next)).toEqual(ids.slice(2));
    });
  });

  test('404 pet_not_found the second time', async () => {
    const id = await add();
    await remove(id);
    expect(expectError(await remove(id), 'pet_not_found')).toBe('There is no animal with this id.');
  });

  test.each(['999999', '0', '-1', '9223372036854775808', '01', 'abc'])(
    '404 pet_not_found for %s',
    async (id) => {
      expectError(await remove(id), 'pet_not_found');
    },
  );

  test('409 conflict while an open order holds the animal', async () => {
    const id = await add();
    const order = idOf(await petstore.writer.post('/v1/store/orders', { petId: Number(id) }));
    const message = `Animal ${id} is held by the open order ${order}: complete or cancel the order first.`;
    expect(expectError(await remove(id), 'conflict')).toBe(message);
    for (const status of ['approved', 'completed']) {
      expect((await petstore.reader.get(`/v1/pets/${id}`)).text).toContain('"pending"');
      expectError(await remove(id), 'conflict');
      await petstore.writer.patch(`/v1/store/orders/${order}`, { status });
    }
    expect((await remove(id)).status).toBe(204);
  });
});
