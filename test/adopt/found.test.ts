import { beforeAll, describe, expect, test } from 'bun:test';
import { forAllTests } from '../support/lifetime.ts';
import { picture } from '../support/pictures.ts';
import { startPetstore } from '../support/start.ts';
import { addListed } from './shelter.ts';

const JSON_LD = /<script type="application\/ld\+json">(.*?)<\/script>/s;

/** Whether a text is XML that another program reads. */
const isWellFormed = async (text: string) => {
  const child = Bun.spawn(
    ['python3', '-c', 'import sys, xml.dom.minidom as d; d.parse(sys.stdin.buffer)'],
    {
      stdin: new Blob([text]),
      stderr: 'ignore',
    },
  );
  return (await child.exited) === 0;
};

describe('how animals are found', () => {
  let rex: bigint;
  let mia: bigint;
  let ivan: bigint;

  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(petstore.url + path, { headers, redirect: 'manual' });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const names = async (query: string) =>
    JSON.parse((await get(`/adopt/animals.json?${query}`)).text).map(
      ({ pet }: { pet: { name: string } }) => pet.name,
    );

  const petstore = forAllTests(() =>
    startPetstore({ settings: { PETSTORE_CONTENT_LANGUAGE: 'de' } }),
  );
  beforeAll(async () => {
    const year = new Date(petstore.clock.now()).getUTCFullYear();
    const told = { description: 'Ein Freund der Katze.', headline: 'Ruhig' };
    rex = await addListed(
      petstore,
      'Rex',
      { ...told, breed: 'Boxer', goodWithChildren: 'over_12', birthDate: `${year - 4}-01-01` },
      1,
    );
    mia = await addListed(petstore, 'Mia', {
      species: 'cat',
      ageGroup: 'baby',
      goodWithChildren: 'yes',
      sex: 'female',
    });
    ivan = await addListed(petstore, 'Иван', {
      species: 'cat',
      ageGroup: 'senior',
      goodWithChildren: 'over_5',
    });
    await petstore.admin.patch('/v1/shop', {
      ...{ name: 'Shelter', address: 'Mill Lane 1\nEX2 8AA Exeter', hours: 'Mon 2–5\nTue 2–5' },
      imprintUrl: 'https://shelter.example/imprint',
      links: [{ label: 'Hilf uns', url: 'https://shelter.example/help' }],
    });
  });

  test.each([
    ['q=cat&sort=name', ['Mia', 'Иван']],
    ['q=Kätzchen', ['Mia']],
    ['q=kitten', ['Mia']],
    ['q=gatita', ['Mia']],
    ['q=hund', ['Rex']],
    ['q=senior+gato', ['Иван']],
    ['q=puppy', []],
    ['breed=box', ['Rex']],
    ['breed=poodle', []],
    ['children=12&sort=name', ['Mia', 'Rex', 'Иван']],
    ['children=5&sort=name', ['Mia', 'Иван']],
    ['children=under_5', ['Mia']],
    ['children=any&species=dog', ['Rex']],
    ['goodWith=children', ['Mia']],
  ])('%s finds %j', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  test('what an animal is comes before what is written of it', async () => {
    // Rex has the word in his description, the cats are cats.
    const found = await names('q=katze');
    expect(found.toSorted()).toEqual(['Mia', 'Rex', 'Иван']);
    expect(found.at(-1)).toBe('Rex');
  });

  test('a card says from which age of children on an animal fits', async () => {
    const { text } = await get('/adopt?species=dog');
    expect(text).toContain('children from 12');
    expect(text).toContain('12 years or older (1)');
    expect(text).toContain('under 5 years (0)');
  });

  test('titles say name, breed, age and town, and only plain lists are indexed', async () => {
    const page = (await get(`/adopt/${rex}/rex`)).text;
    expect(page).toMatch(/<title>Rex, Boxer, \d years, Exeter · Shelter<\/title>/);
    expect((await get('/adopt?species=cat')).text).toContain(
      '<title>Cats looking for a home in Exeter · Shelter</title>',
    );
    const isIndexed = async (path: string) => !(await get(path)).text.includes('content="noindex');
    expect(await Promise.all(['/adopt', '/adopt?species=cat'].map(isIndexed))).toEqual([
      true,
      true,
    ]);
    for (const query of [
      'sex=female',
      'species=cat,dog',
      'sort=name',
      'q=rex',
      'status=available',
    ]) {
      expect([query, await isIndexed(`/adopt?${query}`)]).toEqual([query, false]);
    }
    expect((await get(`/adopt/${rex}/rex?lang=en`)).text).toContain(
      `<link rel="canonical" href="${petstore.url}/adopt/${rex}/rex">`,
    );
  });

  test('addresses are in Latin letters, and a slash too many leads to the page', async () => {
    expect((await get(`/adopt/${ivan}/ivan`)).status).toBe(200);
    const moved = await get(`/adopt/${mia}/mia/?lang=de`);
    expect([moved.status, moved.headers.get('location')]).toEqual([
      301,
      `/adopt/${mia}/mia?lang=de`,
    ]);
  });

  test('text of staff carries its language where the page has another one', async () => {
    const english = (await get(`/adopt/${rex}/rex`)).text;
    expect(english).toContain('<p class="headline" lang="de">Ruhig</p>');
    expect(english).toContain('<a href="https://shelter.example/help" lang="de">Hilf uns</a>');
    expect((await get(`/adopt/${rex}/rex?lang=de`)).text).not.toContain('headline" lang=');
    await petstore.admin.patch('/v1/shop', { language: 'en' });
    expect((await get(`/adopt/${rex}/rex`)).text).not.toContain('headline" lang=');
    await petstore.admin.patch('/v1/shop', { language: null });
  });

  test('search engines read place, hours and picture, and always have one to show', async () => {
    const { text } = await get(`/adopt/${mia}/mia`);
    const [shop] = JSON.parse(JSON_LD.exec(text)?.[1] ?? '')['@graph'];
    expect(shop.address).toEqual({
      ...{ '@type': 'PostalAddress', streetAddress: 'Mill Lane 1' },
      ...{ postalCode: 'EX2 8AA', addressLocality: 'Exeter' },
    });
    expect(shop.openingHours).toEqual(['Mon 2–5', 'Tue 2–5']);
    expect(text).toContain(`property="og:image" content="${petstore.url}/adopt/icon-512.png"`);
    const body = await picture(640, 320, 'png', 3);
    await petstore.admin.send('PUT', '/v1/shop/logo', {
      headers: { 'content-type': 'image/png' },
      body,
    });
    const withLogo = (await get(`/adopt/${mia}/mia`)).text;
    const image = /property="og:image" content="([^"]*)"/.exec(withLogo)?.[1] ?? '';
    expect((await fetch(image)).headers.get('content-type')).toBe('image/jpeg');
    expect(withLogo).toContain('<img class="logo"');
    for (const path of ['/favicon.ico', '/apple-touch-icon.png', '/adopt/icon-512.png']) {
      const icon = await fetch(petstore.url + path);
      expect([path, icon.status, icon.headers.get('content-type')?.split('/')[0]]).toEqual([
        path,
        200,
        'image',
      ]);
    }
  });

  test('the sitemap says when a page changed, and its pictures and languages', async () => {
    const { text } = await get('/adopt/sitemap.xml');
    expect(await isWellFormed(text)).toBe(true);
    expect(text.match(/<lastmod>/g)).toHaveLength(3);
    expect(text.match(/<image:loc>/g)).toHaveLength(1);
    expect(text).toContain(`hreflang="es" href="${petstore.url}/adopt/${rex}/rex?lang=es"`);
  });

  test('the feed goes by when the public could see an animal, and its entries keep their ids', async () => {
    const ids = async () => {
      const { text } = await get('/adopt/feed.xml');
      expect(await isWellFormed(text)).toBe(true);
      return [...text.matchAll(/<entry><id>([^<]*)<\/id>/g)].map(([, id]) => id);
    };
    const before = await ids();
    expect(before[0]).toMatch(new RegExp(`^tag:127\\.0\\.0\\.1,[-\\d]{10}:adopt/${ivan}$`));
    petstore.clock.advance(60_000);
    await petstore.writer.patch(`/v1/pets/${rex}`, { status: 'sold' });
    await petstore.writer.patch(`/v1/pets/${rex}`, { status: 'available' });
    await petstore.writer.patch(`/v1/pets/${rex}/profile`, { published: true });
    const after = await ids();
    expect(after[0]).toEndWith(`adopt/${rex}`);
    expect(after.toSorted()).toEqual(before.toSorted());
    petstore.clock.advance(60_000);
    // Reserved, it stays where it is, and says so.
    await petstore.writer.patch(`/v1/pets/${rex}`, { status: 'pending' });
    const { text } = await get('/adopt/feed.xml?lang=de');
    expect(text).toContain('<title>Rex (Reserviert)</title>');
    const [published, updated] = [...text.matchAll(/<(?:published|updated)>([^<]*)</g)].slice(1, 3);
    expect(Date.parse(updated?.[1] ?? '')).toBeGreaterThan(Date.parse(published?.[1] ?? ''));
    expect((await ids())[0]).toEndWith(`adopt/${rex}`);
    await petstore.writer.patch(`/v1/pets/${rex}`, { status: 'available' });
  });

  test('others who are waiting are free, differ from page to page, and are alike', async () => {
    const cats: bigint[] = [];
    for (let n = 0; n < 24; n++) {
      const size = n % 2 === 0 ? 'small' : 'large';
      cats.push(await addListed(petstore, `Cat ${n}`, { species: 'cat', ageGroup: 'adult', size }));
    }
    for (const id of cats.slice(20))
      await petstore.writer.patch(`/v1/pets/${id}`, { status: 'pending' });
    const shown = new Set<number>();
    for (const [n, id] of cats.entries()) {
      const { text } = await get(`/adopt/${id}/cat-${n}`);
      const others = text.slice(text.indexOf('class="others"'));
      expect(others).not.toContain('Reserved');
      const found = [...others.matchAll(/>Cat (\d+)<\/a>/g)].map(([, number]) => Number(number));
      expect(found).not.toContain(n);
      // Of the same size, as there are enough.
      for (const other of found.slice(0, 3)) expect(other % 2).toBe(n % 2);
      for (const other of found) shown.add(other);
    }
    // With one turn for all pages, the same five of each size would be on them.
    expect(shown.size).toBeGreaterThan(12);
  });
});

test('the pages show themselves in frames of named sites alone, and can be the home page', async () => {
  await using closed = await startPetstore();
  const plain = await fetch(`${closed.url}/adopt`);
  expect(plain.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect((await fetch(closed.url, { redirect: 'manual' })).status).toBe(200);
  await using open = await startPetstore({
    settings: {
      PETSTORE_FRAME_ANCESTORS: 'https://a.example,https://b.example',
      PETSTORE_HOME: 'adopt',
    },
  });
  for (const path of ['/adopt', '/adopt/nowhere']) {
    const framed = await fetch(open.url + path);
    expect(framed.headers.get('content-security-policy')).toContain(
      "frame-ancestors 'self' https://a.example https://b.example",
    );
    expect(framed.headers.get('x-frame-options')).toBeNull();
    expect(await framed.text()).toContain('/frame.js"');
  }
  const home = await fetch(open.url, { redirect: 'manual' });
  expect([home.status, home.headers.get('location')]).toEqual([302, '/adopt']);
});
