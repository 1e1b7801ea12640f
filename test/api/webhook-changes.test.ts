import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { webhookHeaders } from '../../src/webhooks/message.ts';
import { idOf } from '../support/animals.ts';
import { eventually } from '../support/eventually.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';
import { type HttpReceiver, startReceiver } from '../webhooks/receivers.ts';

// The first may have to start a database server.
setDefaultTimeout(60_000);

const SETTINGS = { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8', PETSTORE_WEBHOOK_SCHEDULE: '0s,0s' };
/** Longer than an event takes to its receiver. */
const DELIVERY_MS = 300;

describe('a change of a webhook holds for all that is sent after the response:', () => {
  let petstore: TestPetstore;
  let receiver: HttpReceiver;
  let id: string;
  beforeEach(async () => {
    petstore = await startPetstore({ settings: SETTINGS });
    receiver = await startReceiver('127.0.0.1');
    id = String(idOf(await petstore.admin.post('/v1/webhooks', { url: urlOf('/first') })));
    await addPet();
    await eventually(paths, (found) => found.length === 1);
  });
  afterEach(async () => {
    await petstore[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const urlOf = (path: string) => `http://127.0.0.1:${receiver.port}${path}`;
  const paths = () => receiver.requests.map(({ path }) => path);
  const addPet = () => petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 1 });
  const patch = (body: object) => petstore.admin.patch(`/v1/webhooks/${id}`, body);

  test('a disabled one gets nothing', async () => {
    await patch({ status: 'disabled' });
    for (let n = 0; n < 5; n++) await addPet();
    await Bun.sleep(DELIVERY_MS);
    expect(paths()).toHaveLength(1);
    await patch({ status: 'enabled' });
    await eventually(paths, (found) => found.length === 6);
  });

  test('a removed one gets nothing', async () => {
    await petstore.admin.delete(`/v1/webhooks/${id}`);
    for (let n = 0; n < 5; n++) await addPet();
    await Bun.sleep(DELIVERY_MS);
    expect(paths()).toHaveLength(1);
  });

  test('a new URL gets everything', async () => {
    await patch({ url: urlOf('/second') });
    for (let n = 0; n < 5; n++) await addPet();
    await eventually(paths, (found) => found.length === 6);
    expect(paths().slice(1)).toEqual(Array(5).fill('/second'));
  });

  test('new types are the only ones', async () => {
    await patch({ types: ['category.created'] });
    await addPet();
    await petstore.writer.post('/v1/categories', { name: 'Dogs' });
    await eventually(paths, (found) => found.length === 2);
    expect(receiver.requests[1]?.body).toContain('category.created');
  });

  test('a new secret signs', async () => {
    const { text } = await petstore.admin.post(`/v1/webhooks/${id}/secret`, {});
    const { secret } = JSON.parse(text);
    await addPet();
    await eventually(paths, (found) => found.length === 2);
    const { headers, body = '' } = receiver.requests[1] ?? {};
    const message = {
      id: String(headers?.['webhook-id']),
      timestampSeconds: Number(headers?.['webhook-timestamp']),
      body,
    };
    const [signature] = String(headers?.['webhook-signature']).split(' ');
    expect(webhookHeaders(message, [secret])['webhook-signature']).toBe(String(signature));
  });
});
