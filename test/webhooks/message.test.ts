import { expect, test } from 'bun:test';
import { verifyWebhook } from 'petstore-client';
import { Webhook } from 'standardwebhooks';
import { webhookHeaders } from '../../src/webhooks/message.ts';
import { newWebhookSecret } from '../../src/webhooks/secrets.ts';

const BODY = '{"type":"pet.created","name":"Žofie","id":9007199254740993}';
const ID = 'evt_4711';

const nowSeconds = () => Math.floor(Date.now() / 1_000);
const signed = (secrets: readonly string[], timestampSeconds = nowSeconds()) =>
  webhookHeaders({ id: ID, timestampSeconds, body: BODY }, secrets);

test('a new secret is whsec_ and base64 of 32 bytes, and never the same', () => {
  const secrets = Array.from({ length: 100 }, newWebhookSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  }
});

test('a signature is the one in the documentation of Standard Webhooks', () => {
  const headers = webhookHeaders(
    {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampSeconds: 1_614_265_330,
      body: '{"test": 2432232314}',
    },
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  );
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('the library standardwebhooks and our client accept it, and nothing that was changed', async () => {
  const secret = newWebhookSecret();
  const headers = signed([secret]);
  const receiver = new Webhook(secret);
  expect(receiver.verify(BODY, headers)).toEqual(JSON.parse(BODY));
  expect(await verifyWebhook(headers, BODY, secret)).toMatchObject({ name: 'Žofie' });
  expect(() => receiver.verify(`${BODY} `, headers)).toThrow();
  expect(() => receiver.verify(BODY, { ...headers, 'webhook-id': 'evt_1' })).toThrow();
  expect(() => receiver.verify(BODY, signed([newWebhookSecret()]))).toThrow();
  expect(() => receiver.verify(BODY, signed([secret], nowSeconds() - 301))).toThrow();
});

test('while two secrets are valid, a receiver with either accepts it', async () => {
  const [current, old] = [newWebhookSecret(), newWebhookSecret()];
  const headers = signed([current, old]);
  expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
  for (const secret of [current, old]) {
    expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    expect(await verifyWebhook(headers, BODY, secret)).toMatchObject({ type: 'pet.created' });
  }
});
