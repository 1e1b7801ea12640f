import { beforeAll, describe, expect, test } from 'bun:test';
import { ORDER_STATUSES, type OrderStatus } from '../../../src/domain/order.ts';
import { idOf } from '../../support/animals.ts';
import type { Client, ClientResponse } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const PII = {
  adopter: 'Jordan Ellis',
  contact: 'jordan@example.com',
  note: 'Two cats.\nA garden with a fence.',
};
const FIELDS = Object.keys(PII);
const NOBODY = { adopter: null, contact: null, note: null };
/** The moves that lead to each status. */
const WAY: Record<OrderStatus, readonly OrderStatus[]> = {
  placed: [],
  approved: ['approved'],
  completed: ['approved', 'completed'],
  cancelled: ['cancelled'],
};

let adopting: Client;
const petstore = forAllTests(() => startPetstore());
beforeAll(async () => {
  adopting = (await petstore.keyWith({ scopes: ['adopt'] })).client;
});

const addPet = async () =>
  Number(idOf(await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 7 })));
const patch = (id: bigint, change: object) =>
  petstore.writer.patch(`/v1/store/orders/${id}`, change);
const get = async (id: bigint, client = petstore.writer) =>
  JSON.parse((await client.get(`/v1/store/orders/${id}`)).text);

async function place(
  members: object = PII,
  client: Client = petstore.writer,
  headers: Record<string, string> = {},
): Promise<ClientResponse> {
  const response = await client.post(
    '/v1/store/orders',
    { petId: await addPet(), ...members },
    headers,
  );
  expect(response.status).toBe(201);
  return response;
}

/** An order with PII, in the given status. */
async function orderThatIs(status: OrderStatus): Promise<bigint> {
  const id = idOf(await place());
  for (const step of WAY[status]) await patch(id, { status: step });
  return id;
}

describe('who adopts, how to reach them, and a note', () => {
  test('are stored exactly, in a fixed order of members', async () => {
    const response = await place();
    const id = idOf(response);
    const members = JSON.parse(response.text);
    expect(members).toMatchObject(PII);
    expect(Object.keys(members)).toEqual([
      ...['id', 'petId', 'adopter', 'contact', 'note', 'status', 'placedAt', 'updatedAt'],
    ]);
    await petstore.restart();
    expect(await get(id)).toEqual(members);
  });

  test.each(FIELDS)('may be left out: %s', async (field) => {
    const { [field]: _, ...others } = PII as Record<string, string>;
    const members = JSON.parse((await place(others)).text);
    expect(members).toMatchObject(others);
    expect(members).not.toHaveProperty(field);
  });

  test.each([
    ['adopter', 255],
    ['contact', 255],
    ['note', 2_000],
  ])('%s may have %d characters, and not one more', async (field, most) => {
    const petId = await addPet();
    const tooLong = { petId, [field]: '😺'.repeat(most + 1) };
    const message = expectError(
      await petstore.writer.post('/v1/store/orders', tooLong),
      'invalid_body',
    );
    expect(message).toBe(`${field} must have at most ${most} characters.`);
    const id = idOf(await place({ [field]: '😺'.repeat(most) }));
    expectError(await patch(id, { [field]: 'x'.repeat(most + 1) }), 'invalid_body');
    expect((await patch(id, { [field]: 'x'.repeat(most) })).status).toBe(200);
  });

  test.each(['a\nb', 'a\r\nb', '\ta', 'a\n', '-'])('the note may be %p', async (note) => {
    expect(JSON.parse((await place({ note })).text).note).toBe(note);
  });

  test.each([
    ['note', '', 'must not be empty'],
    ['note', ' \n\t', 'must not be blank'],
    ['note', 'a\u0000', 'must not contain control characters'],
    ['note', 'a\u0085', 'must not contain control characters'],
    ['note', '\ud800', 'must not contain half of a surrogate pair'],
    ['note', 7, 'must be a string'],
    ['note', null, 'must be a string'],
    ['contact', 'a\nb', 'must not contain control characters'],
    ['contact', ' ', 'must not be blank'],
    ['contact', ['a'], 'must be a string'],
    ['contact', null, 'must be a string'],
  ])('%s is refused as %p', async (field, value, problem) => {
    const body = { petId: await addPet(), [field]: value };
    const response = await petstore.writer.post('/v1/store/orders', body);
    expect(expectError(response, 'invalid_body')).toBe(`${field} ${problem}.`);
  });
});

describe('PII is shown only to keys with write', () => {
  /** Everything that a key can read about an order. */
  async function seen(id: bigint, client: Client): Promise<string[]> {
    const paths = [`/v1/store/orders/${id}`, '/v1/store/orders?limit=100'];
    const responses = await Promise.all(paths.map((path) => client.get(path)));
    return responses.map(({ text }) => text);
  }

  test('not to read and adopt', async () => {
    const id = await orderThatIs('placed');
    for (const client of [petstore.reader, adopting]) {
      for (const text of await seen(id, client)) {
        expect(text).toContain(`"id":${id}`);
        for (const hidden of [...FIELDS, 'Jordan', 'jordan', 'garden']) {
          expect(text).not.toContain(hidden);
        }
      }
    }
    for (const client of [petstore.writer, petstore.admin]) {
      for (const text of await seen(id, client)) {
        for (const value of Object.values(PII)) expect(text).toContain(JSON.stringify(value));
      }
    }
  });

  test('not even to the key with adopt that sent it, nor in a replay', async () => {
    const petId = await addPet();
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const send = () => adopting.post('/v1/store/orders', { petId, ...PII }, headers);
    const first = await send();
    const again = await send();
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
    for (const field of FIELDS) expect(first.text).not.toContain(field);
    expect(await get(idOf(first))).toMatchObject(PII);
  });

  test('and cannot be guessed from the tag, which does not depend on it', async () => {
    const id = await orderThatIs('placed');
    const path = `/v1/store/orders/${id}`;
    const tagFor = async (client: Client) => (await client.get(path)).headers.get('etag');
    expect(await tagFor(petstore.reader)).not.toBe(await tagFor(petstore.writer));
    const placed = await get(id, petstore.reader);
    const { id: _, ...other } = await get(idOf(await place({})), petstore.reader);
    expect(Object.keys(placed)).toEqual(['id', ...Object.keys(other)]);
  });
});

describe('PII is erased by null', () => {
  test.each(ORDER_STATUSES)('while the order is %s', async (status) => {
    const id = await orderThatIs(status);
    petstore.clock.advance(1_000);
    const before = await get(id);
    const petBefore = (await petstore.reader.get(`/v1/pets/${before.petId}`)).text;
    const response = await patch(id, NOBODY);
    const updatedAt = new Date(petstore.clock.now()).toISOString();
    const { adopter, contact, note, ...rest } = before;
    expect({ adopter, contact, note }).toEqual(PII);
    expect(response.status).toBe(200);
    expect(JSON.parse(response.text)).toEqual({ ...rest, updatedAt });
    expect(await get(id)).toEqual({ ...rest, updatedAt });
    expect((await petstore.reader.get(`/v1/pets/${before.petId}`)).text).toBe(petBefore);
  });

  test.each(FIELDS)('one field at a time: %s', async (field) => {
    const id = await orderThatIs('completed');
    const { [field]: _, ...others } = PII as Record<string, string>;
    const left = JSON.parse((await patch(id, { [field]: null })).text);
    expect(left).toMatchObject(others);
    expect(left).not.toHaveProperty(field);
  });

  test('a second time changes nothing', async () => {
    const id = await orderThatIs('cancelled');
    const { text } = await patch(id, NOBODY);
    petstore.clock.advance(1_000);
    expect((await patch(id, NOBODY)).text).toBe(text);
  });

  test('together with a change of status', async () => {
    const id = await orderThatIs('approved');
    const { text } = await patch(id, { ...NOBODY, status: 'completed' });
    expect(JSON.parse(text)).toMatchObject({ status: 'completed' });
    for (const field of FIELDS) expect(text).not.toContain(field);
  });

  test('not if the rest of the change is refused', async () => {
    const id = await orderThatIs('completed');
    for (const change of [{ status: 'cancelled' }, { contact: 'somebody else' }]) {
      expectError(await patch(id, { ...NOBODY, ...change }), 'conflict');
    }
    expect(await get(id)).toMatchObject(PII);
  });

  test('does not touch an animal that another order holds now', async () => {
    const id = await orderThatIs('cancelled');
    const { petId } = await get(id);
    await petstore.writer.post('/v1/store/orders', { petId });
    expect((await patch(id, NOBODY)).status).toBe(200);
    expect((await petstore.reader.get(`/v1/pets/${petId}`)).text).toContain('"pending"');
  });

  test('with If-Match, if the order has not changed since', async () => {
    const path = `/v1/store/orders/${await orderThatIs('completed')}`;
    const headers = { 'if-match': (await petstore.writer.get(path)).headers.get('etag') ?? '' };
    expect((await petstore.writer.patch(path, { note: null }, headers)).status).toBe(200);
    const late = await petstore.writer.patch(path, { adopter: null }, headers);
    expectError(late, 'precondition_failed');
  });
});

describe('a repeat with the same Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': crypto.randomUUID() });
  /** Places an order; returns a function that sends the same request again. */
  async function placed() {
    const body = { petId: await addPet(), ...PII };
    const headers = key();
    const send = () => petstore.writer.post('/v1/store/orders', body, headers);
    return { first: await send(), send };
  }

  test('shows no erased PII', async () => {
    const { first, send } = await placed();
    await patch(idOf(first), { adopter: null, note: null });
    const again = await send();
    const { adopter, note, ...left } = JSON.parse(first.text);
    expect([adopter, note]).toEqual([PII.adopter, PII.note]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(JSON.parse(again.text)).toEqual(left);
  });

  test('otherwise gets the first response, whatever happened to the order', async () => {
    const { first, send } = await placed();
    await patch(idOf(first), { status: 'cancelled' });
    expect((await send()).text).toBe(first.text);
    await petstore.restart();
    const again = await send();
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  });

  test('reads PII only from the order: once erased there, it is nowhere', async () => {
    const { first } = await placed();
    const everywhere = async () => {
      const [stored, orders] = await Promise.all([
        petstore.database.sql('SELECT body, headers FROM idempotent_results'),
        petstore.database.sql(`SELECT * FROM orders WHERE id = ${idOf(first)}`),
      ]);
      const text = (rows: readonly object[]) => rows.map((row) => Object.values(row).join()).join();
      return { results: text(stored), orders: text(orders) };
    };
    const before = await everywhere();
    expect(before.results).toContain('"placedAt"');
    for (const value of Object.values(PII)) {
      expect(before.orders).toContain(value);
      expect(before.results).not.toContain(JSON.stringify(value).slice(1, -1));
    }
    await patch(idOf(first), NOBODY);
    const { orders } = await everywhere();
    for (const value of Object.values(PII)) expect(orders).not.toContain(value);
  });
});
