import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createSecretCipher, newWebhookSecret } from '../../../src/webhooks/secrets.ts';
import { idOf } from '../../support/animals.ts';
import { eventually } from '../../support/eventually.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';
import { HOSTILE_NAMES, hostileTargets } from '../../webhooks/hostile-targets.ts';
import { type Receiver, startRawReceiver } from '../../webhooks/receivers.ts';

// A busy machine takes long for as many deliveries.
setDefaultTimeout(120_000);

/** Names that need a DNS server of the test, which `sender.test.ts` has. */
const needsDns = (url: string) => Object.keys(HOSTILE_NAMES).some((name) => url.includes(name));
/** A database may refuse to store others. */
const isStorable = (url: string) => /^[^\p{Cc}]{1,2048}$/u.test(url);
const REFUSED = /^The URL must /;

describe('a webhook for a hostile target', () => {
  let inside: Receiver;
  let petstore: TestPetstore;
  let urls: readonly string[];

  beforeAll(async () => {
    inside = await startRawReceiver('::', (socket) => socket.end());
    petstore = await startPetstore({
      settings: { PETSTORE_WEBHOOK_PORTS: `${inside.port}`, PETSTORE_WEBHOOK_SCHEDULE: '7d' },
    });
    urls = hostileTargets(inside.port).flatMap(([, url]) => (needsDns(url) ? [] : [url]));
    expect(urls.length).toBeGreaterThan(60);
  });
  afterAll(async () => {
    await petstore[Symbol.asyncDispose]();
    await inside[Symbol.asyncDispose]();
  });

  test('is neither created nor changed to one', async () => {
    const created = await petstore.admin.post('/v1/webhooks', { url: 'https://shop.invalid/' });
    expect(created.status).toBe(201);
    for (const url of urls) {
      const refused = [
        await petstore.admin.post('/v1/webhooks', { url }),
        await petstore.admin.patch(`/v1/webhooks/${idOf(created)}`, { url }),
      ];
      for (const { status, text } of refused) {
        expect([url, status, text]).toEqual([url, 400, expect.stringContaining('invalid_body')]);
      }
    }
    expect(inside.connections()).toBe(0);
  });

  test('that is stored all the same is refused at every attempt, and the log says why', async () => {
    const cipher = createSecretCipher([]);
    const ids: bigint[] = [];
    for (const url of urls.filter(isStorable)) {
      const webhook = { url, types: null, description: null, createdAt: petstore.clock.now() };
      const encrypt = (id: bigint) => cipher.encrypt(newWebhookSecret(), id);
      ids.push((await petstore.storage.webhooks.create(webhook, encrypt)).id);
    }
    expect(ids.length).toBeGreaterThan(60);
    const pet = { name: 'Rex', categoryId: 1 };
    expect((await petstore.writer.post('/v1/pets', pet)).status).toBe(201);
    for (const id of ids) {
      const tried = await petstore.admin.post(`/v1/webhooks/${id}/test`, '');
      expect([tried.status, JSON.parse(tried.text)]).toEqual([
        200,
        {
          delivered: false,
          error: expect.stringMatching(REFUSED),
          milliseconds: expect.any(Number),
        },
      ]);
      const page = await eventually(
        async () =>
          await petstore.storage.webhooks.deliveries(id, { afterId: undefined, limit: 1 }),
        ({ items }) => (items[0]?.attempts ?? 0) > 0,
      );
      expect(page.items[0]).toMatchObject({
        status: 'pending',
        responseStatus: null,
        responseBody: null,
        error: expect.stringMatching(REFUSED),
      });
    }
    expect(inside.connections()).toBe(0);
  });
});
