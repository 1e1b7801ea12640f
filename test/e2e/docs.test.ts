import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { NAVIGATION } from '../../src/web/layout.ts';
import {
  accessibilityViolations,
  BROWSER_TEST_MS,
  browserMissing,
  launchBrowser,
  openPage,
  scrollThrough,
} from '../browser.ts';
import { startPetstore, type TestPetstore } from '../start.ts';

const PATHS = ['/', ...NAVIGATION.map(([path]) => path)];
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

describe.skipIf(browserMissing !== undefined)(`the pages ${browserMissing ?? ''}`, () => {
  let petstore: TestPetstore;
  let browser: Browser;
  beforeAll(async () => {
    petstore = await startPetstore();
    browser = await launchBrowser();
  }, BROWSER_TEST_MS);
  afterAll(async () => {
    await browser?.close();
    await petstore?.[Symbol.asyncDispose]();
  });

  const looks = PATHS.flatMap((path) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ path, colorScheme })),
  );
  test.each(looks)(
    '$path in $colorScheme has nothing to complain about, wide or narrow',
    async ({ path, colorScheme }) => {
      for (const width of [1440, 390]) {
        const viewport = { width, height: 850 };
        await using opened = await openPage(browser, petstore.url, { colorScheme, viewport });
        const { page, complaints } = opened;
        await page.goto(petstore.url + path);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        if (path === '/docs') await scrollThrough(page);
        expect(await accessibilityViolations(page)).toEqual([]);
        expect(await page.evaluate<number>(OVERFLOW)).toBe(0);
        expect(complaints).toEqual([]);
      }
    },
    BROWSER_TEST_MS,
  );

  test(
    'a section of the errors is found by its code',
    async () => {
      await using opened = await openPage(browser, petstore.url);
      await opened.page.goto(`${petstore.url}/docs/errors#rate_limit_day`);
      const heading = opened.page.locator('#rate_limit_day');
      expect(await heading.innerText()).toBe('rate_limit_day');
      expect(await heading.isVisible()).toBe(true);
      const { y: top } = (await heading.boundingBox()) ?? { y: -1 };
      expect(top).toBeGreaterThan(0);
      expect(top).toBeLessThan(850);
    },
    BROWSER_TEST_MS,
  );

  test(
    'the keyboard leads past the navigation to the content',
    async () => {
      await using opened = await openPage(browser, petstore.url);
      const { page } = opened;
      await page.goto(`${petstore.url}/docs/limits`);
      await page.keyboard.press('Tab');
      expect(await page.evaluate<string>('document.activeElement.textContent')).toBe(
        'Skip to content',
      );
      await page.keyboard.press('Enter');
      expect(await page.evaluate<string>('document.activeElement.id')).toBe('main');
    },
    BROWSER_TEST_MS,
  );
});
