import { idOf } from '../support/animals.ts';
import type { Client, ClientResponse } from '../support/client.ts';
import type { TestPetstore } from '../support/start.ts';

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

/** How each operation is brought to a conflict or a missing record. */
export const CONFLICTS: Readonly<Record<string, Conflict>> = {
  'updatePet conflict': async ({ admin }) => {
    const { pet } = await addOrder(admin);
    return patch(admin, `/v1/pets/${pet}`, { status: 'sold' });
  },
  'deletePet conflict': async ({ admin }) => {
    const { pet } = await addOrder(admin);
    return admin.send('DELETE', `/v1/pets/${pet}`);
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
  'updateOrder conflict': async ({ admin }) => {
    const { order } = await addOrder(admin);
    return patch(admin, `/v1/store/orders/${order}`, { status: 'completed' });
  },
};
