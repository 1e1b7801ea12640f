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

const EXAMPLE = join(import.meta.dir, '../../examples/shelter-page');

let client: InstalledClient;
let shop: GuideShop;
let server: Bun.Subprocess<'ignore', 'pipe', 'inherit'>;
let url: string;
let browser: Browser;

/** The example stands in a folder of its own, with the client as npm installs it. */
beforeAll(async () => {
  browser = await sharedBrowser();
  client = await installClient();
  shop = await startGuideShop();
  cpSync(EXAMPLE, client.path, { recursive: true });
  server = Bun.spawn(['node', 'server.js'], {
    cwd: client.path,
    env: {
      PATH: process.env['PATH'] ?? '',
      PETSTORE_API_KEY: shop.key,
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

describe('the page of a shelter', () => {
  test('has a server that passes on reading of what the public sees alone', async () => {
    const statusOf = async (path: string, init?: RequestInit) =>
      (await fetch(url + path, init)).status;
    expect(await statusOf('/v1/listings?limit=1')).toBe(200);
    expect(await statusOf('/v1/listings/facets')).toBe(200);
    expect(await statusOf('/v1/listings', { method: 'POST', body: '{}' })).toBe(405);
    expect(await statusOf('/', { method: 'HEAD' })).toBe(200);
    for (const path of [
      '/v1/usage',
      '/v1/store/orders',
      '/v1/pets?limit=1',
      '/v1/pets/1',
      '/client/../server.js',
    ]) {
      expect(await statusOf(path)).toBe(404);
    }
    expect(await statusOf('/client/..%2f..%2fpackage.json')).toBe(404);
  });

  test('does not show the key to anybody', async () => {
    for (const path of ['/', '/v1/listings', '/v1/listings?limit=0', '/client/index.js']) {
      const response = await fetch(url + path);
      const seen = JSON.stringify([...response.headers]) + (await response.text());
      expect(seen).not.toContain('petstore_live_');
    }
  });

  const browserTest = (
    name: string,
    run: (page: Page, complaints: readonly string[]) => Promise<void>,
  ) =>
    test(
      name,
      async () => {
        await using opened = await openPage(browser, url, {
          viewport: { width: 390, height: 850 },
        });
        await run(opened.page, opened.complaints);
      },
      BROWSER_TEST_MS,
    );

  browserTest('shows the animals, on a phone too', async (page, complaints) => {
    await page.goto(url);
    await page.getByText('24 animals, and more').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('48 animals, and more').waitFor();
    const names = await page.getByRole('listitem').allTextContents();
    expect(names).toHaveLength(48);
    expect(
      names.filter((name) => /, (?:baby|young|adult|senior)$/.test(name)).length,
    ).toBeGreaterThan(40);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityViolations(page)).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });

  browserTest('shows one kind of animals, with their photos', async (page, complaints) => {
    const store = new Petstore({ baseUrl: `${shop.url}/v1`, apiKey: shop.key });
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
    // Photos come from the service, which serves them to everybody.
    const photos = `foreign request: ${shop.url}/photos/`;
    expect(complaints.filter((complaint) => !complaint.startsWith(photos))).toEqual([]);
  });

  browserTest('says when there are no animals', async (page, complaints) => {
    await page.route('**/v1/listings?*', (route) => route.fulfill({ json: [] }));
    await page.goto(url);
    await page.getByText('No animal is looking for a home just now.').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
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
