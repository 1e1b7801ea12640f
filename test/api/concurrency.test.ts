import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { numbered } from '../storage/change-recorder.ts';
import { idOf, idsOf } from '../support/animals.ts';
import { type ClientResponse, createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { openRawConnection, requestText } from '../support/raw-connection.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';

const REX = '{"name":"Rex","categoryId":7}';

let petstore: TestPetstore;
beforeEach(async () => {
  petstore = await startPetstore();
});
afterEach(() => petstore[Symbol.asyncDispose]());

const addPet = async () => idOf(await petstore.writer.post('/v1/pets', REX));
const statusesOf = (responses: readonly { status: number }[]) =>
  responses.map(({ status }) => status).sort();
const times = <T>(count: number, make: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));

describe('two people, one animal', () => {
  test('of 50 concurrent orders on 50 connections, one is placed', async () => {
    const petId = await addPet();
    const body = `{"petId":${petId}}`;
    const connections = times(50, () => openRawConnection(petstore.port));
    for (const connection of connections) {
      const key = `Authorization: Bearer ${petstore.writer.key}`;
      const type = 'Content-Type: application/json';
      const length = `Content-Length: ${body.length}`;
      connection.write(requestText('POST /v1/store/orders', 'Host: x', key, type, length));
    }
    for (const connection of connections) connection.write(body);
    const responses = await Promise.all(connections.map((connection) => connection.response()));
    for (const connection of connections) connection[Symbol.dispose]();

    const [placed, ...others] = responses.filter((response) => response?.status === 201);
    expect(placed?.body).toContain(`"petId":${petId},"status":"placed"`);
    expect(others).toEqual([]);
    const refused = responses.filter((response) => response !== placed);
    expect(refused).toHaveLength(49);
    for (const response of refused) {
      expect(expectError(response, 'conflict')).toBe(
        `Animal ${petId} is pending: only an available animal can be ordered.`,
      );
    }
    expect((await petstore.reader.get(`/v1/pets/${petId}`)).text).toContain('"pending"');
    expect(idsOf(await petstore.reader.get('/v1/store/orders'))).toEqual([1n]);
  });

  test('another process cannot place a second one either', async () => {
    for (let round = 0; round < 5; round++) {
      const petId = await addPet();
      const order = { petId, adopter: 'elsewhere' };
      const stamp = { at: petstore.clock.now(), keyId: null };
      const there = times(10, async () => {
        await petstore.storage.orders.place(order, stamp);
        return { status: 201 };
      }).map((placing) => placing.catch(({ status }) => ({ status })));
      const here = times(10, () => petstore.writer.post('/v1/store/orders', `{"petId":${petId}}`));
      const statuses = statusesOf(await Promise.all([...here, ...there]));
      expect(statuses).toEqual([201, ...times(19, () => 409)]);
    }
  });

  test('an order and a sale over the counter: one of them wins', async () => {
    for (let round = 0; round < 10; round++) {
      const petId = await addPet();
      const [placed, sold] = await Promise.all([
        petstore.writer.post('/v1/store/orders', `{"petId":${petId}}`),
        petstore.writer.patch(`/v1/pets/${petId}`, { status: 'sold' }),
      ]);
      expect(statusesOf([placed, sold])).toEqual(placed.status === 201 ? [201, 409] : [200, 409]);
      const status = placed.status === 201 ? 'pending' : 'sold';
      expect((await petstore.reader.get(`/v1/pets/${petId}`)).text).toContain(status);
    }
  });
});

describe('lost updates', () => {
  const tagOf = (response: ClientResponse) => response.headers.get('etag') ?? '';

  test('of two PATCHes with one ETag, one is 200 and the other 412', async () => {
    const path = `/v1/pets/${await addPet()}`;
    for (let round = 0; round < 10; round++) {
      const tag = tagOf(await petstore.reader.get(path));
      const rename = (name: string) => petstore.writer.patch(path, { name }, { 'if-match': tag });
      const responses = await Promise.all([rename(`left ${round}`), rename(`right ${round}`)]);
      expect(statusesOf(responses)).toEqual([200, 412]);
      const won = responses.find(({ status }) => status === 200);
      const lost = responses.find(({ status }) => status === 412);
      expectError(lost, 'precondition_failed');
      expect((await petstore.reader.get(path)).text).toBe(won?.text ?? '');
    }
  });

  test('of a PATCH and a DELETE with one ETag, one wins', async () => {
    for (let round = 0; round < 10; round++) {
      const path = `/v1/pets/${await addPet()}`;
      const condition = { 'if-match': tagOf(await petstore.reader.get(path)) };
      const [changed, removed] = await Promise.all([
        petstore.writer.patch(path, { name: 'Tom' }, condition),
        petstore.writer.delete(path, condition),
      ]);
      const left = (await petstore.reader.get(path)).status;
      expect([
        [200, 412, 200],
        [404, 204, 404],
      ]).toContainEqual([changed.status, removed.status, left]);
    }
  });

  test('clients that retry on 412 lose no change, and the history is linear', async () => {
    const id = await addPet();
    const path = `/v1/pets/${id}`;
    const next = { available: 'pending', pending: 'sold', sold: 'available' } as const;
    const acknowledged: string[] = [];
    let refused = 0;

    async function moveOn(letter: string): Promise<void> {
      for (;;) {
        const read = await petstore.reader.get(path);
        const pet: { name: string; status: keyof typeof next } = JSON.parse(read.text);
        const change = { name: pet.name + letter, status: next[pet.status] };
        const response = await petstore.writer.patch(path, change, { 'if-match': tagOf(read) });
        if (response.status === 200) return void acknowledged.push(change.status);
        expectError(response, 'precondition_failed');
        refused++;
      }
    }
    const letters = 'abcdefghijkl';
    await Promise.all([...letters].map(moveOn));
    const { name } = JSON.parse((await petstore.reader.get(path)).text);
    expect([...name.slice('Rex'.length)].sort().join('')).toBe(letters);
    expect(refused).toBeGreaterThan(0);

    await numbered(petstore.storage.changes);
    const lines: { id: number; changes: { status: [string | null, string] } }[] = JSON.parse(
      (await petstore.reader.get(`${path}/history?limit=100`)).text,
    );
    // Its stays have lines of their own.
    const history = lines.filter(({ changes }) => changes.status);
    // Responses may arrive in a different order than their changes were made.
    const statuses = history.map(({ changes }) => changes.status[1]).sort();
    expect(statuses).toEqual(['available', ...acknowledged].sort());
    const ids = history.map((change) => change.id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    for (const [i, { changes }] of history.entries()) {
      expect(changes.status[1]).toBe((['available', 'pending', 'sold'] as const)[i % 3] ?? '');
    }
  });
});

describe('one Idempotency-Key', () => {
  const headers = { 'idempotency-key': '8e03978e-40d5-43dd-bc93-6894a57f9324' };
  const add = () => petstore.writer.post('/v1/pets', REX, headers);

  test('409 idempotency_in_progress while the first request is in progress', async () => {
    const held = await petstore.database.holdWrites();
    // Over two connections, the second of them may arrive first.
    const sent = [add()];
    const refused = await eventually(
      () => {
        sent.push(add());
        return Promise.race(sent);
      },
      ({ status }) => status === 409,
    );
    expect(expectError(refused, 'idempotency_in_progress')).toContain('still in progress');
    const other = petstore.writer.post('/v1/pets', REX, { 'idempotency-key': 'another' });
    await held[Symbol.asyncDispose]();
    expect((await other).status).toBe(201);
    const first = (await Promise.all(sent)).find(({ status }) => status === 201);
    const again = await add();
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([
      ...[first?.text ?? '', 'true'],
    ]);
    expect(await petstore.storage.pets.count()).toBe(2);
  });

  test('can be used again when the first request fails', async () => {
    {
      await using _held = await petstore.database.holdWrites();
      expectError(await add(), 'service_unavailable');
    }
    const response = await add();
    expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  test('two concurrent POSTs create one animal', async () => {
    const responses = await Promise.all([add(), add()]);
    const [first] = responses.filter(({ status }) => status === 201);
    for (const response of responses) {
      if (response.status === 409) expectError(response, 'idempotency_in_progress');
      else expect(response.text).toBe(first?.text ?? '');
    }
    expect(await petstore.storage.pets.count()).toBe(1);
  });

  test('clients that retry until they get a result create one animal', async () => {
    const results = await Promise.all(
      times(20, async () => {
        for (;;) {
          const response = await add();
          if (response.status === 201) return response;
          expectError(response, 'idempotency_in_progress');
        }
      }),
    );
    expect(new Set(results.map(({ text }) => text)).size).toBe(1);
    const replayed = results.filter(({ headers }) => headers.has('idempotent-replayed'));
    expect(replayed).toHaveLength(19);
    expect(await petstore.storage.pets.count()).toBe(1);
  });

  test('is shared by two instances on one database', async () => {
    const shared = { ...petstore.database, [Symbol.asyncDispose]: async () => {} };
    const engine = { name: 'the same', createDatabase: async () => shared };
    await using second = await startPetstore({ engine });
    const elsewhere = createClient(() => second.url, petstore.writer.key);
    for (let round = 1; round <= 10; round++) {
      const key = { 'idempotency-key': `round-${round}` };
      const responses = await Promise.all(
        [petstore.writer, elsewhere].map((client) => client.post('/v1/pets', REX, key)),
      );
      expect(statusesOf(responses)).toEqual([201, 201]);
      expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
      expect(await petstore.storage.pets.count()).toBe(round);
    }
  });
});
