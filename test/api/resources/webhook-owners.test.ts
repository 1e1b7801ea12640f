import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Scope } from '../../../src/domain/api-key.ts';
import { idOf } from '../../support/animals.ts';
import { type Client, createClient } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';
import { type HttpReceiver, startReceiver } from '../../webhooks/receivers.ts';

setDefaultTimeout(60_000);

const SETTINGS = { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8', PETSTORE_WEBHOOK_SCHEDULE: '0s,0s' };
const PARTNER: readonly Scope[] = ['read', 'webhooks'];
let petstore: TestPetstore;
let receiver: HttpReceiver;
beforeAll(async () => {
  petstore = await startPetstore({ settings: SETTINGS });
  receiver = await startReceiver('127.0.0.1');
});
afterAll(async () => {
  await petstore[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

let paths = 0;
/** Creates a webhook with a path of its own. */
async function create(client: Client) {
  const path = `/${++paths}`;
  const url = `http://127.0.0.1:${receiver.port}${path}`;
  const response = await client.post('/v1/webhooks', { url });
  expect(response.status).toBe(201);
  const received = () => receiver.requests.filter((request) => request.path === path);
  return { target: `/v1/webhooks/${idOf(response)}`, id: idOf(response), response, received };
}
const partner = (scopes = PARTNER) => petstore.keyWith({ scopes });
const found = async (client: Client, target: string) => JSON.parse((await client.get(target)).text);
const listed = async (client: Client): Promise<number[]> =>
  (await found(client, '/v1/webhooks?limit=100')).map(({ id }: { id: number }) => id);
const addPet = () => petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 1 });

test('a partner manages its own webhooks, and those of others are 404', async () => {
  const [one, other] = [await partner(), await partner()];
  const { target, id, response } = await create(one.client);
  expect(JSON.parse(response.text)).toMatchObject({ keyId: Number(one.id), status: 'enabled' });
  const shops = await create(petstore.admin);
  for (const [client, hidden] of [
    [other.client, target],
    [one.client, shops.target],
  ] as const) {
    for (const refused of [
      await client.get(hidden),
      await client.patch(hidden, { status: 'disabled' }),
      await client.delete(hidden),
      await client.post(`${hidden}/secret`, {}),
      await client.post(`${hidden}/test`, {}),
      await client.get(`${hidden}/deliveries`),
      await client.post(`${hidden}/deliveries/1/retry`, {}),
    ]) {
      expectError(refused, 'webhook_not_found');
    }
  }
  expect(await listed(one.client)).toEqual([Number(id)]);
  expect(await listed(other.client)).toEqual([]);
  expect(await listed(petstore.admin)).toContainValues([Number(id), Number(shops.id)]);
  expect((await one.client.post(`${target}/test`, {})).status).toBe(200);
  expect((await one.client.post(`${target}/secret`, {})).status).toBe(201);
  expect((await one.client.get(`${target}/deliveries`)).status).toBe(200);
  expect((await one.client.patch(target, { description: 'Search' })).status).toBe(200);
  expect((await petstore.admin.get(target)).status).toBe(200);
  expect((await one.client.delete(target)).status).toBe(204);
});

test('it gets the events that it may read, without personal data, and its successor keeps it', async () => {
  const { client, id } = await partner();
  const { target, received } = await create(client);
  const pet = idOf(await addPet());
  await petstore.writer.post('/v1/store/orders', {
    petId: Number(pet),
    adopter: 'Ada Example',
    contact: 'ada@example.com',
    note: 'Two cats',
  });
  const got = await eventually(received, ({ length }) => length >= 3);
  const bodies = got.map(({ body }) => body).join('\n');
  expect(bodies).toContain('order.placed');
  expect(bodies).not.toMatch(/Ada|ada@|Two cats/);
  const rotated = await petstore.admin.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 0 });
  const successor = createClient(() => petstore.url, JSON.parse(rotated.text).key);
  expect((await successor.get(target)).status).toBe(200);
  const before = received().length;
  await addPet();
  await eventually(received, ({ length }) => length > before);
});

test.each([
  ['is revoked', (id: bigint) => petstore.admin.delete(`/v1/keys/${id}`)],
  ['loses read', (id: bigint) => petstore.admin.patch(`/v1/keys/${id}`, { scopes: ['webhooks'] })],
])('it gets nothing more when its key %s, and doctor and log say why', async (_, end) => {
  const { client, id } = await partner();
  const { target, received, id: webhookId } = await create(client);
  await addPet();
  await eventually(received, ({ length }) => length === 1);
  await end(id);
  await eventually(
    () => found(petstore.admin, target),
    ({ disabledReason }) => disabledReason === 'key',
  );
  await addPet();
  const shops = await create(petstore.admin);
  const last = idOf(await addPet());
  // One that was created later has its event, so this one would have had its own. On PostgreSQL it may have the one
  // before too, which gets its position a moment later.
  await eventually(shops.received, (got) =>
    got.some(({ body }) => body.includes(`"data":{"id":${last},`)),
  );
  expect(received()).toHaveLength(1);
  const logged = petstore.log.filter((line) => line.includes(`"webhookId":"${webhookId}"`));
  expect(logged.join()).toMatch(/a webhook was disabled.*"key"|"key".*a webhook was disabled/);
  // The administrator cannot revive it while the key lacks the right.
  await petstore.admin.patch(target, { status: 'enabled' });
  await eventually(
    () => found(petstore.admin, target),
    ({ disabledReason }) => disabledReason === 'key',
  );
});

test('without read it stays disabled until the key gets that', async () => {
  const { client, id } = await partner(['webhooks']);
  expectError(await client.get('/v1/pets'), 'insufficient_scope');
  const { target, response, received } = await create(client);
  expect(JSON.parse(response.text)).toMatchObject({ status: 'disabled', disabledReason: 'key' });
  const again = await client.patch(target, { status: 'enabled' });
  expect(JSON.parse(again.text)).toMatchObject({ disabledReason: 'key' });
  await petstore.admin.patch(`/v1/keys/${id}`, { scopes: PARTNER });
  await eventually(
    () => client.patch(target, { status: 'enabled' }),
    ({ text }) => text.includes('"status":"enabled"'),
  );
  await addPet();
  await eventually(received, ({ length }) => length >= 1);
});

test('a key has at most 20', async () => {
  const { client } = await partner();
  for (let n = 0; n < 20; n++) await create(client);
  const url = `http://127.0.0.1:${receiver.port}/`;
  expect(expectError(await client.post('/v1/webhooks', { url }), 'conflict')).toContain('20');
  await create((await partner()).client);
  await create(petstore.admin);
});
