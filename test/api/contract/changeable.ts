import { idOf } from '../../support/animals.ts';
import type { Client } from '../../support/client.ts';

/** A kind of record that PATCH changes, for tests of their common behaviour. */
export interface Changeable {
  readonly name: string;
  /** Adds a record and returns its path. */
  add(client: Client): Promise<string>;
  /** Two changes that succeed one after the other and differ. */
  readonly changes: readonly [object, object];
  /** Members that may be sent and are never null. */
  readonly members: readonly string[];
  /** True if DELETE removes it. */
  readonly removable: boolean;
  /** The clients that may change it and read it. */
  readonly editor: 'writer' | 'admin';
  readonly reader: 'reader' | 'admin';
}

let names = 0;

async function addPet(client: Client): Promise<string> {
  return `/v1/pets/${idOf(await client.post('/v1/pets', { name: 'Rex', categoryId: 7 }))}`;
}

async function addCategory(client: Client): Promise<string> {
  const name = `Category ${++names}`;
  return `/v1/categories/${idOf(await client.post('/v1/categories', { name }))}`;
}

async function addOrder(client: Client): Promise<string> {
  const petId = Number((await addPet(client)).split('/').at(-1));
  const order = await client.post('/v1/store/orders', { petId, adopter: 'A' });
  return `/v1/store/orders/${idOf(order)}`;
}

async function addKey(client: Client): Promise<string> {
  const key = { name: 'A shop', plan: 'enterprise', perMinute: 5, perDay: 50 };
  return `/v1/keys/${idOf(await client.post('/v1/keys', key))}`;
}

const RECORD = { editor: 'writer', reader: 'reader' } as const;

export const CHANGEABLE: readonly Changeable[] = [
  {
    name: 'an animal',
    add: addPet,
    changes: [{ status: 'sold' }, { name: 'Tom' }],
    members: ['name', 'categoryId', 'status'],
    removable: true,
    ...RECORD,
  },
  {
    name: 'a category',
    add: addCategory,
    changes: [{ name: 'One' }, { name: 'Two' }],
    members: ['name'],
    removable: true,
    ...RECORD,
  },
  {
    name: 'an order',
    add: addOrder,
    changes: [{ status: 'approved' }, { adopter: 'B' }],
    members: ['status'],
    removable: false,
    ...RECORD,
  },
  {
    name: 'a key',
    add: addKey,
    changes: [{ plan: 'pro' }, { scopes: ['read'] }],
    members: ['name', 'plan', 'perMinute', 'perDay', 'scopes'],
    removable: false,
    editor: 'admin',
    reader: 'admin',
  },
];
