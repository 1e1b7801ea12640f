import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createDecoder } from '../../src/photos/decoder.ts';
import { photosOf, sendPhoto } from '../photos/adding.ts';
import { idOf } from '../support/animals.ts';
import type { Client } from '../support/client.ts';
import { addPerson, signedIn } from '../support/people.ts';
import { picture } from '../support/pictures.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';

/* What others do while the decoder has a photo. */

let petstore: TestPetstore;
let petId: bigint;
let file: Uint8Array<ArrayBuffer>;
/** Resolved when the decoder gets a photo; and what lets it begin. */
let decoding: PromiseWithResolvers<void>;
let go: PromiseWithResolvers<void>;
let decoded: number;

beforeEach(async () => {
  const real = createDecoder();
  decoding = Promise.withResolvers();
  go = Promise.withResolvers();
  decoded = 0;
  const decoder = {
    ...real,
    async decode(...args: Parameters<typeof real.decode>) {
      decoded++;
      decoding.resolve();
      await go.promise;
      return real.decode(...args);
    },
  };
  petstore = await startPetstore({ decoder });
  petId = idOf(await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 1 }));
  file = await picture(60, 40);
});
afterEach(() => petstore[Symbol.asyncDispose]());

/** Sends a photo, does something while it is decoded, and returns the response. */
async function during(client: Client, act: () => unknown, headers = {}) {
  const sent = sendPhoto(client, petId, file, '', headers);
  await decoding.promise;
  await act();
  go.resolve();
  return sent;
}

describe.each([
  ['without a key for retries', {}],
  ['with one', { 'idempotency-key': 'a-photo' }],
])('a photo under way %s', (_, headers) => {
  test.each([
    ['revoked', 401, async (id: bigint) => petstore.storage.keys.revoke(id, petstore.clock.now())],
    [
      'left with reading',
      403,
      async (id: bigint) => petstore.admin.patch(`/v1/keys/${id}`, { scopes: ['read'] }),
    ],
    [
      'at its end',
      401,
      async (id: bigint) => {
        const expiresAt = new Date(petstore.clock.now() + 1_000).toISOString();
        await petstore.admin.patch(`/v1/keys/${id}`, { expiresAt });
        petstore.clock.advance(2_000);
      },
    ],
  ] as const)('is refused when its key is %s', async (_, status, act) => {
    const { id, client } = await petstore.keyWith({ scopes: ['write'] });
    const response = await during(client, () => act(id), headers);
    expect([response.status, await photosOf(petstore.reader, petId)]).toEqual([status, []]);
  });

  test.each([
    [
      'is demoted',
      403,
      (id: number) => petstore.admin.patch(`/v1/people/${id}`, { role: 'viewer' }),
    ],
    ['is removed', 401, (id: number) => petstore.admin.delete(`/v1/people/${id}`)],
  ] as const)('is refused when its person %s', async (_, status, act) => {
    const person = await addPerson(petstore);
    const visitor = await signedIn(petstore, person);
    const response = await during(asClient(visitor), () => act(person.id), headers);
    expect([response.status, await photosOf(petstore.reader, petId)]).toEqual([status, []]);
  });

  test('is refused when its session is ended', async () => {
    const person = await addPerson(petstore);
    const visitor = await signedIn(petstore, person);
    const cookie = visitor.cookie() ?? '';
    const response = await during(asClient(visitor), () => visitor.signOut({ cookie }), {
      ...headers,
      cookie,
    });
    expect([response.status, await photosOf(petstore.reader, petId)]).toEqual([401, []]);
  });

  test('is refused when its animal is removed', async () => {
    const response = await during(
      petstore.writer,
      () => petstore.writer.delete(`/v1/pets/${petId}`),
      headers,
    );
    expect(response.status).toBe(404);
  });
});

/** Sends as the pages of somebody who is signed in. */
function asClient(visitor: Awaited<ReturnType<typeof signedIn>>): Client {
  const cookie = visitor.cookie() ?? '';
  const send: Client['send'] = (method, path, request = {}) =>
    petstore.anonymous.send(method, path, {
      ...request,
      headers: { cookie, 'sec-fetch-site': 'same-origin', ...request.headers },
    });
  return { ...petstore.anonymous, send };
}

test('a retry gets the photo that was added, although the animal is gone and the decoder stands still', async () => {
  const headers = { 'idempotency-key': 'once' };
  go.resolve();
  const first = await sendPhoto(petstore.writer, petId, file, '', headers);
  expect(first.status).toBe(201);
  go = Promise.withResolvers();
  expect((await petstore.writer.delete(`/v1/pets/${petId}`)).status).toBe(204);
  const again = await sendPhoto(petstore.writer, petId, file, '', headers);
  expect([again.status, again.text, decoded]).toEqual([201, first.text, 1]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  // Another file with the same key is a mistake, and is not decoded either.
  const other = await sendPhoto(petstore.writer, petId, await picture(30, 20), '', headers);
  expect([other.status, decoded]).toEqual([422, 1]);
});
