import { describe, expect, test } from 'bun:test';
import { expectError } from '../../support/expect-error.ts';
import {
  openRawConnection,
  type RawConnection,
  requestText,
} from '../../support/raw-connection.ts';
import { sampleOf, scrape } from '../../support/scrape.ts';
import { startPetstore, type TestPetstore, type TestSettings } from '../../support/start.ts';

// Most of their time is waiting, so the tests run at the same time.
const BODY = '{"name":"Rex","categoryId":7}';
/** The interval at which a slow client sends a little more, so that it is never silent. */
const STEP_MS = 200;
/** A second; a timer may round it down. */
const TIMEOUT_LEAST_MS = 998;

/** A service and its slow clients. */
interface SlowService extends AsyncDisposable {
  readonly petstore: TestPetstore;
  /** Opens a connection, sends the start, then `more` again and again. */
  open(text: string, more?: string): RawConnection;
  /** The head of a request that adds an animal. */
  post(...headers: readonly string[]): string;
}

async function start(settings: TestSettings): Promise<SlowService> {
  const parts = new AsyncDisposableStack();
  const petstore = parts.use(await startPetstore({ settings }));
  return {
    petstore,
    open(text, more = '') {
      const connection = parts.use(openRawConnection(petstore.port));
      connection.write(text);
      const timer = setInterval(() => more !== '' && connection.write(more), STEP_MS);
      parts.defer(() => clearInterval(timer));
      return connection;
    },
    post: (...headers) =>
      requestText(
        'POST /v1/pets',
        'Host: x',
        `Authorization: Bearer ${petstore.writer.key}`,
        'Content-Type: application/json',
        ...headers,
      ),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

const WITH_LENGTH = `Content-Length: ${BODY.length}`;

describe('a body that comes too slowly', () => {
  test.concurrent.each([
    ['nothing of it', WITH_LENGTH, '', ''],
    ['byte after byte', `Content-Length: 60000`, '{', ' '],
    ['chunk after chunk', 'Transfer-Encoding: chunked', '', '1\r\n \r\n'],
  ])('is refused, and its connection ends: %s', async (_, header, prefix, more) => {
    await using service = await start({ PETSTORE_BODY_TIMEOUT: '1s' });
    const { petstore, open, post } = service;
    const connection = open(post(header) + prefix, more);
    const response = await connection.response();
    expect(expectError(response, 'invalid_request')).toContain('within 1 s');
    expect(response?.headers.get('connection')).toBe('close');
    expect(response?.headers.has('x-ratelimit-remaining')).toBe(true);
    await connection.closed;
    expect((await petstore.reader.get('/v1/pets')).text).toBe('[]');
  });

  test.concurrent('is refused by its own time, independent of other requests', async () => {
    await using service = await start({ PETSTORE_BODY_TIMEOUT: '1s' });
    const { petstore, open, post } = service;
    expect((await petstore.writer.post('/v1/pets', BODY)).status).toBe(201);
    const waits: Promise<void>[] = [];
    for (let i = 0; i < 4; i++) {
      const connection = open(`${post(`Content-Length: ${BODY.length}`)}{`);
      const began = performance.now();
      if (i === 1) connection.write(BODY.slice(1));
      const wait = connection.response().then((response) => {
        expect(response?.status).toBe(i === 1 ? 201 : 400);
        if (i !== 1) expect(performance.now() - began).toBeGreaterThan(TIMEOUT_LEAST_MS);
      });
      waits.push(wait);
      await Bun.sleep(STEP_MS);
    }
    await Promise.all(waits);
  });

  test.concurrent('is accepted within its time, whatever the idle timeout is', async () => {
    await using service = await start({
      PETSTORE_BODY_TIMEOUT: '30s',
      PETSTORE_IDLE_TIMEOUT: '5s',
    });
    const { open, post } = service;
    // 10 s long, and the runtime would end the request after 8 s.
    const steps = 10_000 / STEP_MS;
    const connection = open(post(`Content-Length: ${steps + BODY.length}`));
    for (let i = 0; i < steps; i++) {
      connection.write(' ');
      await Bun.sleep(STEP_MS);
    }
    connection.write(BODY);
    expect((await connection.response())?.status).toBe(201);
  }, 60_000);
});

test.concurrent('connections that are idle, or whose head comes too slowly, are closed', async () => {
  await using service = await start({ PETSTORE_IDLE_TIMEOUT: '5s' });
  const { petstore, open } = service;
  const began = performance.now();
  const request = requestText('GET /livez', 'Host: x');
  const idle = open(request);
  expect((await idle.response())?.status).toBe(200);
  const slow = [
    idle,
    open(''),
    open(request.slice(0, 20)),
    open(`${request.slice(0, -2)}X-A: `, 'a'),
    open(request.slice(0, -2), 'X-A: a\r\n'),
  ];
  const others = Promise.all(slow.map(({ closed }) => closed));
  expect((await petstore.reader.get('/v1/pets')).status).toBe(200);
  await others;
  // The runtime checks every 4 s.
  expect(performance.now() - began).toBeLessThan(14_000);
  expect((await petstore.reader.get('/v1/pets')).status).toBe(200);
}, 60_000);

test.concurrent('a request that waits for events may wait longer than a connection may be idle', async () => {
  await using petstore = await startPetstore({ settings: { PETSTORE_IDLE_TIMEOUT: '5s' } });
  const response = await petstore.reader.get('/v1/events?after=latest&wait=12');
  expect([response.status, response.text]).toEqual([200, '[]']);
  const metrics = await scrape(petstore.metricsUrl);
  expect(sampleOf(metrics, 'petstore_events_waits_total{end="time"}')).toBe(1);
}, 60_000);
