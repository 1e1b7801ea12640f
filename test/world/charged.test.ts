import { beforeAll, describe, expect, test } from 'bun:test';
import { createFacets } from '../../src/api/cache/shared-facets.ts';
import { addPhoto, fetchFile } from '../photos/adding.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { addListed } from '../support/enquiries.ts';
import { forAllTests } from '../support/lifetime.ts';
import { picture } from '../support/pictures.ts';
import { sampleOf, scrape } from '../support/scrape.ts';
import { startPetstore } from '../support/start.ts';

/* What strangers have made for them is shared, or charged to them. */

const AT = Date.UTC(2027, 5, 1);
const petstore = forAllTests(() => startPetstore());
beforeAll(async () => {
  for (const name of ['Rex', 'Zoë', 'Tim']) await addListed(petstore.storage, name);
});

const statusOf = async (path: string) => (await fetch(petstore.url + path)).status;

describe('a page', () => {
  async function hits(paths: readonly string[]): Promise<number> {
    const series = 'petstore_response_cache_lookups_total{result="hit"}';
    const before = sampleOf(await scrape(petstore.metricsUrl), series);
    for (const path of paths) expect(await statusOf(path)).toBe(200);
    return sampleOf(await scrape(petstore.metricsUrl), series) - before;
  }
  const twenty = (path: (n: number) => string) => Array.from({ length: 20 }, (_, n) => path(n));

  test.each([
    ['without a query', (n: number) => `/adopt?x=${n}`],
    ['with empty fields of the form', (n: number) => `/adopt?species=dog&q=&sort=fair&_=${n}`],
    ['with repeated values', (n: number) => `/adopt?species=cat,bird,cat&utm_id=${n}`],
    ['for programs', (n: number) => `/adopt/animals.json?limit=2&x=${n}`],
    ['of a feed', (n: number) => `/adopt/feed.xml?x=${n}`],
    ['of an animal', (n: number) => `/adopt/1/rex?x=${n}`],
    ['in a language', (n: number) => `/adopt?lang=de&x=${n}`],
  ])('%s is written once for every address that means it', async (_, path) => {
    // The second request for what an address means stores it.
    expect(await hits(twenty(path))).toBe(18);
  });

  test('is another one for another filter, order, page or language', async () => {
    const bodies = new Set<string>();
    const paths = ['/adopt', '/adopt?species=dog', '/adopt?species=cat', '/adopt?lang=de'];
    for (const path of [...paths, '/adopt?sort=name', '/adopt?q=rex', '/adopt?q=tim']) {
      for (let n = 0; n < 3; n++) bodies.add(await (await fetch(petstore.url + path)).text());
    }
    expect(bodies.size).toBe(7);
  });
});

test('facets are counted once for all filters, until anything changes in any process', async () => {
  const { listings, trackChanges } = petstore.storage;
  let counted = 0;
  const groups: typeof listings.groups = (...asked) => {
    counted++;
    return listings.groups(...asked);
  };
  const countFacets = createFacets({
    listings: { ...listings, groups },
    trackChanges: (changed) => trackChanges(changed),
  });
  for (const species of ['dog', 'cat', 'bird'] as const) {
    const facets = await countFacets({ species: [species] }, AT);
    expect(facets.species).toEqual({ dog: 3 });
    expect(facets.sex).toEqual({});
  }
  expect(counted).toBe(1);
  await petstore.admin.patch('/v1/pets/1/profile', { sex: 'male' });
  expect((await countFacets({}, AT)).sex).toEqual({ male: 1 });
  await petstore.storage.profiles.update(2n, { sex: 'male' }, CHANGE_STAMP, () => {});
  expect((await countFacets({}, AT)).sex).toEqual({ male: 2 });
  expect((await countFacets({ words: [{ text: 'rex' }] }, AT)).sex).toEqual({ male: 1 });
  expect(counted).toBe(4);
});

test('files are charged as a tenth of a page, apart from pages', async () => {
  const { urls } = await addPhoto(petstore.writer, 1n, await picture(60, 40, 'jpeg', 1));
  const page = await (await fetch(`${petstore.url}/adopt`)).text();
  const [styles = ''] = /\/adopt\/assets\/[^"]*\.css/.exec(page) ?? [];
  const colours = ['112233', '445566'].map((hex) => styles.replace(/[0-9a-f]{6}(?=\.css)/, hex));
  petstore.clock.advance(60_000);
  const ask = async (n: number) => {
    const path = n % 2 === 0 ? new URL(urls.small).pathname : (colours[(n % 4) >> 1] ?? '');
    return await statusOf(path);
  };
  const statuses: number[] = [];
  for (let n = 0; n < 3_000; n += 100) {
    statuses.push(...(await Promise.all(Array.from({ length: 100 }, (_, m) => ask(n + m)))));
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect([await ask(0), await ask(1), await statusOf('/adopt')]).toEqual([429, 429, 200]);
  expect((await fetchFile(petstore, urls.small)).headers.get('retry-after')).not.toBeNull();
  petstore.clock.advance(60_000);
  expect(await ask(0)).toBe(200);
}, 60_000);
