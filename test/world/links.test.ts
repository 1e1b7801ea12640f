import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  decodeCursor,
  encodeCursor,
  listName,
  openCursor,
  sealCursor,
} from '../../src/api/contract/list-page.ts';
import { operations } from '../../src/api/resources/operations.ts';
import { sampleOf } from '../contract/samples.ts';
import { linksOf, targetOf } from '../support/animals.ts';
import { addEnquiry } from '../support/enquiries.ts';
import { eventually } from '../support/eventually.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';

/*
 * Every link of every list leads to its next page, up to the last one, and whatever stands where the cursor was gets
 * a right page or 400.
 */

let petstore: TestPetstore;

const lists = operations.filter(({ success, queryParameters }) => {
  const names: readonly string[] = success.headers;
  return (
    names.includes('Link') && queryParameters !== undefined && 'limit' in queryParameters.shape
  );
});

/** Filters with times that an offset or a default can lead astray. */
const TIMES = [
  ...['1970-01-01T00:00:00Z', '1969-12-31T23:59:59.999Z', '0000-01-01T00:00:00Z'],
  ...['0000-01-01T23:59:00+23:59', '9999-12-31T23:59:59Z', '9999-12-30T23:59:59-23:59'],
];

beforeAll(async () => {
  petstore = await startPetstore();
  // The examples add records of each kind: three of each, and what they need.
  for (const { path, method } of operations.filter(({ path }) => !path.includes('{'))) {
    const adding = operations.find((each) => each.method === 'POST' && each.path === path);
    if (adding === undefined || method !== 'POST') continue;
    for (let n = 0; n < 3; n++) {
      const { target, headers, body } = await sampleOf(adding, petstore.admin);
      await petstore.admin.send('POST', target, { headers, ...(body !== undefined && { body }) });
    }
  }
  for (const id of [1, 2, 3]) {
    await addEnquiry(petstore.storage);
    const profile = { species: 'dog', published: true, headline: `No. ${id}` };
    await petstore.admin.patch(`/v1/pets/${id}/profile`, profile);
    await petstore.admin.patch(`/v1/pets/${id}`, { status: 'sold' });
    await petstore.admin.patch(`/v1/pets/${id}`, { status: 'available' });
  }
  await eventually(
    () => petstore.admin.get('/v1/webhooks/1/deliveries'),
    ({ text }) => idsIn(text).length >= 3,
  );
}, 60_000);
afterAll(() => petstore[Symbol.asyncDispose]());

/** Filters whose pages are made in another way, or whose values a link may change. */
const FILTERS = [
  ...['name=e', 'name=%25%26', 'q=e', 'total=true', 'status=available', 'status=available,sold'],
  ...['species=dog,cat', 'categoryId=1', 'goodWith=dogs', 'removed=true', 'present=any', 'pet=1'],
  ...['type=pet.created', 'wait=0', 'published=true', 'ids=1,2,3', 'id=1,2,3'],
];

/** The address of a list, of the records that the sample of it has. */
async function addressOf(id: string): Promise<string> {
  const operation = operations.find((each) => each.id === id);
  if (operation === undefined) throw new Error(`${id} is no operation`);
  if (operation.path.startsWith('/pets/{petId}/')) {
    return `/v1${operation.path.replace('{petId}', '1')}`;
  }
  if (id === 'listDeliveries') return '/v1/webhooks/1/deliveries';
  return (await sampleOf(operation, petstore.admin)).target;
}

const sortsIn = (shape = {}): string[] => Object(shape).sort?.unwrap?.().options ?? [];

/** What a list may be asked for: each value of its sort, and each of the times. */
function* queriesOf(id: string): Generator<string> {
  const { shape = {} } = operations.find((each) => each.id === id)?.queryParameters ?? {};
  yield 'limit=1';
  for (const filter of FILTERS)
    if ((filter.split('=')[0] as string) in shape) yield `limit=1&${filter}`;
  for (const value of sortsIn(shape)) yield `limit=1&sort=${value}`;
  for (const name of ['from', 'to'].filter((each) => each in shape)) {
    for (const time of TIMES) yield `limit=1&${name}=${encodeURIComponent(time)}`;
  }
}

test.each(['/adopt/animals.json?limit=1', '/adopt/animals.json?limit=2&sort=name&q=no'])(
  'the links of %s lead to the end',
  async (target) => {
    const pages = await walked(target);
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
    expect(pages.length).toBeGreaterThan(1);
  },
);

/** The responses from a target to the end of the links; of events, to the first empty one. */
async function walked(target: string, most = 500) {
  const pages: { readonly target: string; readonly status: number; readonly text: string }[] = [];
  let next: string | undefined = target;
  while (next !== undefined && pages.length < most) {
    const response = await petstore.admin.get(next);
    pages.push({ target: next, status: response.status, text: response.text });
    const links = linksOf(response);
    next =
      response.text === '[]'
        ? undefined
        : links.has('next')
          ? targetOf(links.get('next'))
          : undefined;
  }
  return pages;
}

describe.each(lists.map(({ id }) => [id]))('%s', (id) => {
  test('is whole by following its links, in every order and between any times', async () => {
    const address = await addressOf(id);
    for (const query of queriesOf(id)) {
      const pages = await walked(`${address}?${query}`);
      // Lists have different words for a filter of the same name.
      if (pages[0]?.status === 400 && FILTERS.some((filter) => query.endsWith(filter))) continue;
      expect([query, ...new Set(pages.map(({ status }) => status))]).toEqual([query, 200]);
      const all = await petstore.admin.get(`${address}?${query.replace('limit=1', 'limit=100')}`);
      const items = pages.map(({ text }) => text.slice(1, -1)).filter(Boolean);
      // Dates of use may pass between two requests; what is listed and its order may not.
      // Nothing is sent to a place that takes files here.
      if (query === 'limit=1' && id !== 'listSendings') expect(items.length).toBeGreaterThan(2);
      if (items.length <= 100) expect(idsIn(items.join())).toEqual(idsIn(all.text));
    }
  }, 60_000);

  test('takes no cursor but its own', async () => {
    const address = await addressOf(id);
    const next = linksOf(await petstore.admin.get(`${address}?limit=1`)).get('next');
    const cursor = new URL(next ?? 'x:').searchParams.get('cursor');
    if (cursor === null) return;
    const strange = [
      ...[1, 11, cursor.length - 1].map((end) => cursor.slice(0, end)),
      ...[`${cursor}A`, `A${cursor}`, cursor.toLowerCase(), 'x'.repeat(4_096), 'A'.repeat(22)],
      encodeCursor(1n, '/others?'),
      sealCursor('1 1 1', '/others?'),
    ];
    for (const each of strange) {
      const { status } = await petstore.admin.get(`${address}?limit=1&cursor=${each}`);
      expect([each, status]).toEqual([each, 400]);
    }
    // A default is the same whether it is sent or not, and every other order has its own cursors.
    const sorts = sortsIn(lists.find((each) => each.id === id)?.queryParameters?.shape);
    const found = await Promise.all(
      sorts.map((sort) => petstore.admin.get(`${address}?limit=1&cursor=${cursor}&sort=${sort}`)),
    );
    const { text } = await petstore.admin.get(`${address}?limit=1&cursor=${cursor}`);
    const right = found.filter(({ status }) => status === 200).map((each) => each.text);
    expect(right).toEqual(sorts.slice(0, 1).map(() => text));
    for (const forged of forgeries(cursor, address)) {
      const { status } = await petstore.admin.get(`${address}?limit=1&cursor=${forged}`);
      expect([forged, status === 200 || status === 400]).toEqual([forged, true]);
    }
  });
});

test('there is a cursor of each kind to forge', async () => {
  expect(lists.length).toBeGreaterThan(12);
  expect([...forgeries(encodeCursor(1n, '/pets?'), '/v1/pets')].length).toBeGreaterThan(5);
  expect([...forgeries(sealCursor('1 2 x', '/animals?'), '/v1/animals')].length).toBeGreaterThan(
    20,
  );
});

function idsIn(text: string): string[] {
  return [...text.matchAll(/\{"(?:pet":\{")?id":(\d+)/g)].map(([, found = '']) => found);
}

const NUMBERS = ['-9223372036854775808', '-1', '0', '9223372036854775807', '9223372036854775808'];
const WORDS = ['', ' ', '\0', 'a\0b', 'null', '{}', '[]', '"', '\ud800', '1e400', '9'.repeat(400)];

/** Cursors of the list with a right checksum, which is no secret, that the list never made. */
function* forgeries(cursor: string, address: string): Generator<string> {
  const name = listName(address.replace('/v1', ''), {});
  const own = attempt(() => decodeCursor(cursor, name));
  if (own !== undefined) {
    for (const n of NUMBERS.slice(0, -1)) yield encodeCursor(BigInt(n), name);
    for (const n of [own - 1n, own + 1n, 2n ** 63n - 2_000n]) yield encodeCursor(n, name);
    return;
  }
  const text = openCursor(cursor, name);
  for (const word of [...WORDS, ...NUMBERS]) {
    yield sealCursor(word, name);
    yield sealCursor(text + word, name);
    for (const { index, 0: part } of text.matchAll(/[^ ,"[\]{}:]+/g)) {
      yield sealCursor(text.slice(0, index) + word + text.slice(index + part.length), name);
    }
  }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
