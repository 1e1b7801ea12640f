import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { operations } from '../../src/api/resources/operations.ts';
import { RELEASE } from '../../src/settings/release.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { sampleOf, scrape, seriesOf } from '../support/scrape.ts';
import { startPetstore, type TestPetstore, type TestSettings } from '../support/start.ts';

// The first may have to start a database server.
setDefaultTimeout(60_000);

const REX = { name: 'Rex', categoryId: 1 };
const ENGINE = chosenEngine().name;

let petstore: TestPetstore;
afterEach(() => petstore[Symbol.asyncDispose]());

const start = async (settings: TestSettings = {}) => {
  petstore = await startPetstore({ settings });
};
const requests = (operation: string, status: number) =>
  `petstore_http_requests_total{operation="${operation}",status="${status}"}`;
const decisions = (caller: string, decision: string) =>
  `petstore_limiter_decisions_total{caller="${caller}",decision="${decision}"}`;
const durations = (operation: string) =>
  `petstore_http_request_duration_seconds_count{operation="${operation}"}`;

/** The series of a metric that counted anything. */
async function countedOf(name: string): Promise<Record<string, number>> {
  const series = seriesOf(await scrape(petstore.metricsUrl), name);
  return Object.fromEntries(Object.entries(series).filter(([, value]) => value > 0));
}

describe('the metrics', () => {
  test('count each request by its operation and status, and each decision of the limiter', async () => {
    await start({ PETSTORE_ANONYMOUS_PER_MINUTE: '3', PETSTORE_BAN_REFUSALS: '3' });
    const { anonymous, reader, writer } = petstore;
    await writer.post('/v1/pets', REX);
    await writer.post('/v1/pets', { name: '' });
    await reader.post('/v1/pets', REX);
    const { headers } = await writer.get('/v1/pets');
    await writer.head('/v1/pets');
    await writer.get('/v1/pets', { 'if-none-match': headers.get('etag') ?? '' });
    await writer.get('/v1/pets/1');
    await writer.get('/v1/pets/999');
    await writer.get('/v1/usage');
    await writer.get('/v1/nothing/here');
    await writer.send('PUT', '/v1/pets');
    await anonymous.get('/livez');
    await anonymous.get('/nowhere');
    for (let i = 0; i < 5; i++) await anonymous.get('/v1/pets');
    const { client } = await petstore.keyWith({ perMinute: 2, perDay: 4 });
    for (let i = 0; i < 7; i++) await client.get('/v1/pets');

    expect(await countedOf('petstore_http_requests_total')).toEqual({
      [requests('createPet', 201)]: 1,
      [requests('createPet', 400)]: 1,
      [requests('createPet', 403)]: 1,
      [requests('listPets', 200)]: 4,
      [requests('listPets', 304)]: 1,
      [requests('listPets', 401)]: 3,
      [requests('listPets', 429)]: 7,
      [requests('getPet', 200)]: 1,
      [requests('getPet', 404)]: 1,
      [requests('getUsage', 200)]: 1,
      [requests('none', 200)]: 1,
      [requests('none', 404)]: 2,
      [requests('none', 405)]: 1,
    });
    const scraped = await scrape(petstore.metricsUrl);
    expect(sampleOf(scraped, durations('listPets'))).toBe(15);
    expect(sampleOf(scraped, durations('none'))).toBe(4);
    expect(sampleOf(scraped, durations('deletePet'))).toBe(0);
    expect(await countedOf('petstore_limiter_decisions_total')).toEqual({
      [decisions('key', 'granted')]: 12,
      [decisions('key', 'minute')]: 3,
      [decisions('key', 'banned')]: 2,
      [decisions('address', 'granted')]: 3,
      [decisions('address', 'minute')]: 2,
    });
    expect(sampleOf(scraped, 'petstore_limiter_bans_total')).toBe(1);

    petstore.clock.advance(30 * 60_000);
    for (let i = 0; i < 3; i++) await client.get('/v1/pets');
    expect(sampleOf(await scrape(petstore.metricsUrl), decisions('key', 'day'))).toBe(1);
  });

  test('count storage failures, and are served without the storage', async () => {
    await start();
    await petstore.writer.get('/v1/pets');
    await petstore.database.destroy();
    await petstore.writer.get('/v1/pets/1');
    await petstore.anonymous.get('/readyz');
    const scraped = await scrape(petstore.metricsUrl);
    expect(sampleOf(scraped, requests('getPet', 503))).toBe(1);
    expect(sampleOf(scraped, requests('none', 503))).toBe(1);
    const failures = `petstore_storage_failures_total{engine="${ENGINE}",method="ping"}`;
    expect(sampleOf(scraped, failures)).toBe(1);
  });

  test('time the calls of the storage', async () => {
    await start();
    const calls = (method: string) =>
      `petstore_storage_duration_seconds_count{engine="${ENGINE}",method="${method}"}`;
    await petstore.writer.post('/v1/pets', REX);
    await petstore.writer.post('/v1/pets', REX);
    await petstore.writer.get('/v1/pets?name=rex');
    const scraped = await scrape(petstore.metricsUrl);
    expect(sampleOf(scraped, calls('pets.create'))).toBe(2);
    expect(sampleOf(scraped, calls('pets.list'))).toBe(1);
    expect(sampleOf(scraped, calls('orders.list'))).toBe(0);
    expect(scraped.get('petstore_storage_commit_writes')?.samples.size).toBe(
      ENGINE === 'sqlite' ? 13 : 0,
    );
    if (ENGINE === 'sqlite') {
      expect(sampleOf(scraped, 'petstore_storage_commit_writes_sum')).toBeGreaterThanOrEqual(2);
    }
    const connections = Object.values(seriesOf(scraped, 'petstore_storage_connections'));
    const open = connections.reduce((sum, value) => sum + value, 0);
    if (ENGINE === 'postgres') expect(open).toBeGreaterThan(0);
    else expect(connections).toEqual([]);
  });

  test('count the hits and misses of the response cache', async () => {
    await start();
    for (let i = 0; i < 3; i++) await petstore.reader.get('/v1/pets');
    await petstore.writer.post('/v1/pets', REX);
    await petstore.reader.get('/v1/pets');
    await petstore.reader.get('/v1/usage');
    const lookups = await countedOf('petstore_response_cache_lookups_total');
    const hits = Number(lookups['petstore_response_cache_lookups_total{result="hit"}']);
    const misses = Number(lookups['petstore_response_cache_lookups_total{result="miss"}']);
    expect(hits + misses).toBe(4);
    // On PostgreSQL the time of last use, written once a second, also causes misses.
    if (ENGINE === 'postgres') expect(misses).toBeWithin(2, 5);
    // The first request for a target stores nothing, and the addition drops the page.
    else expect(misses).toBe(3);
  });

  test('create no series for paths, methods, keys or addresses', async () => {
    await start({ PETSTORE_ANONYMOUS_PER_MINUTE: '50' });
    const { anonymous, writer } = petstore;
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    const roots = ['/v1/', '/v1/pets/', '/', '/v1/store/orders/', '/docs/'];
    for (let i = 0; i < 1_000; i++) {
      const word = crypto.randomUUID();
      const client = i % 3 === 0 ? anonymous : writer;
      await client.send(methods[i % methods.length] ?? '', `${roots[i % roots.length]}${word}`, {
        headers: { 'x-forwarded-for': `10.0.${i % 250}.1`, 'x-request-id': `id-${word}` },
      });
    }
    const text = await (await fetch(petstore.metricsUrl)).text();
    const secret = writer.key?.slice('petstore_live_'.length, -6) ?? 'no key';
    for (const private_ of [secret, '127.0.0.1', '10.0.', 'id-', '/v1']) {
      expect(text).not.toContain(private_);
    }
    const labels = new Set([...text.matchAll(/operation="(\w+)"/g)].map(([, label]) => label));
    expect(labels).toEqual(new Set([...operations.map(({ id }) => id), 'none']));
    expect(text.split('\n').length).toBeLessThan(25 * operations.length);
  }, 60_000);

  test('report the build and the resource use of the process', async () => {
    await start();
    const lags = 'petstore_event_loop_lag_seconds_count';
    // It is measured while requests come, and known a turn later.
    const scraped = await eventually(
      async () => {
        await petstore.reader.get('/v1/pets');
        return await scrape(petstore.metricsUrl);
      },
      (found) => sampleOf(found, lags) > 1,
    );
    const value = (name: string) => sampleOf(scraped, name);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect(value('petstore_heap_used_bytes')).toBeGreaterThan(100_000);
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(value('process_open_fds')).toBeGreaterThan(3);
    expect(value('process_start_time_seconds')).toBeWithin(1.7e9, Date.now() / 1_000);
    expect(value('petstore_log_lines_dropped_total')).toBe(0);
    expect(value('petstore_http_requests_pending')).toBe(0);
    const release = Object.entries(RELEASE).map(([name, value]) => `${name}="${value}"`);
    expect(Object.keys(seriesOf(scraped, 'petstore_build_info'))).toEqual([
      `petstore_build_info{${release},runtime="bun ${Bun.version}",` +
        `environment="production",storage="${ENGINE}",limits="memory"}`,
    ]);
  });
});
