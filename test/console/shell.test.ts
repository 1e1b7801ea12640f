import { expect, test } from 'bun:test';
import {
  accessibilityViolations,
  BROWSER_TEST_MS,
  looksAt,
  untilTrue,
} from '../support/browser.ts';
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
  browserTest('leads to every page, with the focus; back and reload return', async () => {
    await using opened = await openConsole(group.browser, group.petstore);
    const { page, complaints } = opened;
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    for (const name of PAGES.slice(1)) {
      await page.getByRole('link', { name, exact: true }).click();
      const heading = page.getByRole('heading', { level: 1, name });
      await heading.waitFor();
      await untilFocused(page, 'textContent', name);
      await untilTrue(page, `document.title === '${name} · Petstore'`);
    }
    expect(new URL(page.url()).pathname).toBe('/console/webhooks');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    expect(complaints).toEqual([]);
  });

  browserTest('a page whose code cannot be loaded offers to reload the tab', async () => {
    await using opened = await openConsole(group.browser, group.petstore);
    const { page } = opened;
    await page.route('**/console/assets/**/page-*', (route) => route.abort());
    await page.reload();
    const reload = page.getByRole('button', { name: 'Reload the tab' });
    await reload.waitFor();
    await page.unroute('**/console/assets/**/page-*');
    await reload.click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  browserTest('an address without a page shows a page that says so', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: '/console/xyz' });
    const { page } = opened;
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to the overview' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  browserTest('in an English page no words are in the language of the browser', async () => {
    for (const name of ['Basil', 'Caraway']) {
      await group.petstore.writer.post('/v1/pets', { name, categoryId: 1 });
    }
    await using opened = await openConsole(group.browser, group.petstore, {
      path: '/console/animals',
      locale: 'fr-FR',
    });
    const { page } = opened;
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Remove selected' }).click();
    await page.getByText('Caraway and Basil').waitFor();
  });

  browserTest('who asks for more contrast gets it', async () => {
    await using opened = await openConsole(group.browser, group.petstore);
    const { page } = opened;
    const colours = `['--page-muted', '--page-border', '--page-text'].map((name) =>
      getComputedStyle(document.documentElement).getPropertyValue(name))`;
    await page.emulateMedia({ contrast: 'more' });
    const [muted, border, text] = await page.evaluate<string[]>(colours);
    expect([muted, border]).toEqual([text, text]);
  });

  browserTest('shows keys and webhooks only to administrators', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { scopes: ['write'] });
    const { page } = opened;
    await page.getByRole('link', { name: 'Activity' }).waitFor();
    expect(await page.getByRole('link', { name: 'Keys' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Import', exact: true }).waitFor();
    await using reading = await openConsole(group.browser, group.petstore, { scopes: ['read'] });
    await reading.page.getByRole('link', { name: 'Activity' }).waitFor();
    expect(await reading.page.getByRole('link', { name: 'Import', exact: true }).count()).toBe(0);
    await page.goto(`${group.petstore.url}/console/keys`);
    await page.getByRole('heading', { name: 'You do not have access to this page' }).waitFor();
  });

  test.each([...looksAt(1280, 320), ...looksAt(320, 1280)])(
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
