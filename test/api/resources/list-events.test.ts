import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { CHANGE_TYPES, CHANGES_SCANNED_MAX } from '../../../src/domain/change-log.ts';
import { INT64_MAX, INT64_MIN } from '../../../src/domain/int64.ts';
import { addAnimals, idOf, idsOf, linksOf, targetOf } from '../../support/animals.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import type { ClientResponse } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';

// It may have to start a database server.
setDefaultTimeout(60_000);

const typesIn = ({ text }: ClientResponse): string[] =>
  JSON.parse(text).map(({ type }: { type: string }) => type);

/** The target of the next page, which every response has. */
function nextOf(response: ClientResponse): string {
  const links = linksOf(response);
  expect([...links.keys()]).toEqual(['next']);
  return targetOf(links.get('next') ?? '');
}

/** Reads events once every change made so far has an id. */
async function getEvents({ storage, reader }: TestPetstore, query = ''): Promise<ClientResponse> {
  const lag = () => storage.changes.lag();
  await eventually(lag, ({ waiting }) => waiting === 0);
  return reader.get(`/v1/events${query}`);
}

describe('GET /v1/events (listEvents)', () => {
  let petstore: TestPetstore;
  const get = (query = '') => getEvents(petstore, query);
  const latest = async () => /after=(\d+)/.exec(nextOf(await get('?after=latest')))?.[1] ?? '';

  beforeAll(async () => {
    petstore = await startPetstore();
  });
  afterAll(() => petstore[Symbol.asyncDispose]());

  test('an empty log is an empty array that says where to continue', async () => {
    const response = await get();
    expect(response.text).toBe('[]');
    // The keys of this test are in the log too, as no events.
    expect(nextOf(response)).toBe(`/v1/events?after=${await latest()}`);
  });

  test('shows each change with the record as GET shows it, byte for byte', async () => {
    const { writer, clock } = petstore;
    const after = await latest();
    const time = new Date(clock.now()).toISOString();
    const pet = await writer.post('/v1/pets', { name: 'Rex 🐕', categoryId: 7 });
    const path = `/v1/pets/${idOf(pet)}`;
    const order = await writer.post('/v1/store/orders', {
      petId: Number(idOf(pet)),
      adopter: 'The Alvarez family',
      contact: 'alvarez@example.com',
      note: 'Two children.',
    });
    const held = await writer.get(path);
    const target = `/v1/store/orders/${idOf(order)}`;
    const placed = await petstore.reader.get(target);
    await writer.patch(target, { status: 'cancelled' });
    const cancelled = await petstore.reader.get(target);
    const free = await writer.get(path);
    const [stay] = JSON.parse((await writer.get(`${path}/stays`)).text);
    await writer.delete(path);
    const day = time.slice(0, 10);
    const stayText = `{"petId":${idOf(pet)},"stayId":${stay.id},"intakeDate":"${day}","outcomeDate":"${day}"}`;
    const category = await writer.post('/v1/categories', { name: 'Hund' });

    // Also for a key that sees the personal data of orders.
    await get();
    const response = await writer.get(`/v1/events?after=${after}`);
    const ids = idsOf(response);
    const events = [
      ['pet.created', pet.text],
      ['pet.updated', held.text],
      ['order.placed', placed.text],
      ['pet.updated', free.text],
      // The event has the time of its step itself.
      ['order.updated', cancelled.text.replace(/"cancelledAt":"[^"]*",/, '')],
      ['stay.ended', stayText],
      ['pet.deleted', free.text],
      ['category.created', category.text],
    ] as const;
    const shown = JSON.parse(response.text).map((event: object) => JSON.stringify(event));
    const expected = events.map(
      ([type, data]) => `"type":"${type}","timestamp":"${time}","data":${data}}`,
    );
    // The order of two changes in one transaction is not promised.
    const sorted = (list: readonly string[]) => [...list].sort();
    expect(
      sorted(shown.map((event: string, i: number) => event.slice(`{"id":${ids[i]},`.length))),
    ).toEqual(sorted(expected));
    expect(ids).toEqual([...ids].sort((a, b) => Number(a - b)));
    expect(response.text).not.toContain('lvarez');
  });

  test('a change that changes nothing makes no event', async () => {
    const { writer } = petstore;
    const pet = idOf(await writer.post('/v1/pets', { name: 'Rex', categoryId: 7 }));
    const after = await latest();
    await writer.patch(`/v1/pets/${pet}`, { name: 'Rex' });
    await writer.patch(`/v1/pets/${pet}`, { name: '' });
    expect((await get(`?after=${after}`)).text).toBe('[]');
  });

  test('a reset is one event without data', async () => {
    const after = await latest();
    const shop = await startPetstore({ environment: 'staging' });
    await shop.storage.reset(CHANGE_STAMP);
    const response = await getEvents(shop, '?type=store.reset');
    await shop[Symbol.asyncDispose]();
    const [event] = JSON.parse(response.text);
    expect(Object.keys(event)).toEqual(['id', 'type', 'timestamp']);
    expect(await latest()).toBe(after);
  });

  test('the last page says where to continue, and so does an empty one', async () => {
    const after = await latest();
    await addAnimals(petstore.storage, [{}, {}, {}]);
    const first = await get(`?after=${after}&limit=2&wait=0&type=pet.created,order.placed`);
    expect(idsOf(first)).toHaveLength(2);
    const target = nextOf(first);
    expect(target).toMatch(
      /^\/v1\/events\?after=\d+&limit=2&type=pet.created%2Corder.placed&wait=0$/,
    );
    const second = await petstore.reader.get(target);
    expect(idsOf(second)).toHaveLength(1);
    const third = await petstore.reader.get(nextOf(second));
    expect(third.text).toBe('[]');
    expect(nextOf(third)).toBe(nextOf(second));
  });

  test('an id above the newest is of another database, and the newest itself is not', async () => {
    const newest = await latest();
    for (const after of [String(INT64_MAX), String(BigInt(newest) + 1n)]) {
      for (const more of ['', '&wait=5', '&type=pet.created', '&type=shop.updated&wait=1']) {
        expectError(await get(`?after=${after}${more}`), 'events_expired');
      }
    }
    for (const more of ['', '&type=shop.updated']) {
      const response = await get(`?after=${newest}${more}`);
      expect(response.text).toBe('[]');
      expect(nextOf(response)).toContain(`after=${newest}`);
    }
  });

  test('a negative id is the start', async () => {
    const start = await get('?limit=1');
    expect((await get(`?limit=1&after=${INT64_MIN}`)).text).toBe(start.text);
    expect((await get('?limit=1&after=-1')).text).toBe(start.text);
    expect((await get('?limit=1&after=0')).text).toBe(start.text);
  });

  test.each([
    ['?after=', 'after must not be empty'],
    ['?after=1&after=2', 'after must be given only once'],
    ['?after=9223372036854775808', 'after must be a whole number'],
    ['?after=01', 'after must be a whole number'],
    ['?after=Latest', 'or latest'],
    ['?type=', 'type must not be empty'],
    ['?type=pet.created,', 'type must be one or more of pet.created'],
    ['?type=pet.changed', 'type must be one or more of pet.created'],
    ['?type=pet.created&type=x', 'type must be one or more of pet.created'],
    ['?wait=31', 'wait must be a whole number from 0 to 30'],
    ['?wait=-1', 'wait must be a whole number from 0 to 30'],
    ['?wait=1.5', 'wait must be a whole number from 0 to 30'],
    ['?wait=5s', 'wait must be a whole number from 0 to 30'],
    ['?limit=0', 'limit must be a whole number from 1 to 100'],
    ['?limit=101', 'limit must be a whole number from 1 to 100'],
  ])('%s is refused', async (query, message) => {
    expect(expectError(await get(query), 'invalid_parameter')).toContain(message);
  });

  test('types may be repeated or separated by commas, in any order', async () => {
    const after = await latest();
    await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 7 });
    await petstore.writer.post('/v1/categories', { name: 'Katze' });
    const both = ['pet.created', 'category.created'];
    for (const query of [
      'type=category.created,pet.created,pet.created',
      'type=category.created&type=pet.created',
    ]) {
      expect(typesIn(await get(`?after=${after}&${query}`))).toEqual(both);
    }
    expect(typesIn(await get(`?after=${after}&type=category.created`))).toEqual([both[1] ?? '']);
  });

  test('rare types among many others are found by following the links', async () => {
    const after = await latest();
    await addAnimals(
      petstore.storage,
      Array.from({ length: CHANGES_SCANNED_MAX + 500 }, () => ({})),
    );
    await petstore.writer.post('/v1/categories', { name: 'Vogel' });
    const first = await get(`?after=${after}&type=category.created`);
    expect(first.text).toBe('[]');
    const second = await petstore.reader.get(nextOf(first));
    expect(typesIn(second)).toEqual(['category.created']);
  });

  test('has an entity tag, and 304 while nothing has happened', async () => {
    const after = await latest();
    const before = await get(`?after=${after}`);
    const etag = before.headers.get('etag') ?? '';
    const target = `/v1/events?after=${after}`;
    expect((await petstore.reader.get(target, { 'if-none-match': etag })).status).toBe(304);
    await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 7 });
    await get();
    expect((await petstore.reader.get(target, { 'if-none-match': etag })).status).toBe(200);
  });

  test('following the links gives exactly the log, for any limit and types', async () => {
    const shop = await startPetstore();
    const { writer } = shop;
    for (let i = 0; i < 12; i++) {
      const pet = idOf(await writer.post('/v1/pets', { name: `Rex ${i}`, categoryId: 7 }));
      await writer.post('/v1/categories', { name: `Kind ${i}` });
      if (i % 3 === 0) await writer.post('/v1/store/orders', { petId: Number(pet) });
      else await writer.delete(`/v1/pets/${pet}`);
    }
    const whole = JSON.parse((await getEvents(shop, '?limit=100')).text);
    const walks = fc.asyncProperty(
      fc.integer({ min: 1, max: 100 }),
      fc.subarray([...CHANGE_TYPES]),
      fc.nat(whole.length),
      async (limit, types, start) => {
        const query = types.length === 0 ? '' : `&type=${types.join()}`;
        let target = `/v1/events?after=${start}&limit=${limit}${query}`;
        const walked: unknown[] = [];
        for (;;) {
          const page = await shop.reader.get(target);
          const events = JSON.parse(page.text);
          expect(events.length).toBeLessThanOrEqual(limit);
          walked.push(...events);
          target = nextOf(page);
          if (events.length === 0) break;
        }
        const asked = ({ id, type }: { id: number; type: (typeof types)[number] }) =>
          id > start && (types.length === 0 || types.includes(type));
        expect(walked).toEqual(whole.filter(asked));
      },
    );
    await fc.assert(walks, { numRuns: 40 });
    await shop[Symbol.asyncDispose]();
  });
});

describe('events that have been removed', () => {
  test('are 410 for who continues before them, and not for who starts', async () => {
    await using petstore = await startPetstore();
    await addAnimals(petstore.storage, [{}, {}, {}]);
    const get = (query: string) => getEvents(petstore, query);
    const [first = 0n, second = 0n, third = 0n] = idsOf(await get(''));
    await petstore.storage.changes.removeExpired(petstore.clock.now(), 100);
    for (const after of ['0', `${first}`, '-5']) {
      expect(expectError(await get(`?after=${after}`), 'events_expired')).toContain('after=latest');
    }
    // Who has seen the last that was removed has missed nothing.
    expect(idsOf(await get(`?after=${second}`))).toEqual([third]);
    expect(idsOf(await get(''))).toEqual([third]);
  });
});
