import { beforeAll, expect } from 'bun:test';
import { BROWSER_TEST_MS, openPage, untilTrue } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { openConsole } from '../support/console.ts';
import { addEnquiry } from '../support/enquiries.ts';
import { addPerson } from '../support/people.ts';
import { wrongAtWidths } from './page-measure.ts';

/** Sixty letters, as the longest German compounds and names without a space have. */
const LONG = 'Donaudampfschifffahrtsgesellschaftskapitänswitwenpensionskass';
const ROWS = ['Id,Name,Kind,Sex', '1,Bella,Dog,f', '2,Max,Dog,unclear', ...['3,,Cat,m', '4,,,']];

const settings = { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8' };

describeInBrowser('every width', { settings }, (group) => {
  beforeAll(async () => {
    const { petstore } = group;
    const { writer, admin, storage } = petstore;
    const made = async (path: string, body: object) => {
      const { status, text } = await admin.post(path, body);
      if (status !== 201) throw new Error(`${path}: ${text}`);
      return JSON.parse(text);
    };
    await made('/v1/categories', { name: LONG });
    await made('/v1/categories', { name: 'Guinea pigs and rabbits' });
    for (const name of [LONG, 'Bella', 'Max and Moritz', 'Unnamed Cat A716089', 'Äpfelchen'])
      await made('/v1/pets', { name, categoryId: name.length > 9 ? 1 : 2 });
    for (const id of [1, 2, 3, 4]) {
      const { status, text } = await writer.patch(`/v1/pets/${id}/profile`, {
        ...{
          species: 'dog',
          breed: 'Deutsch Drahthaar',
          mixed: true,
          sex: 'female',
          published: true,
        },
        ...{ headline: 'Never met a ball that she did not like', inCareSince: '2024-02-03' },
        ...{ fee: { amount: 125_000, currency: 'EUR' }, location: 'Kennel 12, house by the river' },
        ...{ microchip: '276098101234567', care: 'foster', weightGrams: 23_500 },
      });
      if (status !== 200) throw new Error(text);
    }
    for (const [petId, adopter] of [
      [1, LONG],
      [2, 'Robin Álvarez de la Fuente'],
    ] as const)
      await made('/v1/store/orders', {
        petId,
        adopter,
        contact: `${LONG}@example.org`,
        note: LONG,
      });
    const answers = [
      { id: 'alone', label: 'How long will the animal be alone on a day?', answer: 'Four hours' },
    ];
    await addEnquiry(storage, { petId: 3n, name: LONG, message: `${LONG} ${LONG}`, answers });
    await addEnquiry(storage, { petId: 4n, name: 'Kim', telephone: '+49 30 1234567' });
    const { id: ownerId } = await addPerson(petstore, {
      name: LONG,
      email: `${LONG.toLowerCase().replace('ä', 'a')}@example.org`,
    });
    await writer.patch('/v1/enquiries/1', { ownerId, note: `Called back: ${LONG}` });
    await addPerson(petstore, { name: 'Maria Magdalena Huber', role: 'manager' });
    await made('/v1/keys', { name: 'Our web site', plan: 'pro' });
    await made('/v1/webhooks', { url: `http://127.0.0.1:9/${LONG.replace('ä', 'a')}` });
    await writer.send('POST', '/v1/imports?name=Name&category=Kind&sex=Sex', {
      headers: { 'content-type': 'text/csv' },
      body: ROWS.join('\n'),
    });
    await admin.patch('/v1/shop', {
      ...{
        name: LONG,
        email: `${LONG.replace('ä', 'a').toLowerCase()}@example.org`,
        telephone: '+49 30 1234567',
      },
    });
  }, BROWSER_TEST_MS);

  for (const path of [
    ...[
      '',
      '/animals',
      '/animals?status=available',
      '/animals/1',
      '/adoptions',
      '/adoptions?view=list',
    ],
    ...[
      '/enquiries',
      '/categories',
      '/import',
      '/shop',
      '/year',
      '/activity',
      '/keys',
      '/people',
      '/channels',
      '/webhooks',
      '/account',
    ],
  ]) {
    browserTest(`the console shows ${path || 'its overview'}`, async () => {
      await using opened = await openConsole(group.browser, group.petstore, {
        path: `/console${path}`,
      });
      await opened.page.getByRole('heading', { level: 1 }).waitFor();
      await untilTrue(opened.page, "!document.querySelector('.loading')");
      expect(await wrongAtWidths(opened.page)).toEqual([]);
    });
  }

  // German words are longer, and so are those on buttons.
  for (const path of [
    '/animals?open=add',
    '/animals/2',
    '/animals/3',
    '/adoptions?order=1',
    ...['/enquiries', '/enquiries?owner=me', '/people', '/shop', '/year', '/channels'],
  ]) {
    browserTest(`the console shows ${path} in German`, async () => {
      await using opened = await openConsole(group.browser, group.petstore, {
        ...{ path: `/console${path}`, locale: 'de-DE' },
      });
      await opened.page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
      await untilTrue(opened.page, "!document.querySelector('.loading')");
      expect(await wrongAtWidths(opened.page)).toEqual([]);
    });
  }

  for (const path of [
    '/adopt',
    '/adopt?species=dog&sort=name',
    '/adopt/1',
    '/adopt/1/card',
    '/adopt/9999',
    '/',
  ]) {
    browserTest(`the public sees ${path}`, async () => {
      await using opened = await openPage(group.browser, group.petstore.url);
      await opened.page.goto(group.petstore.url + path);
      expect(await wrongAtWidths(opened.page)).toEqual([]);
    });
  }
});
