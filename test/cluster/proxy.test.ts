import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { SeenExchange } from '../contract/violations.ts';
import { idOf } from '../support/animals.ts';
import { type Client, createClient } from '../support/client.ts';
import { openRawConnection, requestText } from '../support/raw-connection.ts';
import { createServingKey } from '../support/serving.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { haproxy } from './haproxy.ts';
import { createInstance, type Instance } from './instance.ts';
import { nginx } from './nginx.ts';
import {
  complaintsOf,
  example,
  type ProxyProgram,
  type ProxyServer,
  startProxy,
} from './proxy-server.ts';
import { expectFromCluster, expectProxyProblem } from './responses.ts';

const REX = { name: 'Rex', categoryId: 7 };
const KILLED_AFTER_COMMIT = join(import.meta.dir, '../e2e/crash/kill-after-commit.ts');

test('HAProxy accepts the configuration in front of PostgreSQL', () => {
  const shipped = example('high-availability/haproxy.cfg');
  // The names need not resolve here.
  const configuration = () => shipped.replaceAll(/postgres-\d(?=:)/g, '127.0.0.1');
  expect(complaintsOf({ ...haproxy, configuration })).toBe('');
});

for (const program of [haproxy, nginx]) {
  describe(program.name, () => describeProxy(program));
}

function describeProxy(program: ProxyProgram): void {
  let folder: TemporaryFolder;
  let settings: Readonly<Record<string, string>>;
  let key: string;
  let started: AsyncDisposableStack;
  beforeEach(async () => {
    folder = createTemporaryFolder();
    const database = `sqlite:${folder.file('petstore.db')}`;
    settings = { PETSTORE_DATABASE: database, PETSTORE_OPS_PORT: 'off' };
    key = await createServingKey(settings, '--plan', 'business');
    started = new AsyncDisposableStack();
  }, 60_000);
  afterEach(async () => {
    await started.disposeAsync();
    folder[Symbol.dispose]();
  }, 60_000);

  async function startInstance(program?: string): Promise<Instance> {
    const spawn = (all: Readonly<Record<string, string>>) =>
      Bun.spawn([process.execPath, program ?? ''], {
        env: { PATH: process.env['PATH'] ?? '', ...all },
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      });
    const instance = started.use(
      createInstance(settings, program === undefined ? undefined : spawn),
    );
    await instance.start();
    return instance;
  }

  const startProxyFor = async (...instances: Instance[]): Promise<ProxyServer> =>
    started.use(
      await startProxy(
        program,
        instances.map(({ port }) => port),
      ),
    );

  const clientOf = (proxy: ProxyServer): Client =>
    createClient(() => proxy.url, key, expectFromCluster);

  /** Sends a request on a new connection. */
  async function sendRaw(
    proxy: ProxyServer,
    [line = '', ...fields]: readonly string[],
    body = '',
  ): Promise<SeenExchange> {
    using connection = openRawConnection(proxy.port);
    const head = requestText(line, 'Host: x', `Authorization: Bearer ${key}`, ...fields);
    connection.write(head + body);
    const response = await connection.response();
    if (response === undefined) throw new Error('the connection was closed without a response');
    const { status, headers, body: text } = response;
    const [method = '', target = ''] = line.split(' ');
    return { method, target, status, headers: new Headers([...headers]), text };
  }

  test('accepts the shipped configuration', () => {
    expect(complaintsOf(program)).toBe('');
  });

  test('passes on the responses of an instance, up to the last byte of its limits', async () => {
    const proxy = await startProxyFor(await startInstance());
    const client = clientOf(proxy);
    const padding = 'x'.repeat(65_536 - JSON.stringify({ ...REX, padding: '' }).length);
    expect((await client.post('/v1/pets', { ...REX, padding })).status).toBe(201);
    const longest = `/v1/pets?${'a'.repeat(8_192 - '/v1/pets?'.length)}`;
    expect((await client.get(longest)).status).toBe(200);
    // Still a response of the instance, as its rate limit headers show.
    const tooLong = await client.get(`${longest}a`);
    expect(tooLong.status).toBe(414);
    expect(tooLong.headers.has('x-ratelimit-limit')).toBe(true);
    const id = 'A1-b_2.c';
    const response = await client.get('/v1/pets', { 'x-request-id': id });
    expect(response.headers.get('x-request-id')).toBe(id);
  }, 60_000);

  test('lets a request wait for events for longer than any other may take', async () => {
    const proxy = await startProxyFor(await startInstance());
    const response = await clientOf(proxy).get('/v1/events?after=latest&wait=14');
    expect([response.status, response.text]).toEqual([200, '[]']);
  }, 60_000);

  test('responds with our Error body if no instance does', async () => {
    const proxy = await startProxyFor(await startInstance());
    const ask = async (head: readonly string[], body?: string) => {
      const seen = await sendRaw(proxy, head, body);
      expectProxyProblem(seen);
      return seen.status;
    };
    expect(await ask(['GET /v1/pets', `X-A: ${'a'.repeat(16_000)}`])).toBe(431);
    expect([414, 431]).toContain(await ask([`GET /v1/pets?${'a'.repeat(16_000)}`]));
    const post = ['POST /v1/pets', 'Content-Type: application/json'];
    expect(await ask([...post, 'Content-Length: 65537'], 'x')).toBe(413);
  }, 60_000);

  test('drops trailers, so that no request is executed and then refused with 400', async () => {
    const proxy = await startProxyFor(await startInstance());
    const post = ['POST /v1/pets', 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const inChunks = (body: string, trailers: string) =>
      `${(body.length - 1).toString(16)}\r\n${body.slice(0, -1)}\r\n1\r\n}\r\n0\r\n${trailers}\r\n`;
    const long = JSON.stringify({ ...REX, padding: 'x'.repeat(60_000) });
    for (const body of [JSON.stringify(REX), long]) {
      for (const trailers of ['', 'X-A: b\r\n', 'X-A: b\r\nContent-Length: 1\r\n']) {
        expect((await sendRaw(proxy, post, inChunks(body, trailers))).status).toBe(201);
      }
    }
    const announced = await sendRaw(proxy, [...post, 'Trailer: X-A'], inChunks(long, 'X-A: b\r\n'));
    expect(announced.status).toBe(201);
    // Bytes that an instance leaves unread must not affect the next response on the connection.
    for (const length of [66_000, 150_000]) {
      const tooLong = JSON.stringify({ ...REX, padding: 'x'.repeat(length) });
      expect((await sendRaw(proxy, post, inChunks(tooLong, 'X-A: b\r\n'))).status).toBe(413);
    }
    // The proxies differ in how long trailers may be; the status must match the effect.
    const longTrailers = `X-A: ${'b'.repeat(60_000)}\r\n`;
    const { status } = await sendRaw(proxy, post, inChunks(long, longTrailers));
    expect([201, 413]).toContain(status);
    const listed = JSON.parse((await clientOf(proxy).get('/v1/pets')).text);
    expect(listed).toHaveLength(status === 201 ? 8 : 7);
  }, 60_000);

  test('retries a request that reached no instance on another one, even a POST', async () => {
    const first = await startInstance();
    const second = await startInstance();
    const proxy = await startProxyFor(first, second);
    const client = clientOf(proxy);
    await first.kill();
    const ids = new Set<bigint>();
    for (let i = 0; i < 6; i++) {
      const response = await client.post('/v1/pets', REX);
      expect(response.status).toBe(201);
      ids.add(idOf(response));
    }
    expect(ids.size).toBe(6);
    await second.kill();
    expect((await client.post('/v1/pets', REX)).status).toBe(503);
  }, 60_000);

  test('sends a POST only once: 503 when its instance dies between commit and response', async () => {
    const doomed = [
      await startInstance(KILLED_AFTER_COMMIT),
      await startInstance(KILLED_AFTER_COMMIT),
    ];
    const proxy = await startProxyFor(...doomed);
    const idempotencyKey = crypto.randomUUID();
    const body = JSON.stringify(REX);
    const fields = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    const head = ['POST /v1/pets', ...fields, `Idempotency-Key: ${idempotencyKey}`];
    const broken = await sendRaw(proxy, head, body);
    expect(broken.status).toBe(503);
    expect(broken.text).toContain('A change may have been made');
    expectProxyProblem(broken);
    // Had the other instance received it as well, it would be dead by now.
    const alive = await Promise.all(doomed.map(({ url }) => isAlive(url)));
    expect(alive.filter(Boolean)).toHaveLength(1);

    const healthy = await startInstance();
    const client = clientOf(await startProxyFor(healthy));
    const retried = await client.post('/v1/pets', body, { 'idempotency-key': idempotencyKey });
    expect(retried.status).toBe(201);
    expect(retried.headers.get('idempotent-replayed')).toBe('true');
    expect((await client.get('/v1/pets')).text).toBe(`[${retried.text}]`);
  }, 60_000);
}

async function isAlive(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/livez`)).ok;
  } catch {
    return false;
  }
}
