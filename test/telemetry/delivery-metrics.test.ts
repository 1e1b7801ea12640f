import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { HOUR_MS } from '../../src/domain/clock.ts';
import { createSecretCipher, newWebhookSecret } from '../../src/webhooks/secrets.ts';
import { idOf } from '../support/animals.ts';
import { eventually } from '../support/eventually.ts';
import { sampleOf, scrape } from '../support/scrape.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';
import { type HttpReceiver, startReceiver } from '../webhooks/receivers.ts';

// The first may have to start a database server.
setDefaultTimeout(60_000);

describe('the metrics of webhooks', () => {
  let petstore: TestPetstore;
  let receiver: HttpReceiver;
  let respond: (status: number) => void;
  let status: Promise<number>;
  beforeEach(async () => {
    ({ promise: status, resolve: respond } = Promise.withResolvers<number>());
    receiver = await startReceiver('127.0.0.1', async (_, response) => {
      response.statusCode = await status;
      response.end();
    });
    const settings = {
      PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8',
      PETSTORE_WEBHOOK_SCHEDULE: '1s,7d',
    };
    petstore = await startPetstore({ settings });
  });
  afterEach(async () => {
    await petstore[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const url = () => `http://127.0.0.1:${receiver.port}/`;
  const addPet = () => petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 1 });
  const becomes = (name: string, expected: number) =>
    eventually(
      async () => sampleOf(await scrape(petstore.metricsUrl), name),
      (value) => value === expected,
    );
  const attempts = (outcome: string) => `petstore_webhook_attempts_total{outcome="${outcome}"}`;

  test('show what waits, how long it has waited, and how attempts ended', async () => {
    await petstore.admin.post('/v1/webhooks', { url: url() });
    await becomes('petstore_webhooks_held', 1);
    await addPet();
    await addPet();
    await becomes('petstore_webhook_events_queued', 2);
    await becomes('petstore_webhook_attempts_in_progress', 1);
    petstore.clock.advance(2 * HOUR_MS);
    await becomes('petstore_webhook_oldest_event_age_seconds', 7_200);
    respond(500);
    await becomes(attempts('rejected'), 2);
    await becomes('petstore_webhook_attempts_in_progress', 0);
    status = Promise.resolve(204);
    petstore.clock.advance(HOUR_MS);
    await becomes(attempts('delivered'), 2);
    await becomes('petstore_webhook_events_queued', 0);
    await becomes('petstore_webhook_oldest_event_age_seconds', 0);
  });

  test('count webhooks by state', async () => {
    const created = [
      await petstore.admin.post('/v1/webhooks', { url: url() }),
      await petstore.admin.post('/v1/webhooks', { url: url() }),
    ];
    await becomes('petstore_webhooks{state="enabled"}', 2);
    const [id] = created.map(idOf);
    await petstore.admin.patch(`/v1/webhooks/${id}`, { status: 'disabled' });
    await becomes('petstore_webhooks{state="requested"}', 1);
    await becomes('petstore_webhooks{state="enabled"}', 1);
    respond(410);
    await addPet();
    await becomes('petstore_webhooks{state="gone"}', 1);
    await becomes('petstore_webhooks{state="enabled"}', 0);
    await becomes('petstore_webhooks_held', 0);
  });

  test('tell a secret that cannot be decrypted from a target that is refused', async () => {
    const cipher = createSecretCipher([Buffer.alloc(32, 1).toString('base64')]);
    const webhook = { types: null, description: null, createdAt: petstore.clock.now() };
    const secret = newWebhookSecret();
    const { webhooks } = petstore.storage;
    await webhooks.create({ ...webhook, url: url() }, (id) => cipher.encrypt(secret, id));
    await webhooks.create({ ...webhook, url: 'https://10.0.0.1/' }, () => secret);
    await becomes('petstore_webhooks_held', 2);
    await addPet();
    await becomes(attempts('unreadable_secret'), 1);
    await becomes(attempts('refused'), 1);
    expect(receiver.requests).toEqual([]);
  });
});
