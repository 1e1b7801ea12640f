import { describe, expect, test } from 'bun:test';
import { idOf } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forAllTests(() => startPetstore());

const addPet = async (status = 'available') =>
  Number(idOf(await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 7, status })));
const target = (body: unknown) => petstore.writer.post('/v1/store/orders', body);
const petStatus = async (id: number) =>
  JSON.parse((await petstore.reader.get(`/v1/pets/${id}`)).text).status;
const timeNow = () => new Date(petstore.clock.now()).toISOString();

describe('POST /v1/store/orders (placeOrder)', () => {
  describe('201', () => {
    test('returns the order and its location, and makes the animal pending', async () => {
      const petId = await addPet();
      petstore.clock.advance(1_234);
      const response = await target({ petId, adopter: 'The Alvarez family' });
      const id = idOf(response);
      expect(response.status).toBe(201);
      expect(response.text).toBe(
        `{"id":${id},"petId":${petId},"adopter":"The Alvarez family","status":"placed",` +
          `"placedAt":"${timeNow()}","updatedAt":"${timeNow()}"}`,
      );
      expect(response.headers.get('location')).toBe(`${petstore.baseUrl}/store/orders/${id}`);
      expect((await petstore.writer.get(`/v1/store/orders/${id}`)).text).toBe(response.text);
      expect(await petStatus(petId)).toBe('pending');
    });

    test('has no adopter if none is sent', async () => {
      const response = await target({ petId: await addPet() });
      expect(response.status).toBe(201);
      expect(response.text).not.toContain('adopter');
      const got = await petstore.reader.get(`/v1/store/orders/${idOf(response)}`);
      expect(got.text).toBe(response.text);
    });

    test.each(['x', '😺'.repeat(255), ' x ', '\u00e9', 'e\u0301', `"'\\<b>`])(
      'stores the adopter %p exactly as sent',
      async (adopter) => {
        const response = await target({ petId: await addPet(), adopter });
        expect(JSON.parse(response.text).adopter).toBe(adopter);
      },
    );

    test('ignores unknown and read-only members', async () => {
      const petId = await addPet();
      const sent = { id: 1e6, status: 'completed', placedAt: 'x', updatedAt: null, extra: [{}] };
      const response = await target({ ...sent, petId });
      expect(response.status).toBe(201);
      expect(JSON.parse(response.text)).toMatchObject({ petId, status: 'placed' });
      expect(idOf(response)).toBeLessThan(1_000_000n);
    });

    test('survives a restart, with its animal', async () => {
      const petId = await addPet();
      const { text } = await target({ petId });
      await petstore.restart();
      expect((await petstore.reader.get(`/v1/store/orders?petId=${petId}`)).text).toBe(`[${text}]`);
      expect(await petStatus(petId)).toBe('pending');
    });

    test('again for an animal whose order was cancelled', async () => {
      const petId = await addPet();
      const first = idOf(await target({ petId }));
      await petstore.writer.patch(`/v1/store/orders/${first}`, { status: 'cancelled' });
      const second = await target({ petId });
      expect(second.status).toBe(201);
      expect(idOf(second)).toBeGreaterThan(first);
    });
  });

  describe('400', () => {
    test.each([
      ['petId', '{}', 'is required'],
      ['petId', '{"petId":null}', 'must be a whole number'],
      ['petId', '{"petId":"1"}', 'must be a whole number'],
      ['petId', '{"petId":1.5}', 'must be a whole number'],
      ['petId', '{"petId":9223372036854775808}', 'must be a whole number'],
      ['adopter', '{"petId":1,"adopter":null}', 'must be a string'],
      ['adopter', '{"petId":1,"adopter":5}', 'must be a string'],
      ['adopter', '{"petId":1,"adopter":""}', 'must not be empty'],
      ['adopter', '{"petId":1,"adopter":" "}', 'must not be blank'],
      ['adopter', '{"petId":1,"adopter":"a\\u0000"}', 'must not contain control characters'],
      ['adopter', `{"petId":1,"adopter":"${'x'.repeat(256)}"}`, 'must have at most 255 characters'],
    ])('invalid_body for the field %s in %s', async (field, body, problem) => {
      const message = expectError(await target(body), 'invalid_body');
      expect(message).toStartWith(`${field} ${problem}`);
    });

    test('invalid_body names every problem', async () => {
      const message = expectError(await target({ adopter: '' }), 'invalid_body');
      expect(message).toBe('petId is required; adopter must not be empty.');
    });

    test('invalid_json for a body that is not JSON', async () => {
      expectError(await target('{"petId":1'), 'invalid_json');
    });
  });

  test('with a key that may adopt, which can then read the order but not change its status', async () => {
    const { client } = await petstore.keyWith({ scopes: ['adopt'] });
    const petId = await addPet();
    const placed = await client.post('/v1/store/orders', { petId });
    expect(placed.status).toBe(201);
    expect(await petStatus(petId)).toBe('pending');
    const path = new URL(placed.headers.get('location') ?? '').pathname;
    expect(await client.get(path)).toMatchObject({ status: 200, text: placed.text });
    const listed = await client.get(`/v1/store/orders?petId=${petId}`);
    expect(listed.text).toBe(`[${placed.text}]`);
    const cancelled = await client.patch(path, { status: 'cancelled' });
    expect(expectError(cancelled, 'insufficient_scope')).toContain('"write"');
    expect(await petStatus(petId)).toBe('pending');
  });

  test.each(['999999', '0', '-1', '9223372036854775807', '-9223372036854775808'])(
    '404 pet_not_found for the animal %s, which does not exist',
    async (petId) => {
      const message = expectError(await target(`{"petId":${petId}}`), 'pet_not_found');
      expect(message).toBe(`There is no animal ${petId}.`);
    },
  );

  describe('409 conflict', () => {
    test.each(['pending', 'sold'])('for an animal that is %s', async (status) => {
      const petId = await addPet(status);
      expect(expectError(await target({ petId }), 'conflict')).toBe(
        `Animal ${petId} is ${status}: only an available animal can be ordered.`,
      );
      expect(await petStatus(petId)).toBe(status);
      expect((await petstore.reader.get(`/v1/store/orders?petId=${petId}`)).text).toBe('[]');
    });

    test('for an animal with an open order, and for one sold through an order', async () => {
      const petId = await addPet();
      const path = `/v1/store/orders/${idOf(await target({ petId }))}`;
      expectError(await target({ petId }), 'conflict');
      await petstore.writer.patch(path, { status: 'approved' });
      expectError(await target({ petId }), 'conflict');
      await petstore.writer.patch(path, { status: 'completed' });
      expect(expectError(await target({ petId }), 'conflict')).toContain('is sold');
    });
  });
});

describe('GET /v1/store/orders/{orderId} (getOrder)', () => {
  test('200 returns the order', async () => {
    const placed = await target({ petId: await addPet(), adopter: 'A' });
    const response = await petstore.writer.get(`/v1/store/orders/${idOf(placed)}`);
    expect([response.status, response.text]).toEqual([200, placed.text]);
    expect(response.headers.get('etag')).toMatch(/^"[0-9a-f]{16}"$/);
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  test.each(['999999', '0', '-1', '01', '+1', 'abc', '9223372036854775808'])(
    '404 order_not_found for %s',
    async (id) => {
      expectError(await petstore.reader.get(`/v1/store/orders/${id}`), 'order_not_found');
    },
  );
});
