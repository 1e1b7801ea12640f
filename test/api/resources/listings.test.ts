import { beforeAll, describe, expect, test } from 'bun:test';
import { sealCursor } from '../../../src/api/contract/list-page.ts';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { idOf, linksOf, targetOf } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const SECRET = 'NEVERSHOWN';

describe('/v1/listings (listListings, countListings, getListing)', () => {
  const ids: bigint[] = [];

  async function add(name: string, profile: object, status = 'available'): Promise<bigint> {
    const { writer } = petstore;
    const id = idOf(await writer.post('/v1/pets', { name, categoryId: 1, status }));
    const known = { published: true, location: SECRET, medicalNotes: SECRET, ...profile };
    expect((await writer.patch(`/v1/pets/${id}/profile`, known)).status).toBe(200);
    return id;
  }
  const get = async (path: string) => {
    const response = await petstore.reader.get(`/v1/listings${path}`);
    expect(response.status).toBe(200);
    expect(response.text).not.toContain(SECRET);
    return { response, json: JSON.parse(response.text) };
  };
  const names = async (path: string): Promise<string[]> =>
    (await get(path)).json.map(({ pet }: { pet: { name: string } }) => pet.name);
  const reasons = async (id: bigint) =>
    JSON.parse((await petstore.writer.get(`/v1/pets/${id}/listing`)).text);

  const petstore = forAllTests(() => startPetstore());
  beforeAll(async () => {
    const age = (days: number) =>
      new Date(petstore.clock.now() - days * DAY_MS).toISOString().slice(0, 10);
    ids.push(
      await add('Zoë', { species: 'cat', birthDate: age(100), goodWithDogs: 'yes' }),
      await add('Rex', {
        species: 'dog',
        birthDate: age(900),
        headline: 'Calm',
        inCareSince: age(9),
      }),
      await add('Bella', { species: 'dog', ageGroup: 'senior', goodWithChildren: 'no' }, 'pending'),
      await add('Max', { species: 'dog' }, 'sold'),
      await add('Nobody', {}),
      await add('Ill', { species: 'cat', care: 'medical' }),
      await add('Secret', { species: 'cat', published: false }),
    );
  });

  test('have what the public sees, in the order that is asked for', async () => {
    expect(await names('?sort=name')).toEqual(['Bella', 'Rex', 'Zoë']);
    expect(await names('?sort=newest')).toEqual(['Bella', 'Rex', 'Zoë']);
    // The reserved one comes last.
    expect((await names('')).at(-1)).toBe('Bella');
    expect((await names('?sort=waiting'))[0]).toBe('Rex');
    expect((await names('')).toSorted()).toEqual(['Bella', 'Rex', 'Zoë']);
  });

  test.each([
    ['species=dog', ['Bella', 'Rex']],
    ['species=dog,cat&status=available', ['Rex', 'Zoë']],
    ['ageGroup=baby&ageGroup=senior', ['Bella', 'Zoë']],
    ['goodWith=dogs', ['Zoë']],
    ['goodWith=dogs,children', []],
    ['q=zoe', ['Zoë']],
    ['q=CAL%20re', ['Rex']],
    ['categoryId=2', []],
  ])('with %s', async (query, expected) => {
    expect(await names(`?${query}&sort=name`)).toEqual(expected);
  });

  test.each(['fair', 'newest', 'waiting', 'name'])(
    'pages by %s neither skip nor repeat, also past midnight',
    async (sort) => {
      let { response } = await get(`?sort=${sort}&limit=1`);
      const found = [JSON.parse(response.text)[0].pet.name];
      for (let next = linksOf(response).get('next'); next; next = linksOf(response).get('next')) {
        petstore.clock.advance(DAY_MS);
        response = await petstore.reader.get(targetOf(next));
        found.push(JSON.parse(response.text)[0].pet.name);
      }
      expect(found.toSorted()).toEqual(['Bella', 'Rex', 'Zoë']);
    },
  );

  test('a cursor of another filter is refused', async () => {
    const { response } = await get('?species=dog&limit=1');
    const cursor = new URL(linksOf(response).get('next') ?? '').searchParams.get('cursor');
    const other = await petstore.reader.get(`/v1/listings?species=cat&limit=1&cursor=${cursor}`);
    expectError(other, 'invalid_cursor');
  });

  test.each([
    ['fair', '20000 5 x'],
    ['fair', '20000 5 1.5'],
    ['fair', '20000 5 99999999999999999999'],
    ['fair', 'x 5 7'],
    ['newest', '20000 x '],
    ['name', '20000 5 \0'],
  ])('a cursor by %s that somebody made of %p is refused', async (sort, text) => {
    const cursor = sealCursor(text, `/listings?sort=${sort}`);
    const response = await petstore.reader.get(`/v1/listings?sort=${sort}&cursor=${cursor}`);
    expectError(response, 'invalid_cursor');
  });

  test('facets count with the filters of the others', async () => {
    const { json } = await get('/facets?species=cat&status=available');
    expect(json.species).toEqual({ cat: 1, dog: 1 });
    expect(json.status).toEqual({ available: 1 });
    expect(json.goodWith).toEqual({ dogs: 1 });
  });

  test('every reason why an animal is not listed', async () => {
    const [, rex, , max, nobody, ill, secret] = await Promise.all(ids.map(reasons));
    const url = `${petstore.url}/adopt/${ids[1]}/rex`;
    expect(rex).toEqual({ listed: true, reasons: ['no_photo'], url });
    expect(max).toEqual({ listed: false, reasons: ['sold', 'no_photo'], url: null });
    expect(nobody).toEqual({ listed: false, reasons: ['no_species', 'no_photo'], url: null });
    expect(ill).toEqual({ listed: false, reasons: ['care', 'no_photo'], url: null });
    expect(secret).toEqual({ listed: false, reasons: ['not_published', 'no_photo'], url: null });
    expectError(await petstore.reader.get(`/v1/pets/${ids[0]}/listing`), 'insufficient_scope');
  });

  test('an adoption unlists its animal at once, and its end lists it again', async () => {
    const { writer } = petstore;
    const order = idOf(await writer.post('/v1/store/orders', { petId: Number(ids[1]) }));
    expect(await names('?status=pending&sort=name')).toEqual(['Bella', 'Rex']);
    for (const status of ['approved', 'completed']) {
      await writer.patch(`/v1/store/orders/${order}`, { status });
    }
    expect(await names('?species=dog')).toEqual(['Bella']);
    await writer.patch(`/v1/pets/${ids[1]}`, { status: 'available', name: 'King' });
    expect(await names('?species=dog&q=king')).toEqual(['King']);
    expect(await names('?q=rex')).toEqual([]);
  });
});
