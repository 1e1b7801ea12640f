import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Petstore } from '../../packages/client/src/index.ts';
import { type InstalledClient, installClient } from '../client/package.ts';
import { type GuideShop, startGuideShop } from '../docs/guide-shop.ts';
import {
  accessibilityViolations,
  BROWSER_TEST_MS,
  openPage,
  sharedBrowser,
} from '../support/browser.ts';
import { picture } from '../support/pictures.ts';

const EXAMPLE = join(import.meta.dir, '../../packages/client/example');

let client: InstalledClient;
let shop: GuideShop;
let server: Bun.Subprocess<'ignore', 'pipe', 'inherit'>;
let url: string;
let store: Petstore;
let browser: Browser;

/** The example stands in a folder of its own, with the client as npm installs it. */
beforeAll(async () => {
  browser = await sharedBrowser();
  client = await installClient();
  shop = await startGuideShop();
  store = new Petstore({ baseUrl: `${shop.url}/v1`, apiKey: shop.key });
  const adopting = await store.keys.create({ name: 'Page', plan: 'business', scopes: ['adopt'] });
  cpSync(EXAMPLE, client.path, { recursive: true });
  server = Bun.spawn(['node', 'server.mjs'], {
    cwd: client.path,
    env: {
      PATH: process.env['PATH'] ?? '',
      PETSTORE_API_KEY: adopting.key,
      PETSTORE_URL: `${shop.url}/v1`,
      PORT: '0',
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const { value } = await server.stdout.getReader().read();
  [url = ''] = /http:\S+/.exec(new TextDecoder().decode(value)) ?? [];
}, 120_000);

afterAll(async () => {
  server.kill('SIGKILL');
  await server.exited;
  await shop[Symbol.asyncDispose]();
  client[Symbol.dispose]();
});

const browserTest = (
  name: string,
  run: (page: Page, complaints: readonly string[]) => Promise<void>,
) =>
  test(
    name,
    async () => {
      await using opened = await openPage(browser, url, { viewport: { width: 390, height: 850 } });
      await run(opened.page, opened.complaints);
    },
    BROWSER_TEST_MS,
  );

/** Photos come from the service, which serves them to everybody. */
const withoutPhotos = (complaints: readonly string[]) =>
  complaints.filter((it) => !it.startsWith(`foreign request: ${shop.url}/photos/`));

describe('the page of a shelter', () => {
  test('has a server that passes on reading of what the public sees, and adoptions', async () => {
    const statusOf = async (path: string, init?: RequestInit) =>
      (await fetch(url + path, init)).status;
    expect(await statusOf('/v1/listings?limit=1')).toBe(200);
    expect(await statusOf('/v1/listings/facets')).toBe(200);
    expect(await statusOf('/v1/listings', { method: 'POST', body: '{}' })).toBe(405);
    expect(await statusOf('/', { method: 'HEAD' })).toBe(200);
    for (const path of [
      '/v1/usage',
      '/v1/store/orders/1',
      '/v1/pets?limit=1',
      '/v1/pets/1',
      '/client/../server.mjs',
    ]) {
      expect(await statusOf(path)).toBe(404);
    }
    expect(await statusOf('/client/..%2f..%2fpackage.json')).toBe(404);
    expect(await statusOf('/v1/store/orders')).toBe(405);
    const post = (body: string, type: string) =>
      statusOf('/v1/store/orders', { method: 'POST', body, headers: { 'content-type': type } });
    expect(await post('{"petId":1}', 'text/plain')).toBe(415);
    expect(await post(JSON.stringify({ note: 'x'.repeat(20_000) }), 'application/json')).toBe(413);
    expect(await post('{"petId":"x"}', 'application/json')).toBe(400);
  });

  test('does not show the key to anybody', async () => {
    for (const path of ['/', '/v1/listings', '/v1/listings?limit=0', '/client/index.js']) {
      const response = await fetch(url + path);
      const seen = JSON.stringify([...response.headers]) + (await response.text());
      expect(seen).not.toContain('petstore_live_');
    }
  });

  browserTest('shows the animals, on a phone too', async (page, complaints) => {
    await page.goto(url);
    await page.getByText('24 animals, and more').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('48 animals, and more').waitFor();
    const names = await page.getByRole('listitem').allTextContents();
    expect(names).toHaveLength(48);
    expect(
      names.filter((name) => /, (?:baby|young|adult|senior)Adopt$/.test(name)).length,
    ).toBeGreaterThan(40);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityViolations(page)).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });

  browserTest('shows one kind of animals, with their photos', async (page, complaints) => {
    const [listing] = (await store.listings.list({ species: 'dog', status: 'available' })).items;
    const { id = 0, name = '' } = listing?.pet ?? {};
    await store.pets.addPhoto(id, await picture(640, 640), { alt: `${name} sleeps` });
    await page.goto(url);
    await page.getByRole('link', { name: /^Dog \(\d+\)$/ }).click();
    const photo = page.getByRole('img', { name: `${name} sleeps` });
    await photo.waitFor();
    const { width = 0, height = 0 } = (await photo.boundingBox()) ?? {};
    expect(width / height).toBeCloseTo(4 / 3, 1);
    await page.waitForFunction("document.querySelector('li img').naturalWidth > 0");
    expect(await page.getByRole('link', { name: /^Dog/ }).getAttribute('aria-current')).toBe(
      'true',
    );
    expect(await page.getByText(/Domestic Shorthair/).count()).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(withoutPhotos(complaints)).toEqual([]);
  });

  browserTest('finds animals by name', async (page, complaints) => {
    const [listing] = (await store.listings.list({ status: 'available', species: 'cat' })).items;
    const name = listing?.pet.name ?? '';
    await page.goto(`${url}/?species=cat`);
    await page.getByRole('searchbox').fill(name);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/q=/);
    await page.getByText(/^1 animal$|^\d+ animals$/).waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: name }).count()).toBeGreaterThan(0);
    expect(await page.getByRole('searchbox').inputValue()).toBe(name);
    await page.getByRole('link', { name: /^Cat/ }).click();
    await page.waitForURL(/species=cat/);
    await page.goto(`${url}/?q=nobody-has-this-name`);
    await page.getByText('No animal matches “nobody-has-this-name”.').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(withoutPhotos(complaints)).toEqual([]);
  });

  browserTest('says when there are no animals', async (page, complaints) => {
    await page.route('**/v1/listings?*', (route) => route.fulfill({ json: [] }));
    await page.goto(url);
    await page.getByText('No animal is looking for a home just now.').waitFor();
    expect(await page.getByRole('button').allTextContents()).toEqual(['Search']);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  browserTest('says why it shows nothing, and tries again', async (page) => {
    const error = { code: 'internal_error', message: 'Something broke.', status: 500 };
    await page.route('**/v1/listings?*', (route) => route.fulfill({ status: 500, json: error }));
    await page.goto(url);
    await page.getByText('The animals cannot be shown just now.').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.unroute('**/v1/listings?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('24 animals, and more').waitFor();
    expect(await page.getByRole('listitem').count()).toBe(24);
  });

  browserTest('keeps what it shows when the next page cannot be read', async (page) => {
    await page.goto(url);
    await page.getByText('24 animals, and more').waitFor();
    const error = { code: 'rate_limit_day', message: 'Used up.', status: 429 };
    const headers = { 'retry-after': '3600' };
    await page.route('**/v1/listings?*', (route) =>
      route.fulfill({ status: 429, headers, json: error }),
    );
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('Please try again in 3600 seconds.').waitFor();
    expect(await page.getByRole('listitem').count()).toBe(24);
    await page.unroute('**/v1/listings?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('48 animals, and more').waitFor();
  });
});

describe('the form to adopt', () => {
  const adopt = (page: Page) => page.getByRole('button', { name: /^Adopt/ });
  const title = (page: Page) => page.getByRole('dialog').getByRole('heading');
  const ordersOf = async (name: string) => {
    const found = [];
    for await (const order of store.orders.list()) {
      if (order.adopter === name) found.push(order);
    }
    return found;
  };

  /** Opens the form of the first animal, and writes who wants to adopt it. Returns the animal. */
  async function fillIn(page: Page, adopter: string): Promise<number> {
    await page.goto(url);
    const [listing] = (await store.listings.list({ status: 'available' })).items;
    await adopt(page).first().click();
    expect(await title(page).textContent()).toBe(`Adopt ${listing?.pet.name}`);
    await page.getByLabel('Your name').fill(adopter);
    await page.getByLabel('E-mail or telephone').fill('someone@example.com');
    return listing?.pet.id ?? 0;
  }
  const send = (page: Page) => page.getByRole('button', { name: 'Send request' }).click();
  const thanks = (page: Page) => page.getByRole('alert').getByText(/^Thank you!.*number \d+/);

  browserTest('places an adoption', async (page, complaints) => {
    const petId = await fillIn(page, 'Ada Hale');
    await page.getByLabel('What should we know?').fill('Two cats.\nA garden.');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityViolations(page)).toEqual([]);
    }
    await send(page);
    await thanks(page).waitFor();
    const note = 'Two cats.\nA garden.';
    const order = { petId, adopter: 'Ada Hale', contact: 'someone@example.com', note };
    expect(await ordersOf('Ada Hale')).toEqual([expect.objectContaining(order)]);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await adopt(page).first().isDisabled()).toBe(true);
    expect(withoutPhotos(complaints)).toEqual([]);
  });

  browserTest('says that somebody else was faster', async (page) => {
    const petId = await fillIn(page, 'Ben Late');
    await store.orders.place({ petId });
    await send(page);
    await page.getByText('Somebody else was faster:').waitFor();
    expect(await page.getByRole('button', { name: 'Send request' }).isVisible()).toBe(false);
    expect(await ordersOf('Ben Late')).toEqual([]);
  });

  browserTest('adopts once when responses are lost', async (page) => {
    await fillIn(page, 'Cleo Once');
    // The service places the order, and the page never learns of it.
    await page.route('**/v1/store/orders', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await send(page);
    await page.getByText('please try again in a moment').waitFor();
    await page.unroute('**/v1/store/orders');
    await send(page);
    await thanks(page).waitFor();
    expect(await ordersOf('Cleo Once')).toHaveLength(1);
  });

  browserTest('says how long to wait, and what is wrong', async (page) => {
    await fillIn(page, 'Dan Waits');
    const error = { code: 'rate_limit_day', message: 'Used up.', status: 429 };
    const headers = { 'retry-after': '3600' };
    await page.route('**/v1/store/orders', (route) =>
      route.fulfill({ status: 429, headers, json: error }),
    );
    await send(page);
    await page.getByText('Please try again in 3600 seconds.').waitFor();
    await page.unroute('**/v1/store/orders');
    await page.getByLabel('Your name').fill('Dan \u0007 Waits');
    await send(page);
    await page.getByText('Please check what you wrote.').waitFor();
    await page.getByLabel('Your name').fill('Dan Waits');
    await send(page);
    await thanks(page).waitFor();
    expect(await ordersOf('Dan Waits')).toHaveLength(1);
  });
});
