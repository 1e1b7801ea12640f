import { expect, test } from 'bun:test';
import { webhookHeaders } from '../../src/webhooks/message.ts';
import { createSecretCipher } from '../../src/webhooks/secrets.ts';
import { idOf } from '../support/animals.ts';
import { startPetstore } from '../support/start.ts';
import { startReceiver } from '../webhooks/receivers.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const [FIRST, SECOND] = ['ab'.repeat(32), Buffer.alloc(32, 7).toString('base64')] as const;

test('the start encrypts stored secrets with the newest key, and reports those it cannot read', async () => {
  await using petstore = await startPetstore();
  const { id } = await petstore.storage.webhooks.create(
    { url: 'https://shop.example/', types: null, description: null, createdAt: 1 },
    () => SECRET,
  );
  const stored = async () => (await petstore.storage.webhooks.find(id))?.secret ?? '';
  await petstore.restart();
  expect(await stored()).toBe(SECRET);

  await petstore.restart({ PETSTORE_SECRET_KEY: FIRST });
  expect(createSecretCipher([FIRST]).decrypt(await stored(), id)).toBe(SECRET);
  expect(petstore.log.join()).toContain('secrets of webhooks were encrypted');

  await petstore.restart({ PETSTORE_SECRET_KEY: `${SECOND},${FIRST}` });
  expect(createSecretCipher([SECOND]).decrypt(await stored(), id)).toBe(SECRET);

  const before = await stored();
  await petstore.restart({ PETSTORE_SECRET_KEY: FIRST });
  expect(await stored()).toBe(before);
  expect(petstore.log.join()).toContain('PETSTORE_SECRET_KEY does not decrypt their secrets');
  for (const secret of [SECRET, FIRST, SECOND]) expect(petstore.log.join()).not.toContain(secret);
});

test('a rotation replaces a secret whose key is lost, which no longer signs', async () => {
  await using receiver = await startReceiver('127.0.0.1');
  const settings = { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8' };
  await using petstore = await startPetstore({
    settings: { ...settings, PETSTORE_SECRET_KEY: FIRST },
  });
  const url = `http://127.0.0.1:${receiver.port}/`;
  const id = idOf(await petstore.admin.post('/v1/webhooks', { url }));
  const tested = async () =>
    JSON.parse((await petstore.admin.post(`/v1/webhooks/${id}/test`, {})).text);

  await petstore.restart({ ...settings, PETSTORE_SECRET_KEY: SECOND });
  expect(await tested()).toMatchObject({
    delivered: false,
    error: expect.stringContaining('a key that PETSTORE_SECRET_KEY does not contain'),
  });
  const rotated = await petstore.admin.post(`/v1/webhooks/${id}/secret`, {});
  const { secret } = JSON.parse(rotated.text);
  expect(await tested()).toMatchObject({ delivered: true, status: 200 });
  expect(receiver.requests).toHaveLength(1);
  const [request] = receiver.requests;
  if (request === undefined) throw new Error('nothing arrived');
  const { headers, body } = request;
  const message = {
    id: String(headers['webhook-id']),
    timestampSeconds: Number(headers['webhook-timestamp']),
    body,
  };
  expect(headers).toMatchObject(webhookHeaders(message, [secret]));
});
