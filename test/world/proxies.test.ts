import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Operation } from '../../src/api/contract/operation.ts';
import { operations } from '../../src/api/resources/operations.ts';
import { createDecoder } from '../../src/photos/decoder.ts';
import { haproxy } from '../cluster/haproxy.ts';
import { nginx } from '../cluster/nginx.ts';
import { type ProxyServer, startProxy } from '../cluster/proxy-server.ts';
import { expectProxyProblem } from '../cluster/responses.ts';
import { type Sample, sampleOf } from '../contract/samples.ts';
import { eventually } from '../support/eventually.ts';
import { picture, segment } from '../support/pictures.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';

/*
 * Sends a request of every kind to the service itself and through both proxies as shipped, with a length and in chunks. At
 * the end a table says what came back.
 */

setDefaultTimeout(300_000);

/** Longer than the proxies wait for an ordinary response. */
const DECODING_MS = 7_000;
const MIB = 1_048_576;

let petstore: TestPetstore;
let isSlow = false;
const proxies: ProxyServer[] = [];
/** Where requests go, by name. */
const ways = new Map<string, string>();
const table: string[][] = [];

beforeAll(async () => {
  const decoder = createDecoder();
  petstore = await startPetstore({
    decoder: {
      ...decoder,
      async decode(upload, familyId) {
        if (isSlow) await Bun.sleep(DECODING_MS);
        return await decoder.decode(upload, familyId);
      },
    },
  });
  ways.set('direct', petstore.url);
  for (const program of [nginx, haproxy]) {
    const proxy = await startProxy(program, [petstore.port]);
    proxies.push(proxy);
    ways.set(program.name, proxy.url);
  }
});
afterAll(async () => {
  const kinds = ['request', ...[...ways.keys()].flatMap((way) => [way, `${way}, chunked`])];
  console.log([kinds, ...table].map((row) => row.join(' | ')).join('\n'));
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
  await petstore[Symbol.asyncDispose]();
});

/** Sends a request with the key of the admin, its body with a length or in chunks. */
function send(url: string, sample: Sample, inChunks = false): Promise<Response> {
  const { method, target, headers, body } = sample;
  const whole = typeof body === 'string' ? Buffer.from(body) : body;
  return fetch(url + target, {
    method,
    headers: { authorization: `Bearer ${petstore.admin.key}`, ...headers },
    redirect: 'manual',
    keepalive: false,
    ...(whole !== undefined && { body: inChunks ? new Blob([whole]).stream() : whole }),
  });
}

/** Makes a request for each way, and expects one status of all. */
async function expectOnEveryWay(
  name: string,
  status: number,
  make: () => Promise<Sample>,
  after: (response: Response) => Promise<unknown> = (response) => response.arrayBuffer(),
): Promise<void> {
  const row = [name];
  for (const url of ways.values()) {
    for (const inChunks of [false, true]) {
      const sample = await make();
      if (inChunks && sample.body === undefined) {
        row.push('');
        continue;
      }
      const response = await send(url, sample, inChunks);
      row.push(String(response.status));
      await after(response);
    }
  }
  table.push(row);
  expect(row.slice(1).filter((found) => found !== '' && found !== String(status))).toEqual([]);
}

const withBody =
  (operation: Operation, change: (sample: Sample) => Promise<Sample> | Sample) => async () =>
    change(await sampleOf(operation, petstore.admin));

const named = (id: string): Operation => {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
};

describe('passes through both proxies', () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s',
    async (id, operation) => {
      await expectOnEveryWay(id, operation.success.status, () =>
        sampleOf(operation, petstore.admin),
      );
    },
  );

  test.each(operations.filter(({ upload }) => upload !== undefined).map(({ id }) => [id] as const))(
    '%s of the greatest size, and refuses a byte more with the message of the service',
    async (id) => {
      const operation = named(id);
      const bytesMax = operation.upload?.bytesMax ?? 0;
      const filled = async (bytes: number): Promise<Sample> => {
        const sample = await sampleOf(operation, petstore.admin);
        const isText = typeof sample.body === 'string';
        const body = isText ? csvOf(bytes) : await jpegOf(bytes);
        return { ...sample, ...(isText && { target: `${sample.target}?dryRun=true` }), body };
      };
      const done = async (response: Response) => {
        const { id: made, status } = (await response.json()) as { id?: number; status?: string };
        if (status === undefined) return;
        await untilImported(Number(made));
      };
      await expectOnEveryWay(
        `${id} of ${bytesMax / MIB} MiB`,
        operation.success.status,
        () => filled(bytesMax),
        done,
      );
      await expectOnEveryWay(
        `${id} of a byte more`,
        413,
        () => filled(bytesMax + 1),
        async (response) => expect(await response.text()).toContain(`at most ${bytesMax} bytes`),
      );
    },
  );

  test('a photo that takes longer to decode than other requests may take', async () => {
    isSlow = true;
    const row = ['a photo of 7 s'];
    const sent = [...ways.values()].map(async (url) =>
      send(url, await sampleOf(named('addPhoto'), petstore.admin)),
    );
    for (const response of await Promise.all(sent)) row.push(String(response.status), '');
    isSlow = false;
    table.push(row);
    expect(row.filter((cell) => cell === '201')).toHaveLength(ways.size);
  });

  test('a body of 64 KiB, and what one of more gets', async () => {
    const padded = (bytes: number) =>
      withBody(named('createPet'), (sample) => ({
        ...sample,
        body: String(sample.body).replace(
          '{',
          `{"padding":"${'x'.repeat(bytes - String(sample.body).length - 13)}",`,
        ),
      }));
    await expectOnEveryWay('createPet of 64 KiB', 201, padded(65_536));
    await expectOnEveryWay('createPet of a byte more', 413, padded(65_537));
  });

  test('a call of an assistant', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    await expectOnEveryWay('POST /mcp', 200, async () => ({
      method: 'POST',
      target: '/mcp',
      headers,
      body,
    }));
  });

  test.each([
    '/adopt',
    '/adopt/embed.js',
    '/adopt/feed.xml',
    '/console',
    '/docs',
    '/openapi.json',
    '/client/petstore-client.js',
    '/v1/audit',
  ])('%s, byte for byte', async (target) => {
    const bodies = new Set<string>();
    const make = async () => ({ method: 'GET', target, headers: {}, body: undefined });
    await expectOnEveryWay(`GET ${target}`, 200, make, async (response) =>
      bodies.add(new Bun.CryptoHasher('sha256').update(await response.arrayBuffer()).digest('hex')),
    );
    expect(bodies.size).toBe(1);
  });
});

describe.each([nginx, haproxy])('if there is no instance, $name answers', (program) => {
  let proxy: ProxyServer;
  beforeAll(async () => {
    proxy = await startProxy(program, [1]);
  });
  afterAll(() => proxy[Symbol.asyncDispose]());
  const ask = (path: string, body?: string, headers: Record<string, string> = {}) =>
    fetch(proxy.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      ...(body && { body }),
    });
  const long = 'x'.repeat(70_000);

  test.each<[string, number, string | undefined]>([
    ['/adopt', 503, undefined],
    ['/adopt/8/rex', 503, undefined],
    ['/console', 503, undefined],
    ['/docs/animals', 503, undefined],
    ['/', 503, undefined],
    ['/adopt/8/enquiries', 413, long],
    ['/console', 413, long],
    ['/adopt', 431, undefined],
  ])('%s with a page for a person: %d', async (path, status, body) => {
    const headers = { 'x-long': status === 431 ? 'x'.repeat(16_500) : '' };
    const response = await ask(path, body, headers);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    if (status === 503) expect(response.headers.get('retry-after')).toMatch(/^[1-9]$/);
    const page = await response.text();
    expect(page).toMatch(
      /^<!doctype html><html lang="en">.*<title>.+<\/title>.*lang="de".*lang="es"/,
    );
    expect(page).not.toContain('{');
  });

  test.each<[string, number, string | undefined]>([
    ['/v1/pets', 503, undefined],
    ['/mcp', 503, undefined],
    ['/console/session', 503, undefined],
    ['/adopt/animals.json?species=dog', 503, undefined],
    ['/v1/pets', 413, long],
    ['/mcp', 413, long],
  ])('%s with an Error: %d', async (path, status, body) => {
    const response = await ask(path, body);
    const { headers } = response;
    const method = body === undefined ? 'GET' : 'POST';
    expect(response.status).toBe(status);
    expectProxyProblem({ method, target: path, status, headers, text: await response.text() });
  });
});

/** A table of this many bytes, with a column that no import reads. */
function csvOf(bytes: number): Buffer<ArrayBuffer> {
  const row = `Chloe,1,available,${'x'.repeat(60_000)}\n`;
  const rows = Math.floor(bytes / row.length) - 1;
  const text = `name,categoryId,status,unread\n${row.repeat(rows)}Chloe,1,available,`;
  return Buffer.from(`${text}${'\n'.repeat(bytes - text.length)}`);
}

/** A JPEG of this many bytes, most of them in comments. */
async function jpegOf(bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const file = Buffer.from(await picture(60, 40, 'jpeg', Math.floor(Math.random() * 1e9)));
  const parts: Uint8Array[] = [file.subarray(0, 2)];
  let missing = bytes - file.length;
  while (missing > 0) {
    const size = missing > 65_000 && missing < 65_010 ? 32_000 : Math.min(missing, 65_000);
    parts.push(segment(0xfe, Buffer.alloc(size - 4, 'x')));
    missing -= size;
  }
  return new Uint8Array(Buffer.concat([...parts, file.subarray(2)]));
}

/** A file of 64 MiB takes its time beside other tests. */
async function untilImported(id: number, tries = 6): Promise<void> {
  await eventually(
    async () => (await petstore.admin.get(`/v1/imports/${id}`)).text,
    (text) => /"endedAt"/.test(text),
  ).catch((error) => {
    if (tries === 0) throw error;
    return untilImported(id, tries - 1);
  });
}
