import { describe, expect, test } from 'bun:test';
import { EMPTY_SHOP } from '../../../src/domain/shop.ts';
import { shopIdOf } from '../../../src/domain/shop-id.ts';
import { numbered } from '../../storage/change-recorder.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { picture } from '../../support/pictures.ts';
import { startPetstore } from '../../support/start.ts';

describe('/v1/shop (getShop, updateShop)', () => {
  const petstore = forAllTests(() => startPetstore());

  const get = async () => JSON.parse((await petstore.reader.get('/v1/shop')).text);
  const patch = (body: unknown, headers = {}) => petstore.admin.patch('/v1/shop', body, headers);

  test('has nothing set at first but its id', async () => {
    const { id, ...shop } = await get();
    expect(shop).toEqual(EMPTY_SHOP);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect((await get()).id).toBe(id);
  });

  test('shows a change, clears what is null, and tells the events', async () => {
    const set = { name: 'Home', accentColour: '#2f6f4f', email: 'hello@home.example' };
    const { id } = await get();
    expect(JSON.parse((await patch(set)).text)).toEqual({ id, ...EMPTY_SHOP, ...set });
    await patch({ email: null });
    const shop = { id, ...EMPTY_SHOP, ...set, email: null };
    expect(await get()).toEqual(shop);
    await numbered(petstore.storage.changes);
    const events = await petstore.reader.get('/v1/events?type=shop.updated');
    const { logo: _, ...told } = shop;
    expect(JSON.parse(events.text).at(-1).data).toEqual(told);
  });

  test('has links and addresses of its own, and none where the list is empty', async () => {
    const told = {
      ...{ town: 'Exeter', language: 'pt-BR', imprintUrl: 'https://home.example/imprint' },
      ...{ privacyUrl: 'https://home.example/privacy', donateUrl: 'https://home.example/give' },
      links: [{ label: 'Volunteer', url: 'https://home.example/help' }],
    };
    expect((await patch(told)).status).toBe(200);
    expect(await get()).toMatchObject(told);
    await patch({ links: [] });
    expect((await get()).links).toBeNull();
  });

  test('has a logo that anybody sees, which survives the sweep, until it is removed', async () => {
    const { admin, writer, storage, clock } = petstore;
    const put = (body: Bun.BodyInit, client = admin) =>
      client.send('PUT', '/v1/shop/logo', { headers: { 'content-type': 'image/png' }, body });
    expectError(await put(await picture(64, 32, 'png', 1), writer), 'insufficient_scope');
    expectError(await put('no picture'), 'unsupported_media_type');
    const response = await put(await picture(640, 320, 'png', 1));
    const { logo } = JSON.parse(response.text);
    expect([response.status, logo.width, logo.height]).toEqual([200, 640, 320]);
    const seen = async () => (await fetch(petstore.url + new URL(logo.url).pathname)).status;
    expect(await seen()).toBe(200);
    await storage.photoFiles.removeUnused('', 100, clock.now() + 1, clock.now(), 100);
    expect(await storage.photoFiles.find(new URL(logo.url).pathname.slice(8))).toBeDefined();
    expect((await get()).logo).toEqual(logo);
    expect(JSON.parse((await patch({ logo: null })).text).logo).toBeNull();
    expect(await seen()).toBe(404);
    const swept = await storage.photoFiles.removeUnused('', 100, clock.now() + 1, clock.now(), 100);
    expect(swept.removed).toBeGreaterThan(0);
  });

  test('has an id that follows from what is moved and restored with it', async () => {
    const secret = await petstore.storage.shop.formSecret('unused');
    expect((await get()).id).toBe(shopIdOf(secret));
    expect(shopIdOf('ab'.repeat(32))).toBe('05fc54d3-c184-8230-ade7-b5a53865a20e');
  });

  test('keeps its id whatever a change says', async () => {
    const { id } = await get();
    await patch({ id: crypto.randomUUID(), hours: 'Sundays' });
    expect((await get()).id).toBe(id);
  });

  test('is changed only as the client saw it', async () => {
    const etag = (await petstore.reader.get('/v1/shop')).headers.get('etag') ?? '';
    expect((await patch({ hours: 'Daily' }, { 'if-match': etag })).status).toBe(200);
    expectError(await patch({ hours: 'Never' }, { 'if-match': etag }), 'precondition_failed');
    expect((await get()).hours).toBe('Daily');
  });

  test.each([
    [{ name: ' ' }, 'name must not be blank'],
    [{ name: 'x'.repeat(101) }, 'name must have at most 100 characters'],
    [{ telephone: '1\n2' }, 'telephone must not contain control characters'],
    [{ email: 'hello@home' }, 'email must be an e-mail address'],
    [{ email: 'a@b.example\r\nBcc: c@d.example' }, 'email must be an e-mail address'],
    [{ accentColour: 'green' }, 'accentColour must be a colour like #2f6f4f'],
    [{ howToAdopt: 'a\u0000b' }, 'howToAdopt must not contain control characters'],
    [{ hours: 5 }, 'hours must be a string'],
    [{ language: 'Deutsch' }, 'language must be a language tag like en, de or pt-BR'],
    [{ imprintUrl: 'http://a.example' }, 'imprintUrl must be an address that starts with https://'],
    [{ links: [{ label: 'x', url: 'javascript:alert(1)' }] }, 'https://'],
    [{ links: [{ label: '' }] }, 'links'],
    [{ links: Array(7).fill({ label: 'x', url: 'https://a.example' }) }, 'at most 6 items'],
    [{ logo: 'https://a.example/logo.png' }, 'PUT /shop/logo sets it'],
  ])('%j is refused and changes nothing', async (body, message) => {
    const before = await get();
    expect(expectError(await patch(body), 'invalid_body')).toContain(message);
    expect(await get()).toEqual(before);
  });
});
