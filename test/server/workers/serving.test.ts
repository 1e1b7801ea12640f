import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientResponse } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { eachOnce, leftAfterGranted } from '../../support/granted.ts';
import { scrape, seriesOf } from '../../support/scrape.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';

// The first may have to start a database server.
setDefaultTimeout(60_000);

let petstore: TestPetstore;
afterEach(() => petstore[Symbol.asyncDispose]());

const TWO = { PETSTORE_WORKERS: '2' };
const start = async (settings: Readonly<Record<string, string>> = {}) => {
  petstore = await startPetstore({ settings: { ...TWO, ...settings } });
};
const REX = { name: 'Rex', categoryId: 1 };

/** The id and the code in a response, if it has them. */
function partsOf({ text }: ClientResponse): { readonly id: number; readonly code: string } {
  const { id, code } = JSON.parse(text);
  return { id, code };
}

/** Sends a request on a connection of its own, so that any worker may get it. */
const apart = { connection: 'close' };

/** The value of a metric without labels. */
async function metricOf(name: string): Promise<number | undefined> {
  return seriesOf(await scrape(petstore.metricsUrl), name)[name];
}

describe('two workers', () => {
  test('grant a key exactly what its plan allows, on any number of connections', async () => {
    await start();
    const { client } = await petstore.keyWith({ plan: 'free' });
    const responses: ClientResponse[] = [];
    for (let round = 0; round < 5; round++) {
      const sent = Array.from({ length: 40 }, () => client.get('/v1/pets', apart));
      responses.push(...(await Promise.all(sent)));
    }
    // Each count was given once, so both workers counted in the same place.
    expect(leftAfterGranted(responses)).toEqual(eachOnce(60));
  });

  test('limit an address exactly, and save the counts of keys for the next start', async () => {
    await start({ PETSTORE_ANONYMOUS_PER_MINUTE: '25' });
    const { anonymous } = petstore;
    const responses = await Promise.all(
      Array.from({ length: 80 }, () => anonymous.get('/v1/pets', apart)),
    );
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(25);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(55);
    const { client } = await petstore.keyWith({ perMinute: 100 });
    for (let i = 0; i < 7; i++) await client.get('/v1/pets', apart);
    await petstore.restart(TWO);
    const { headers } = await client.get('/v1/pets');
    expect(headers.get('x-ratelimit-remaining')).toBe('92');
  });

  test('show every addition to a request that starts after its response', async () => {
    await start();
    const { writer } = petstore;
    for (let n = 1; n <= 2_000; n++) {
      const added = await writer.post('/v1/pets', { name: `latest ${n}`, categoryId: n });
      const { id } = partsOf(added);
      const [read, listed] = await Promise.all([
        writer.get(`/v1/pets/${id}`, n % 2 === 0 ? apart : {}),
        writer.get(`/v1/pets?id=${id}`, n % 2 === 0 ? {} : apart),
      ]);
      if (read.text !== added.text || listed.text !== `[${added.text}]`) {
        throw new Error(`addition ${n} was not shown: ${read.text} ${listed.text}`);
      }
    }
  }, 300_000);

  test('execute a repeated request once, whichever worker it reaches', async () => {
    await start();
    const { writer } = petstore;
    const send = (key: string) =>
      writer.post('/v1/pets', REX, { ...apart, 'idempotency-key': key });
    for (let n = 0; n < 20; n++) {
      const responses = await Promise.all([send(`k${n}`), send(`k${n}`), send(`k${n}`)]);
      const created = responses.filter(({ status }) => status === 201);
      expect(created.length).toBeGreaterThan(0);
      expect(new Set(created.map(({ text }) => text)).size).toBe(1);
      expect((await send(`k${n}`)).text).toBe(created[0]?.text ?? '');
    }
    expect(await petstore.storage.pets.count()).toBe(20);
  });

  test('give a reader that waits on one the events that come through the other', async () => {
    await start();
    const { writer } = petstore;
    await writer.post('/v1/pets', REX);
    for (let after = 1; after <= 6; after++) {
      const waiting = writer.get(`/v1/events?after=${after}&wait=20`, apart);
      const { id } = partsOf(await writer.post('/v1/pets', REX, apart));
      expect((await waiting).text).toContain(`"id":${id},"name":"Rex"`);
    }
  });

  test('revoke a key for both within half a second', async () => {
    await start();
    const { id, client } = await petstore.keyWith({});
    for (let i = 0; i < 20; i++) expect((await client.get('/v1/pets', apart)).status).toBe(200);
    await petstore.admin.delete(`/v1/keys/${id}`);
    petstore.clock.advance(500);
    for (let i = 0; i < 20; i++) expect((await client.get('/v1/pets', apart)).status).toBe(401);
  });

  test('count usage exactly, also what the other one has not stored yet', async () => {
    await start();
    const { id, client } = await petstore.keyWith({ perMinute: 40 });
    for (let sent = 10; sent <= 60; sent += 10) {
      await Promise.all(Array.from({ length: 10 }, () => client.get('/v1/pets', apart)));
      const { text } = await petstore.admin.get(`/v1/keys/${id}/usage`, apart);
      const counts = { requests: Math.min(sent, 40), refused: Math.max(0, sent - 40), errors: 0 };
      expect(JSON.parse(text).at(-1)).toMatchObject(counts);
    }
  });

  test('refuse a banned key on both', async () => {
    await start();
    const { client } = await petstore.keyWith({ perMinute: 1, perDay: 100_000 });
    const isBanned = async () =>
      partsOf(await client.get('/v1/pets', apart)).code === 'api_key_banned';
    await eventually(isBanned, (banned) => banned);
    for (let i = 0; i < 20; i++) expect(await isBanned()).toBe(true);
  });

  test('import files one after the other, wherever they arrive', async () => {
    await start();
    const headers = { ...apart, 'content-type': 'text/csv' };
    const upload = (n: number) => {
      const body = `name,categoryId,external_id\nRex,1,E${n}\nRex,1,Same\n`;
      return petstore.writer.send('POST', '/v1/imports', { headers, body });
    };
    const ids: number[] = [];
    for (let n = 0; n < 6; n++) {
      const response = await upload(n);
      expect(response.status).toBe(202);
      ids.push(partsOf(response).id);
    }
    for (const id of ids) {
      const read = async () =>
        JSON.parse((await petstore.writer.get(`/v1/imports/${id}`, apart)).text);
      await eventually(read, ({ status }) => status === 'completed');
    }
    expect(await petstore.storage.pets.count()).toBe(7);
  });

  test('are summed in the metrics', async () => {
    await start();
    const { reader } = petstore;
    await Promise.all(Array.from({ length: 40 }, () => reader.get('/v1/pets', apart)));
    expect(await metricOf('petstore_workers')).toBe(2);
    const series = seriesOf(await scrape(petstore.metricsUrl), 'petstore_http_requests_total');
    expect(series['petstore_http_requests_total{operation="listPets",status="200"}']).toBe(40);
  });

  test('report errors as one thread does', async () => {
    await start();
    const { writer } = petstore;
    expect((await writer.post('/v1/pets', { name: '' })).status).toBe(400);
    const { id } = partsOf(await writer.post('/v1/pets', REX));
    const stale = await writer.patch(`/v1/pets/${id}`, { name: 'Max' }, { 'if-match': '"x"' });
    expect([stale.status, partsOf(stale).code]).toEqual([412, 'precondition_failed']);
    expect(partsOf(await writer.delete('/v1/pets/999')).code).toBe('pet_not_found');
    await petstore.database.sql('ALTER TABLE pets RENAME TO away');
    const failed = await writer.post('/v1/pets', REX);
    expect([failed.status, partsOf(failed).code]).toEqual([500, 'internal_error']);
    await petstore.database.sql('ALTER TABLE away RENAME TO pets');
    const requestId = failed.headers.get('x-request-id') ?? '';
    const isFault = (line: string) => line.includes(requestId) && line.includes('"err"');
    const line = await eventually(
      () => petstore.log.find(isFault),
      (found) => found !== undefined,
    );
    expect(line).toMatch(/SQLiteError|PostgresError/);
  });
});

/** A POST whose body breaks off after its first bytes, until the connection closes. */
async function sendHalfAFile(key: string) {
  let isClosed = false;
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: petstore.port,
    socket: {
      data() {},
      close() {
        isClosed = true;
      },
    },
  });
  socket.write(
    [
      ...['POST /v1/imports HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${key}`],
      ...['Content-Type: text/csv', 'Content-Length: 100', '', 'name,categoryId\n'],
    ].join('\r\n'),
  );
  return { isClosed: () => isClosed, end: () => socket.end() };
}

/** The number of open files that hold bodies of requests to this process. */
function countUploads(): number {
  const folder = '/proc/self/fd';
  return readdirSync(folder).filter((descriptor) => {
    try {
      return readlinkSync(join(folder, descriptor)).includes('.petstore-upload-');
    } catch {
      // The descriptor that the listing itself used.
      return false;
    }
  }).length;
}

describe('a worker that dies', () => {
  test('leaves no file open that was arriving at it', async () => {
    await start();
    const keys = [await petstore.keyWith({}), await petstore.keyWith({})];
    let broken = 0;
    for (let deaths = 1; broken === 0; deaths++) {
      const sent = await Promise.all([...keys, ...keys].map(({ text }) => sendHalfAFile(text)));
      await eventually(countUploads, (count) => count === sent.length);
      await petstore.workers.at(-1)?.terminate();
      const isReplaced = async () =>
        (await metricOf('petstore_worker_deaths_total')) === deaths &&
        (await metricOf('petstore_workers')) === 2;
      await eventually(isReplaced, (replaced) => replaced);
      broken = sent.filter(({ isClosed }) => isClosed()).length;
      await eventually(countUploads, (count) => count === sent.length - broken);
      for (const { end } of sent) end();
      await eventually(countUploads, (count) => count === 0);
    }
  });
});
