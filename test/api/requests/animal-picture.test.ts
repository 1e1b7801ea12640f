import { describe, expect, test } from 'bun:test';
import { SPECIES } from '../../../src/domain/profile.ts';
import { addAnimal, addPhoto, publish } from '../../photos/adding.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { picture } from '../../support/pictures.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forAllTests(() => startPetstore());

/** Asks for the small picture of an animal, as the list of the console does. */
const ask = (id: bigint | string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${petstore.url}/photos/animals/${id}`, { method, headers, redirect: 'manual' });

describe('the picture of an animal', () => {
  test('is a drawing of its species, and the first photo once there is one', async () => {
    const key = await petstore.keyWith({ scopes: ['read'] });
    const authorization = `Bearer ${key.text}`;
    const id = await addAnimal(petstore.writer);
    const drawings = new Set<string>();
    for (const species of SPECIES) {
      await petstore.writer.patch(`/v1/pets/${id}/profile`, { species });
      const response = await ask(id, { authorization });
      expect([response.status, response.headers.get('content-type')]).toEqual([
        ...[200, 'image/svg+xml'],
      ]);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      drawings.add(await response.text());
      const known = response.headers.get('etag') ?? '';
      expect((await ask(id, { authorization, 'if-none-match': known })).status).toBe(304);
    }
    expect(drawings.size).toBe(SPECIES.length);

    const { urls } = await addPhoto(petstore.writer, id, await picture(500, 400));
    const response = await ask(id, { authorization });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe(new URL(urls.small).pathname);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
  });

  test('is a drawing for an animal that was removed a moment ago, which a list may still show', async () => {
    const id = await addAnimal(petstore.writer);
    await publish(petstore.writer, id);
    await petstore.writer.delete(`/v1/pets/${id}`);
    const { text: key } = await petstore.keyWith({ scopes: ['read'] });
    const response = await ask(id, { authorization: `Bearer ${key}` });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });

  test('is for those who may read animals alone', async () => {
    const id = await addAnimal(petstore.writer);
    const key = await petstore.keyWith({ scopes: ['read'] });
    const authorization = `Bearer ${key.text}`;
    expect((await ask(id)).status).toBe(404);
    expect((await ask(id, { authorization: 'Bearer petstore_live_x' })).status).toBe(404);
    expect((await ask('99999999999999999999', { authorization })).status).toBe(404);
    expect((await ask(id, { authorization }, 'POST')).status).toBe(405);
    // It is not charged: a list shows a hundred of them.
    const before = (await key.client.get('/v1/pets?limit=1')).headers.get('x-ratelimit-remaining');
    for (let request = 0; request < 5; request++) await ask(id, { authorization });
    const after = (await key.client.get('/v1/pets?limit=1')).headers.get('x-ratelimit-remaining');
    expect(Number(before) - Number(after)).toBe(1);
  });
});
