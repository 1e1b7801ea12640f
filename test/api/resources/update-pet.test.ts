import { describe, expect, test } from 'bun:test';
import { idOf, petText } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

describe('PATCH /v1/pets/{petId} (updatePet)', () => {
  const petstore = forAllTests(() => startPetstore());

  const REX = { name: 'Rex', categoryId: 7n, status: 'available' } as const;
  const addRex = async () =>
    idOf(await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 7 }));
  const patch = (id: bigint | string, body: unknown) =>
    petstore.writer.patch(`/v1/pets/${id}`, body);
  const get = async (id: bigint) => (await petstore.reader.get(`/v1/pets/${id}`)).text;

  describe('200', () => {
    test.each([
      ['the name', '{"name":"Tom"}', { name: 'Tom' }],
      ['the category', '{"categoryId":-9223372036854775808}', { categoryId: -(2n ** 63n) }],
      ['the status', '{"status":"sold"}', { status: 'sold' }],
      [
        'everything',
        '{"name":" \\ud83d\\ude3a ","categoryId":8.0,"status":"pending"}',
        { name: ' 😺 ', categoryId: 8n, status: 'pending' },
      ],
    ] as const)('changes %s and nothing else', async (_, body, change) => {
      const id = await addRex();
      const other = await addRex();
      const response = await patch(id, body);
      expect(response.status).toBe(200);
      expect(response.text).toBe(petText({ id, ...REX, ...change }));
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('location')).toBeNull();
      expect(await get(id)).toBe(response.text);
      expect(await get(other)).toBe(petText({ id: other, ...REX }));
    });

    test('shows in lists and filters at once', async () => {
      const id = await addRex();
      await petstore.reader.get(`/v1/pets?id=${id}`);
      await patch(id, { name: 'Straße', status: 'sold' });
      for (const filter of [`id=${id}`, `name=STRASSE&id=${id}`, `status=sold&id=${id}`]) {
        const listed = await petstore.reader.get(`/v1/pets?${filter}`);
        expect(listed.text).toBe(`[${await get(id)}]`);
      }
      const before = await petstore.reader.get(`/v1/pets?name=rex&id=${id}`);
      expect(before.text).toBe('[]');
    });

    test('any status may follow any other while no order holds the animal', async () => {
      const id = await addRex();
      const statuses = ['available', 'pending', 'sold'] as const;
      for (const from of statuses) {
        for (const to of statuses) {
          await patch(id, { status: from });
          expect((await patch(id, { status: to })).text).toBe(petText({ id, ...REX, status: to }));
        }
      }
    });

    test('name and category may change under an open order', async () => {
      const id = await addRex();
      await petstore.writer.post('/v1/store/orders', { petId: Number(id) });
      const response = await patch(id, { name: 'Tom', categoryId: 8, status: 'pending' });
      expect(response.text).toBe(petText({ id, name: 'Tom', categoryId: 8n, status: 'pending' }));
    });
  });

  describe('400', () => {
    test.each([
      ['name', '{"name":""}', 'must not be empty'],
      ['name', `{"name":"${'x'.repeat(256)}"}`, 'must have at most 255 characters'],
      ['name', '{"name":"\\u2003"}', 'must not be blank'],
      ['categoryId', '{"categoryId":"7"}', 'must be a whole number'],
      ['categoryId', '{"categoryId":9223372036854775808}', 'must be a whole number'],
      ['status', '{"status":"gone"}', 'must be one of available, pending, sold'],
    ])('invalid_body for the field %s in %s', async (field, body, problem) => {
      const id = await addRex();
      const message = expectError(await patch(id, body), 'invalid_body');
      expect(message).toStartWith(`${field} ${problem}`);
      expect(await get(id)).toBe(petText({ id, ...REX }));
    });
  });

  describe('409 conflict', () => {
    test.each([
      ['placed', []],
      ['approved', ['approved']],
    ])('for another status while an order that is %s holds the animal', async (_, moves) => {
      const id = await addRex();
      const placed = await petstore.writer.post('/v1/store/orders', { petId: Number(id) });
      const order = idOf(placed);
      for (const status of moves)
        await petstore.writer.patch(`/v1/store/orders/${order}`, { status });
      for (const status of ['available', 'sold']) {
        const response = await patch(id, { name: 'Tom', status });
        expect(expectError(response, 'conflict')).toBe(
          `Animal ${id} is held by the open order ${order}: complete or cancel the order first.`,
        );
        expect(await get(id)).toBe(petText({ id, ...REX, status: 'pending' }));
      }
    });
  });
});
