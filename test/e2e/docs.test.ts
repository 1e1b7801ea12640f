import { expect } from 'bun:test';
import { NAVIGATION } from '../../src/site/navigation.ts';
import {
  accessibilityViolations,
  looksAt,
  looksWrong,
  openPage,
  scrollThrough,
  untilTrue,
} from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';

const PATHS = ['/', '/docs/search?q=rate+limit', ...NAVIGATION.map(([path]) => path)];
const LOOKS = looksAt(1440, 390);

describeInBrowser('the pages', {}, (group) => {
  browserTest('have no accessibility violation, light or dark, wide or narrow', async () => {
    await using opened = await openPage(group.browser, group.petstore.url);
    const { page, complaints } = opened;
    const found: Record<string, string[]> = {};
    for (const [index, path] of PATHS.entries()) {
      await page.goto(group.petstore.url + path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      const isGuide = path.startsWith('/docs/');
      if (path === '/docs') await scrollThrough(page);
      // The guides share a layout, so each of them is light or dark.
      const looks = isGuide ? LOOKS.slice(index % 2, (index % 2) + 1) : LOOKS;
      found[path] = await looksWrong(page, looks);
    }
    expect(found).toEqual(Object.fromEntries(PATHS.map((path) => [path, []])));
    expect(complaints).toEqual([]);
  });

  browserTest('the guides are searched without JavaScript', async () => {
    const options = { javaScriptEnabled: false };
    await using opened = await openPage(group.browser, group.petstore.url, options);
    const { page } = opened;
    await page.goto(`${group.petstore.url}/docs/guides`);
    const list = page.getByRole('navigation', { name: 'Documentation' });
    await list.getByRole('searchbox').fill('rate_limit_day');
    await list.getByRole('searchbox').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
    await page.getByRole('link', { name: 'Errors: rate_limit_day' }).click();
    await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#rate_limit_day');
  });

  browserTest('an error is found by its code', async () => {
    await using opened = await openPage(group.browser, group.petstore.url);
    await opened.page.goto(`${group.petstore.url}/docs/errors#rate_limit_day`);
    const heading = opened.page.locator('#rate_limit_day');
    expect(await heading.innerText()).toBe('rate_limit_day');
    expect(await heading.isVisible()).toBe(true);
    const { y: top } = (await heading.boundingBox()) ?? { y: -1 };
    expect(top).toBeGreaterThan(0);
    expect(top).toBeLessThan(850);
  });

  browserTest('an example is copied exactly with one click', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    await using opened = await openPage(group.browser, group.petstore.url, { permissions });
    const { page, complaints } = opened;
    await page.goto(`${group.petstore.url}/docs/getting-started`);
    const block = page.locator('.code', { hasText: 'curl -X POST' });
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(await block.locator('pre').innerText());
    expect(copied).toStartWith('curl -X POST "http');
    expect(complaints).toEqual([]);
  });

  browserTest('the contents are beside the text and mark the current section', async () => {
    await using opened = await openPage(group.browser, group.petstore.url);
    const { page } = opened;
    await page.goto(`${group.petstore.url}/docs/errors`);
    const contents = page.getByRole('navigation', { name: 'On this page' });
    expect(await contents.isVisible()).toBe(true);
    await contents.getByRole('link', { name: 'conflict', exact: true }).click();
    const current = contents.locator('[aria-current]');
    await untilTrue(
      page,
      "document.querySelector('.contents [aria-current]')?.hash === '#conflict'",
    );
    expect(await current.count()).toBe(1);
  });

  browserTest(
    'on a phone the bar shows the current page and the next, and the contents open',
    async () => {
      const viewport = { width: 390, height: 844 };
      await using opened = await openPage(group.browser, group.petstore.url, { viewport });
      const { page, complaints } = opened;
      await page.goto(`${group.petstore.url}/docs/limits`);
      const list = page.getByRole('navigation', { name: 'Documentation' });
      expect(await list.isVisible()).toBe(false);
      await page
        .getByRole('navigation', { name: 'Site' })
        .getByRole('button', { name: 'Limits' })
        .click();
      expect(await list.getByRole('link', { name: 'Limits' }).getAttribute('aria-current')).toBe(
        'page',
      );
      expect(await accessibilityViolations(page)).toEqual([]);
      await list.getByRole('link', { name: 'Errors' }).click();
      await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();

      await page.getByRole('button', { name: 'On this page' }).click();
      const contents = page.getByRole('navigation', { name: 'On this page' });
      expect(await accessibilityViolations(page)).toEqual([]);
      await contents.getByRole('link', { name: 'body_too_large' }).click();
      await contents.waitFor({ state: 'hidden' });
      await untilTrue(page, "location.hash === '#body_too_large'");

      await page.goto(`${group.petstore.url}/docs`);
      await page
        .getByRole('navigation', { name: 'Site' })
        .getByRole('button', { name: 'Reference' })
        .click();
      await list.getByRole('link', { name: 'Getting started' }).click();
      await page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor();
      expect(complaints).toEqual([]);
    },
  );

  browserTest('the keyboard can skip the navigation', async () => {
    await using opened = await openPage(group.browser, group.petstore.url);
    const { page } = opened;
    await page.goto(`${group.petstore.url}/docs/limits`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe(
      'Skip to content',
    );
    await page.keyboard.press('Enter');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('main');
  });
});
