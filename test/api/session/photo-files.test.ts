import { beforeEach, describe, expect, test } from 'bun:test';
import { addAnimal, addPhoto, fetchFile, publish, type ShownPhoto } from '../../photos/adding.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { picture } from '../../support/pictures.ts';
import { startPetstore } from '../../support/start.ts';
import { createVisitor } from '../../support/visitor.ts';

let petId: bigint;
let photo: ShownPhoto;
let seed = 100;

const petstore = forAllTests(() => startPetstore());
beforeEach(async () => {
  petId = await addAnimal(petstore.writer);
  photo = await addPhoto(petstore.writer, petId, await picture(60, 40, 'png', ++seed));
});

const get = (init: RequestInit = {}, address = photo.urls.small) =>
  fetchFile(petstore, address, init);
const status = async (init: RequestInit = {}, address = photo.urls.small) =>
  (await get(init, address)).status;

describe('a file of a photo of a listed animal', () => {
  beforeEach(() => publish(petstore.writer, petId));

  test('is served to anybody, for good, and never as a page', async () => {
    const response = await get();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
    // Outside /v1, so it uses no quota.
    expect(response.headers.has('x-ratelimit-remaining')).toBe(false);
    const jpeg = await get({}, photo.urls.full);
    expect(jpeg.headers.get('content-type')).toBe('image/jpeg');
  });

  test('is not sent again to who has it', async () => {
    const etag = (await get()).headers.get('etag') ?? '';
    const again = await get({ headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(again.headers.get('cache-control')).toContain('immutable');
    expect(await status({ headers: { 'if-none-match': '"other"' } })).toBe(200);
  });

  test('can be asked for with HEAD, and with nothing else', async () => {
    const head = await get({ method: 'HEAD' });
    const { length } = await (await get()).bytes();
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(length)]);
    expect(await head.text()).toBe('');
    const deleting = await get({ method: 'DELETE' });
    expect([deleting.status, deleting.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('is gone as soon as the photo is removed', async () => {
    expect(await status()).toBe(200);
    await petstore.writer.delete(`/v1/pets/${petId}/photos/${photo.id}`);
    expect(await status()).toBe(404);
    const etag = `"${photo.urls.small.split('/').at(-1)}"`;
    expect(await status({ headers: { 'if-none-match': etag } })).toBe(404);
  });

  test('is gone as soon as the animal is not published, is sold or is removed', async () => {
    await publish(petstore.writer, petId, false);
    expect(await status()).toBe(404);
    await publish(petstore.writer, petId);
    expect(await status()).toBe(200);
    await petstore.writer.patch(`/v1/pets/${petId}`, { status: 'sold' });
    expect(await status()).toBe(404);
    await petstore.writer.patch(`/v1/pets/${petId}`, { status: 'available' });
    expect(await status()).toBe(200);
    await petstore.writer.delete(`/v1/pets/${petId}`);
    expect(await status()).toBe(404);
  });

  test('of another animal that is listed stays', async () => {
    const other = await addAnimal(petstore.writer);
    const same = await addPhoto(petstore.writer, other, await picture(60, 40, 'png', seed));
    expect(same.urls).toEqual(photo.urls);
    await petstore.writer.delete(`/v1/pets/${petId}/photos/${photo.id}`);
    expect(await status()).toBe(404);
    await publish(petstore.writer, other);
    expect(await status()).toBe(200);
  });

  test('does not exist in other sizes, and nothing else does', async () => {
    const { small } = photo.urls;
    for (const address of [
      small.replace('-60.', '-61.'),
      small.replace('.webp', '.jpg.webp'),
      small.replace(/[0-9a-f](?=-60)/, 'g'),
      small.replace('/photos/', '/photos/../photos/%2e%2e/'),
      `${petstore.url}/photos/`,
      `${petstore.url}/photos/petstore.db`,
    ]) {
      expect(await status({}, address)).toBe(404);
    }
  });
});

describe('a file of a photo of an animal that is not listed', () => {
  test('is served to who is signed in, and only kept by that browser', async () => {
    expect(await status()).toBe(404);
    const visitor = createVisitor(() => petstore.url);
    await visitor.signIn(petstore.reader.key);
    const headers = { cookie: visitor.cookie() ?? '', 'sec-fetch-site': 'same-origin' };
    const response = await get({ headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    expect(await status({ headers: { ...headers, 'sec-fetch-site': 'cross-site' } })).toBe(404);
    await visitor.signOut();
    expect(await status({ headers })).toBe(404);
  });

  test('is served with a key that may read', async () => {
    const authorization = `Bearer ${petstore.reader.key}`;
    expect(await status({ headers: { authorization } })).toBe(200);
    const { text } = await petstore.keyWith({ scopes: [] });
    expect(await status({ headers: { authorization: `Bearer ${text}` } })).toBe(404);
  });

  test('charges wrong keys to the address, so that none can be guessed here', async () => {
    const settings = { PETSTORE_ANONYMOUS_PER_MINUTE: '3' };
    await using strict = await startPetstore({ settings });
    const id = await addAnimal(strict.writer);
    const own = await addPhoto(strict.writer, id, await picture(60, 40));
    const guess = () =>
      fetchFile(strict, own.urls.small, { headers: { authorization: 'Bearer wrong' } });
    for (let n = 0; n < 3; n++) expect((await guess()).status).toBe(404);
    expect((await guess()).status).toBe(429);
    // Without a key nothing is guessed.
    expect((await fetchFile(strict, own.urls.small)).status).toBe(404);
  });
});
