import { expect, test } from 'bun:test';
import { accessibilityViolations, BROWSER_TEST_MS, looksAt } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { openConsole, untilFocused } from '../support/console.ts';

const PAGES = [
  'Overview',
  'Animals',
  'Adoptions',
  'Categories',
  'Import',
  'Activity',
  'Keys',
  'Webhooks',
];
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

describeInBrowser('the console', {}, (group) => {
  browserTest(
    'leads to every page; the heading gets the focus, and back and reload return',
    async () => {
      await using opened = await openConsole(group.browser, group.petstore);
      const { page, complaints } = opened;
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      for (const name of PAGES.slice(1)) {
        await page.getByRole('link', { name, exact: true }).click();
        const heading = page.getByRole('heading', { level: 1, name });
        await heading.waitFor();
        await untilFocused(page, 'textContent', name);
        // Both are set together.
        expect(await page.title()).toBe(`${name} · Petstore`);
      }
      expect(new URL(page.url()).pathname).toBe('/console/webhooks');
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
      expect(complaints).toEqual([]);
    },
  );

  browserTest('a page whose code cannot be loaded offers to reload the tab', async () => {
    await using opened = await openConsole(group.browser, group.petstore);
    const { page } = opened;
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.route('**/console/assets/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Categories', exact: true }).click();
    const reload = page.getByRole('button', { name: 'Reload the tab' });
    await reload.waitFor();
    await page.unroute('**/console/assets/**');
    await reload.click();
    await page.getByRole('heading', { level: 1, name: 'Categories' }).waitFor();
  });

  browserTest('shows keys and webhooks only to administrators', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { scopes: ['write'] });
    const { page } = opened;
    await page.getByRole('link', { name: 'Activity' }).waitFor();
    expect(await page.getByRole('link', { name: 'Keys' }).count()).toBe(0);
    await page.goto(`${group.petstore.url}/console/keys`);
    await page.getByRole('heading', { name: 'Only administrators see this page' }).waitFor();
  });

  test.each(looksAt(1280, 320))(
    'pages have no accessibility violation in $colorScheme at $width, and nothing overflows',
    async ({ colorScheme, width }) => {
      const viewport = { width, height: 740 };
      await using opened = await openConsole(group.browser, group.petstore, {
        colorScheme,
        viewport,
      });
      const { page } = opened;
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      for (const name of PAGES) {
        const link = page.getByRole('link', { name, exact: true });
        if (!(await link.isVisible())) await page.getByRole('button', { name: 'More' }).click();
        await link.click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
        expect([name, await accessibilityViolations(page)]).toEqual([name, []]);
        expect([name, await page.evaluate(OVERFLOW)]).toEqual([name, 0]);
      }
    },
    BROWSER_TEST_MS,
  );
});
