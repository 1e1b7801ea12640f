import { sendPhoto } from '../photos/adding.ts';
import { idOf } from '../support/animals.ts';
import type { Client, ClientResponse } from '../support/client.ts';
import { addEnquiry, addListed } from '../support/enquiries.ts';
import { picture } from '../support/pictures.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';

type Conflict = (petstore: TestPetstore) => Promise<ClientResponse>;

const PATCH = { 'content-type': 'application/merge-patch+json' };

function patch(client: Client, target: string, body: object): Promise<ClientResponse> {
  return client.send('PATCH', target, { headers: PATCH, body: JSON.stringify(body) });
}

async function addPet(client: Client, categoryId = 1): Promise<bigint> {
  return idOf(await client.post('/v1/pets', { name: 'Rex', categoryId }));
}

/** Adds an animal and places an order for it; returns the ids of both. */
async function addOrder(client: Client): Promise<{ readonly pet: bigint; readonly order: bigint }> {
  const pet = await addPet(client);
  const order = idOf(await client.post('/v1/store/orders', { petId: Number(pet) }));
  return { pet, order };
}

async function addCategory(client: Client, name: string): Promise<bigint> {
  return idOf(await client.post('/v1/categories', { name }));
}

/** Sends a request that creates a key twice with one Idempotency-Key. */
async function twice(client: Client, target: string, body: object): Promise<ClientResponse> {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  await client.post(target, body, headers);
  return client.post(target, body, headers);
}

/** Sends a request as the last key with the scope `admin` of a server of its own. */
async function asLastAdmin(
  send: (client: Client, ownPath: string) => Promise<ClientResponse>,
): Promise<ClientResponse> {
  await using petstore = await startPetstore();
  const keys = await petstore.storage.keys.list();
  const own = keys.find(({ scopes }) => scopes.includes('admin'));
  return await send(petstore.admin, `/v1/keys/${own?.id}`);
}

async function addKey(client: Client): Promise<bigint> {
  return idOf(await client.post('/v1/keys', { name: 'A shop', plan: 'pro' }));
}

const PERSON = { name: 'Maria', role: 'manager' };
let people = 0;

async function addPerson(
  client: Client,
): Promise<{ readonly path: string; readonly email: string }> {
  const email = `maria.${++people}@example.org`;
  const id = idOf(await client.post('/v1/people', { ...PERSON, email }));
  return { path: `/v1/people/${id}`, email };
}

/** Sends a request as a person who is the only one that may manage keys. */
async function asLastManager(
  send: (client: Client, ownPath: string) => Promise<ClientResponse>,
): Promise<ClientResponse> {
  await using petstore = await startPetstore();
  const { admin, storage } = petstore;
  const { path } = await addPerson(admin);
  const id = idOf(await admin.get(path));
  await petstore.database.sql(`UPDATE people SET password_hash = 'x' WHERE key_id = ${id}`);
  const key = (await storage.keys.list()).find(({ scopes }) => scopes.includes('admin'));
  // The database sees the key end while the server still accepts it, for less than half a second.
  expectOk(await admin.get('/v1/usage'));
  await storage.keys.revoke(key?.id ?? 0n, petstore.clock.now());
  return await send(admin, path);
}

function expectOk({ status, text }: ClientResponse): void {
  if (status !== 200) throw new Error(text);
}

const WEBHOOK = { url: 'https://partner.example/events' };

async function addWebhook(client: Client): Promise<bigint> {
  return idOf(await client.post('/v1/webhooks', WEBHOOK));
}

const CHANNEL = { kind: 'csv', address: 'sftp://partner.example/in' };
/** Which nothing encrypts in these tests. */
const WITH_PASSWORD = { ...CHANNEL, password: 'secret' };

async function addChannel(client: Client): Promise<string> {
  return `/v1/channels/${idOf(await client.post('/v1/channels', CHANNEL))}`;
}

/** How each operation is brought to a conflict or a missing record. */
export const CONFLICTS: Readonly<Record<string, Conflict>> = {
  'updatePet conflict': async ({ admin }) => {
    const { pet } = await addOrder(admin);
    return patch(admin, `/v1/pets/${pet}`, { status: 'sold' });
  },
  'createStay conflict': async ({ admin }) =>
    admin.post(`/v1/pets/${await addPet(admin)}/stays`, {}),
  'updateStay conflict': async ({ admin }) => {
    const pet = `/v1/pets/${await addPet(admin)}`;
    await patch(admin, `${pet}/profile`, { care: 'quarantine' });
    const [{ id }] = JSON.parse((await admin.get(`${pet}/stays`)).text);
    return patch(admin, `${pet}/stays/${id}`, { outcomeType: 'adopted' });
  },
  'returnOrder conflict': async ({ admin }) =>
    admin.post(`/v1/store/orders/${(await addOrder(admin)).order}/return`, {}),
  'restorePet conflict': async ({ admin }) =>
    admin.send('POST', `/v1/pets/${await addPet(admin)}/restore`),
  'deletePet conflict': async ({ admin }) => {
    const { pet } = await addOrder(admin);
    return admin.send('DELETE', `/v1/pets/${pet}`);
  },
  'addPhoto conflict': async ({ admin }) => {
    const petId = await addPet(admin);
    for (let n = 0; ; n++) {
      const added = await sendPhoto(admin, petId, await picture(40, 30, 'png', n));
      if (added.status !== 201) return added;
    }
  },
  'createCategory conflict': async ({ admin }) => {
    await addCategory(admin, 'Strau\u00dfe');
    return admin.post('/v1/categories', { name: 'STRAUSSE' });
  },
  'updateCategory conflict': async ({ admin }) => {
    await addCategory(admin, 'Parrot');
    const other = await addCategory(admin, 'Budgerigar');
    return patch(admin, `/v1/categories/${other}`, { name: 'PARROT' });
  },
  'deleteCategory conflict': async ({ admin }) => {
    const category = await addCategory(admin, 'Ferret');
    await addPet(admin, Number(category));
    return admin.send('DELETE', `/v1/categories/${category}`);
  },
  'placeOrder conflict': async ({ admin }) => {
    const { pet } = await addOrder(admin);
    return admin.post('/v1/store/orders', { petId: Number(pet) });
  },
  'placeOrder pet_not_found': ({ admin }) => admin.post('/v1/store/orders', { petId: 999_999 }),
  'updateEnquiry conflict': async ({ admin, storage }) => {
    const path = `/v1/enquiries/${await addEnquiry(storage)}`;
    await patch(admin, path, { status: 'closed' });
    return patch(admin, path, { status: 'new' });
  },
  'orderFromEnquiry conflict': async ({ admin, storage }) => {
    const path = `/v1/enquiries/${await addEnquiry(storage)}/order`;
    await admin.post(path, {});
    return admin.post(path, {});
  },
  'orderFromEnquiry pet_not_found': async ({ admin, storage }) => {
    const petId = await addListed(storage);
    const id = await addEnquiry(storage, { petId });
    await admin.delete(`/v1/pets/${petId}`);
    return admin.post(`/v1/enquiries/${id}/order`, {});
  },
  'updateOrder conflict': async ({ admin }) => {
    const { order } = await addOrder(admin);
    return patch(admin, `/v1/store/orders/${order}`, { status: 'completed' });
  },
  'createKey conflict': ({ admin }) => twice(admin, '/v1/keys', { name: 'A shop', plan: 'pro' }),
  'rotateKey conflict': async ({ admin }) =>
    twice(admin, `/v1/keys/${await addKey(admin)}/rotate`, {}),
  'updateProfile conflict': async ({ admin }) =>
    patch(admin, `/v1/pets/${await addPet(admin)}/profile`, { birthDatePrecision: 'year' }),
  'updateKey conflict': () =>
    asLastAdmin((client, path) => patch(client, path, { scopes: ['write'] })),
  'createChannel conflict': ({ admin }) => admin.post('/v1/channels', WITH_PASSWORD),
  'updateChannel conflict': async ({ admin }) =>
    patch(admin, await addChannel(admin), { password: 'secret' }),
  'testChannel conflict': async ({ admin }) => twice(admin, `${await addChannel(admin)}/test`, {}),
  'sendChannel conflict': async ({ admin }) => {
    const path = await addChannel(admin);
    await patch(admin, path, { status: 'disabled' });
    return admin.post(`${path}/send`, {});
  },
  'createWebhook conflict': ({ admin }) => twice(admin, '/v1/webhooks', WEBHOOK),
  'rotateWebhookSecret conflict': async ({ admin }) =>
    twice(admin, `/v1/webhooks/${await addWebhook(admin)}/secret`, {}),
  'testWebhook conflict': async ({ admin }) =>
    twice(admin, `/v1/webhooks/${await addWebhook(admin)}/test`, {}),
  'retryDelivery conflict': async ({ admin }) => {
    const webhook = await addWebhook(admin);
    await patch(admin, `/v1/webhooks/${webhook}`, { status: 'disabled' });
    return admin.post(`/v1/webhooks/${webhook}/deliveries/1/retry`, {});
  },
  'retryDelivery delivery_not_found': async ({ admin }) =>
    admin.post(`/v1/webhooks/${await addWebhook(admin)}/deliveries/999999/retry`, {}),
  'createPerson conflict': async ({ admin }) => {
    const { email } = await addPerson(admin);
    return admin.post('/v1/people', { ...PERSON, email: email.toUpperCase() });
  },
  'invitePerson conflict': async ({ admin }) => {
    const { path } = await addPerson(admin);
    await admin.delete(path);
    return admin.post(`${path}/invitation`, {});
  },
  'updatePerson conflict': () =>
    asLastManager((client, path) => patch(client, path, { role: 'viewer' })),
  'removePerson conflict': () => asLastManager((client, path) => client.delete(path)),
  'revokeKey conflict': () => asLastAdmin((client, path) => client.delete(path)),
};
