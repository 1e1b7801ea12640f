import { expect } from 'bun:test';
import { idOf } from '../support/animals.ts';
import { createClient } from '../support/client.ts';
import { picture } from '../support/pictures.ts';
import type { GuideShop } from './guide-shop.ts';

/** Does in a shop what makes the next ids of everything others than those of a fresh demonstration. */
export async function useShop({ url, key }: GuideShop): Promise<void> {
  const client = createClient(() => url, key);
  const post = async (path: string, body: unknown) => {
    const response = await client.post(`/v1/${path}`, body);
    expect(response.status, response.text).toBe(201);
    return Number(idOf(response));
  };
  await post('categories', { name: 'Rabbits' });
  const petId = await post('pets', { name: 'Nibbles', categoryId: 3 });
  await post('pets', { name: 'Hopper', categoryId: 3 });
  await client.delete(`/v1/pets/${await post('pets', { name: 'Gone', categoryId: 3 })}`);
  await client.patch('/v1/pets/8', { name: 'Whiskers' });
  const orderId = await post('store/orders', { petId, adopter: 'The Alvarez family' });
  await client.patch(`/v1/store/orders/${orderId}`, { status: 'approved' });
  await post('keys', { name: 'Our site', plan: 'pro', scopes: ['adopt'] });
  await post('keys', { name: 'Our partner', plan: 'pro', scopes: ['read', 'webhooks'] });
  await post('people', { name: 'Sam', email: 'sam@example.org', role: 'volunteer' });
  await post('webhooks', { url: 'http://127.0.0.1:1/events', types: ['category.created'] });
  await client.patch('/v1/shop', { name: 'Home', address: 'Mill Lane', hours: 'Daily' });
  const photo = { headers: { 'content-type': 'image/jpeg' }, body: await picture(60, 40) };
  await client.send('POST', `/v1/pets/${petId}/photos`, photo);
  const file = { headers: { 'content-type': 'text/csv' }, body: 'name,categoryId\nRex,2\n' };
  await client.send('POST', '/v1/imports?dryRun=true', file);
}

const LISTS = ['pets', 'store/orders', 'categories', 'keys', 'people', 'webhooks'] as const;

/** Returns what a shop has, by the path of each record; of keys only what somebody changes. */
export async function recordsOf({ url, key }: GuideShop): Promise<ReadonlyMap<string, unknown>> {
  const client = createClient(() => url, key);
  const records = new Map<string, unknown>();
  for (const list of LISTS) {
    let path: string | undefined = `/v1/${list}?limit=100`;
    while (path !== undefined) {
      const response = await client.get(path);
      for (const { lastUsedAt: _, ...record } of JSON.parse(response.text)) {
        records.set(`${list}/${record.id}`, record);
      }
      const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      path = next?.slice(new URL(next).origin.length);
    }
  }
  return records;
}

/** Fails the test if anything that a shop had is gone or another. */
export async function expectUntouched(
  shop: GuideShop,
  before: ReadonlyMap<string, unknown>,
): Promise<void> {
  const after = await recordsOf(shop);
  for (const [path, record] of before) expect([path, after.get(path)]).toEqual([path, record]);
}
