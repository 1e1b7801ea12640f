import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { idOf } from '../support/animals.ts';
import type { ClientResponse } from '../support/client.ts';
import { eventuallyIs } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';
import { type HttpReceiver, startReceiver } from '../webhooks/receivers.ts';

// The first may have to start a database server.
setDefaultTimeout(60_000);

describe('tests of webhooks whose receivers hang', () => {
  let petstore: TestPetstore;
  let receiver: HttpReceiver;
  let ids: bigint[];
  let release = () => {};
  let released = Promise.resolve();
  beforeAll(async () => {
    receiver = await startReceiver('127.0.0.1', async (_, response) => {
      await released;
      response.end();
    });
    petstore = await startPetstore({ settings: { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8' } });
    const url = `http://127.0.0.1:${receiver.port}/`;
    ids = [];
    for (let n = 0; n < 9; n++) ids.push(idOf(await petstore.admin.post('/v1/webhooks', { url })));
  });
  afterAll(async () => {
    release();
    await petstore[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const send = (id: bigint | undefined, headers = {}) =>
    petstore.admin.post(`/v1/webhooks/${id}/test`, {}, headers);
  const isDelivered = ({ status, text }: ClientResponse) =>
    status === 200 && JSON.parse(text).delivered;

  /** Starts tests, and waits until their receivers hang. */
  async function hanging(...webhooks: bigint[]): Promise<Promise<ClientResponse>[]> {
    ({ promise: released, resolve: release } = Promise.withResolvers<void>());
    const before = receiver.requests.length;
    const tests = webhooks.map((id) => send(id));
    await eventuallyIs(() => receiver.requests.length - before, webhooks.length);
    return tests;
  }

  function expectRefusal(response: ClientResponse, message: string): void {
    expect(expectError(response, 'service_unavailable')).toBe(message);
    expect(response.headers.get('retry-after')).toBe('15');
  }

  test('are at most 8 at once, and other requests are served meanwhile', async () => {
    const tests = await hanging(...ids.slice(0, 8));
    const refused = '8 tests are in progress: try again when one has ended.';
    for (let n = 0; n < 3; n++) expectRefusal(await send(ids[8]), refused);
    expect((await petstore.admin.get('/v1/webhooks')).status).toBe(200);
    expect(receiver.requests).toHaveLength(8);
    release();
    for (const outcome of await Promise.all(tests)) expect(isDelivered(outcome)).toBe(true);
    expect(isDelivered(await send(ids[8]))).toBe(true);
  });

  test('of one owner are two at once, so that others have places', async () => {
    const url = `http://127.0.0.1:${receiver.port}/`;
    const { client } = await petstore.keyWith({ name: 'a partner', scopes: ['webhooks'] });
    const own: bigint[] = [];
    for (let n = 0; n < 3; n++) own.push(idOf(await client.post('/v1/webhooks', { url })));
    const tests = await hanging(...own.slice(0, 2));
    const refused = '2 tests of yours are in progress: try again when one has ended.';
    expectRefusal(await client.post(`/v1/webhooks/${own[2]}/test`, {}), refused);
    const other = send(ids[8]);
    release();
    for (const outcome of [...(await Promise.all(tests)), await other]) {
      expect(isDelivered(outcome)).toBe(true);
    }
  });

  test('are one at a time for each webhook, and a refused one can be repeated', async () => {
    const [one = 0n, two] = ids;
    const [first] = await hanging(one);
    const key = { 'idempotency-key': crypto.randomUUID() };
    const refused = 'A test of this webhook is in progress: try again when it has ended.';
    for (let n = 0; n < 2; n++) expectRefusal(await send(one, key), refused);
    const other = send(two);
    release();
    for (const outcome of [await first, await other]) {
      expect(outcome !== undefined && isDelivered(outcome)).toBe(true);
    }
    expect(isDelivered(await send(one, key))).toBe(true);
    expect((await send(one, key)).status).toBe(409);
  });
});
