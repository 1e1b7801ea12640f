import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { addAnimals } from '../support/animals.ts';
import { BROWSER_TEST_MS, browserMissing, launchBrowser, looksWrong } from '../support/browser.ts';
import { openConsole } from '../support/console.ts';
import { startPetstore } from '../support/start.ts';

const PATH = '/console/activity';

describe.skipIf(browserMissing !== undefined)(`Activity ${browserMissing ?? ''}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  }, BROWSER_TEST_MS);
  afterAll(() => browser?.close());

  test(
    'what anybody changes appears at once, the newest first, and can be filtered',
    async () => {
      await using petstore = await startPetstore();
      await using opened = await openConsole(browser, petstore, { path: PATH, scopes: ['read'] });
      const { page, complaints } = opened;
      await page.getByText('What anybody changes appears here at once.').waitFor();
      await petstore.writer.post('/v1/categories', { name: 'Rabbit' });
      await petstore.writer.post('/v1/pets', { name: 'Bella', categoryId: 1 });
      await petstore.writer.post('/v1/store/orders', { petId: 1, adopter: 'A secret name' });
      const items = page.getByRole('main').getByRole('listitem');
      await items.filter({ hasText: 'Order placed: number 1, placed' }).waitFor();
      await items.filter({ hasText: 'Animal changed: Bella, pending' }).waitFor();
      expect(await items.count()).toBe(4);
      expect(await items.last().textContent()).toContain('Category added: Rabbit');
      expect(await page.content()).not.toContain('A secret name');
      await page.getByRole('combobox', { name: 'Show' }).selectOption('category');
      expect(await items.count()).toBe(1);
      await page.reload();
      await items.filter({ hasText: 'Rabbit' }).waitFor();
      expect(await items.count()).toBe(1);
      expect(complaints).toEqual([]);
    },
    BROWSER_TEST_MS,
  );

  test(
    'of many changes it has the latest 300, each once',
    async () => {
      await using petstore = await startPetstore();
      await addAnimals(petstore.storage, Array(310).fill({}));
      await using opened = await openConsole(browser, petstore, { path: PATH });
      const items = opened.page.getByRole('main').getByRole('listitem');
      await items.nth(299).waitFor();
      expect(await items.count()).toBe(300);
      await petstore.writer.post('/v1/pets', { name: 'The last', categoryId: 1 });
      await items.filter({ hasText: 'The last' }).waitFor();
      expect(await items.count()).toBe(300);
      expect(await items.first().textContent()).toContain('The last');
    },
    BROWSER_TEST_MS,
  );

  test(
    'has no accessibility violation, light or dark, wide or narrow',
    async () => {
      await using petstore = await startPetstore();
      await addAnimals(petstore.storage, [{ name: 'B'.repeat(90) }]);
      await using opened = await openConsole(browser, petstore, { path: PATH });
      await opened.page.getByText('Animal added').waitFor();
      expect(await looksWrong(opened.page)).toEqual([]);
    },
    BROWSER_TEST_MS,
  );
});
