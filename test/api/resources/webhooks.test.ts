import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { idOf } from '../../support/animals.ts';
import { eventually } from '../../support/eventually.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';

// Events are delivered by themselves, on a machine that may be busy.
setDefaultTimeout(60_000);

const PATCH = { 'content-type': 'application/merge-patch+json' };

/** A request that the receiver got. */
interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}

describe('webhooks over HTTP', () => {
  let petstore: TestPetstore;
  let receiver: Bun.Server<undefined>;
  let received: Received[] = [];
  let status = 204;
  beforeAll(async () => {
    receiver = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        if (new URL(request.url).pathname !== new URL(url()).pathname) return new Response();
        received.push({
          headers: Object.fromEntries(request.headers),
          body: await request.text(),
        });
        return new Response(status === 204 ? null : 'not now', { status });
      },
    });
    petstore = await startPetstore({ settings: { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8' } });
  });
  afterAll(async () => {
    await petstore[Symbol.asyncDispose]();
    await receiver.stop(true);
  });

  /** Each webhook has its own: one that was removed may still get something for a second. */
  let path = 0;
  const url = () => `http://127.0.0.1:${receiver.port}/events/${path}`;
  const patch = (id: bigint, body: object, headers: Record<string, string> = {}) =>
    petstore.admin.send('PATCH', `/v1/webhooks/${id}`, {
      headers: { ...PATCH, ...headers },
      body: JSON.stringify(body),
    });

  /** Creates a webhook of this receiver, and forgets what arrived before. */
  async function create(body: object = {}): Promise<{ id: bigint; secret: string }> {
    path++;
    const created = await petstore.admin.post('/v1/webhooks', { url: url(), ...body });
    expect(created.status).toBe(201);
    received = [];
    status = 204;
    return { id: idOf(created), secret: JSON.parse(created.text).secret };
  }

  const remove = async (id: bigint) =>
    expect((await petstore.admin.delete(`/v1/webhooks/${id}`)).status).toBe(204);
  const addPet = () => petstore.writer.post('/v1/pets', { name: 'Chloe', categoryId: 1 });
  const list = async (id: bigint) =>
    JSON.parse((await petstore.admin.get(`/v1/webhooks/${id}/deliveries`)).text);

  /** Verifies a request with the library that receivers use, at the time of the service. */
  function verify({ headers, body }: Received, secret: string): unknown {
    const timestamp = Number(headers['webhook-timestamp']);
    expect(timestamp).toBe(Math.floor(petstore.clock.now() / 1_000));
    const real = Date.now;
    Date.now = () => petstore.clock.now();
    try {
      return new Webhook(secret).verify(body, headers);
    } finally {
      Date.now = real;
    }
  }

  test('an event arrives signed, as /events shows it, and is logged', async () => {
    const { id, secret } = await create();
    const pet = idOf(await addPet());
    const [first] = await eventually(
      () => received,
      ({ length }) => length > 0,
    );
    if (first === undefined) throw new Error('nothing arrived');
    const [event] = JSON.parse(
      (await petstore.reader.get('/v1/events?type=pet.created&limit=100')).text,
    ).slice(-1);
    expect(verify(first, secret)).toEqual(event);
    expect(event.data.id).toBe(Number(pet));
    expect(first.headers).toMatchObject({
      'webhook-id': String(event.id),
      'content-type': 'application/json',
    });
    const [logged] = await eventually(
      () => list(id),
      ([found]) => found?.status === 'delivered',
    );
    expect(logged).toMatchObject({ eventId: event.id, attempts: 1, responseStatus: 204 });
    await remove(id);
  });

  test('after a rotation both secrets sign, and neither is shown again', async () => {
    const { id, secret } = await create();
    const rotated = await petstore.admin.post(`/v1/webhooks/${id}/secret`, {});
    const next = JSON.parse(rotated.text).secret;
    const tested = await petstore.admin.post(`/v1/webhooks/${id}/test`, {});
    expect(JSON.parse(tested.text)).toMatchObject({ delivered: true, status: 204 });
    const [message] = received;
    if (message === undefined) throw new Error('nothing arrived');
    for (const valid of [secret, next]) {
      expect(verify(message, valid)).toMatchObject({ type: 'webhook.test' });
    }
    petstore.clock.advance(86_400_000);
    received = [];
    await petstore.admin.post(`/v1/webhooks/${id}/test`, {});
    expect(() => verify(received[0] ?? message, secret)).toThrow();
    verify(received[0] ?? message, next);
    for (const shown of ['', `/${id}`]) {
      const { text } = await petstore.admin.get(`/v1/webhooks${shown}`);
      expect(text).not.toContain('whsec_');
    }
    for (const line of petstore.log) expect(line).not.toContain('whsec_');
    await remove(id);
  });

  test('a test reports what went wrong', async () => {
    const { id } = await create();
    status = 500;
    const { text } = await petstore.admin.post(`/v1/webhooks/${id}/test`, {});
    expect(JSON.parse(text)).toMatchObject({
      delivered: false,
      status: 500,
      error: 'The receiver responded with 500.',
    });
    expect(await list(id)).toEqual([]);
    await remove(id);
  });

  test('a failed delivery waits, and is made again at once on request', async () => {
    const { id } = await create();
    status = 503;
    await addPet();
    const [failed] = await eventually(
      () => list(id),
      ([found]) => found?.attempts === 1,
    );
    expect(failed).toMatchObject({
      status: 'pending',
      responseStatus: 503,
      responseBody: 'not now',
      error: 'The receiver responded with 503.',
    });
    status = 204;
    const retry = `/v1/webhooks/${id}/deliveries/${failed.id}/retry`;
    expect((await petstore.admin.post(retry, {})).status).toBe(202);
    await eventually(
      () => list(id),
      ([found]) => found?.status === 'delivered',
    );
    expect(received).toHaveLength(2);
    await remove(id);
  });

  test('a disabled webhook gets what it missed once it is enabled', async () => {
    const { id } = await create();
    const disabled = await patch(id, { status: 'disabled' });
    expect(JSON.parse(disabled.text)).toMatchObject({
      status: 'disabled',
      disabledReason: 'requested',
    });
    await addPet();
    const enabled = await patch(id, { status: 'enabled' });
    expect(JSON.parse(enabled.text)).toMatchObject({ status: 'enabled', disabledReason: null });
    await eventually(
      () => received,
      ({ length }) => length > 0,
    );
    await remove(id);
  });

  test('a change with If-Match takes effect only on what the client saw', async () => {
    const { id } = await create({ description: 'old' });
    const { headers } = await petstore.admin.get(`/v1/webhooks/${id}`);
    const seen = { 'if-match': headers.get('etag') ?? '' };
    expect((await patch(id, { description: null, types: ['order.placed'] }, seen)).status).toBe(
      200,
    );
    expect((await patch(id, { description: 'mine' }, seen)).status).toBe(412);
    const current = JSON.parse((await petstore.admin.get(`/v1/webhooks/${id}`)).text);
    expect(current).toMatchObject({ description: null, types: ['order.placed'] });
    await remove(id);
  });

  test.each(['http://1.1.1.1/', 'https://10.0.0.1/', 'https://me:pw@partner.example/', 'x'])(
    'the URL %s is refused, also in a change',
    async (refused) => {
      const created = await petstore.admin.post('/v1/webhooks', { url: refused });
      expect(created.status).toBe(400);
      expect(created.text).toContain('url ');
      const { id } = await create();
      expect((await patch(id, { url: refused })).text).toContain('invalid_body');
      await remove(id);
    },
  );

  test('a repeat with the same Idempotency-Key creates nothing and shows no secret', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const body = { url: url() };
    const first = await petstore.admin.post('/v1/webhooks', body, headers);
    const second = await petstore.admin.post('/v1/webhooks', body, headers);
    expect(second.status).toBe(409);
    expect(second.text).not.toContain('whsec_');
    expect(second.text).toContain(`webhook ${idOf(first)}`);
    await remove(idOf(first));
  });
});
