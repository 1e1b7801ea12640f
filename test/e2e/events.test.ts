import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { forEachTest } from '../support/lifetime.ts';
import { sampleOf, scrape } from '../support/scrape.ts';
import { type Serving, startServing } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

setDefaultTimeout(60_000);

const METRICS = /Metrics on (http:\S+)/;

const folder = forEachTest(() => createTemporaryFolder());

const serve = (...flags: string[]) =>
  startServing(
    { PETSTORE_DATABASE: `sqlite:${folder.file('shop.db')}`, PETSTORE_LOG_LEVEL: 'warn' },
    ...['--ops-port', '0', ...flags],
  );

/** Waits until a request of a server waits for events. */
async function someoneWaits({ announced }: Serving): Promise<void> {
  const url = METRICS.exec(announced())?.[1] ?? '';
  const waiting = async () => sampleOf(await scrape(url), 'petstore_events_requests_waiting');
  await eventually(waiting, (count) => count === 1);
}

describe('two servers on one file', () => {
  test('wake those who wait at one with the changes of the other', async () => {
    await using one = await serve();
    await using two = await serve();
    const events = one.client.get('/v1/events?after=latest&wait=30');
    await someoneWaits(one);
    await two.client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
    const [event, ...others] = JSON.parse((await events).text);
    expect(event).toMatchObject({ type: 'pet.created', data: { name: 'Rex' } });
    expect(others).toEqual([]);
  });
});

describe('a server that is stopped', () => {
  test('answers those who wait, and ends at once', async () => {
    await using server = await serve();
    const events = server.client.get('/v1/events?after=latest&wait=30');
    await someoneWaits(server);
    server.child.kill('SIGTERM');
    expect((await events).text).toBe('[]');
    expect(await server.child.exited).toBe(0);
  });
});
