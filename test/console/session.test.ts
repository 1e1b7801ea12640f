import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { MINUTE_MS } from '../../src/domain/clock.ts';
import { accessibilityViolations, BROWSER_TEST_MS, openPage } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { untilFocused } from '../support/console.ts';

const ANIMALS = '/console/animals?status=available';

describeInBrowser('signing in', {}, (group) => {
  const signInPage = (page: Page) =>
    page.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor();
  const animalsPage = (page: Page) =>
    page.getByRole('heading', { level: 1, name: 'Animals' }).waitFor();

  async function signInWith(page: Page, key: string): Promise<void> {
    await page.getByRole('button', { name: /^Sign in with an/ }).waitFor();
    const toKey = page.getByRole('button', { name: 'Sign in with an API key' });
    if (await toKey.isVisible()) await toKey.click();
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  browserTest('a wrong key is explained; a right one leads to the page of the link', async () => {
    const key = await group.petstore.keyWith({ name: 'Robin' });
    await using opened = await openPage(group.browser, group.petstore.url);
    const { page } = opened;
    await page.goto(group.petstore.url + ANIMALS);
    await signInPage(page);
    await untilFocused(page, 'name', 'email');
    await page.keyboard.press('Enter');
    await page.getByText('Enter your e-mail address and password.').waitFor();
    await signInWith(page, 'petstore_live_wrong');
    await page.getByRole('alert').getByText('This key is not valid.').waitFor();
    expect(await page.getByLabel('API key').getAttribute('aria-invalid')).toBe('true');

    await page.getByLabel('API key').fill(key.text);
    await page.keyboard.press('Enter');
    await animalsPage(page);
    expect(page.url()).toBe(group.petstore.url + ANIMALS);
    await untilFocused(page, 'id', 'main');
    await page.getByText('Robin').filter({ visible: true }).waitFor();
    await page.reload();
    await animalsPage(page);
    // Scripts see neither the key nor the cookie.
    const seen = await page.evaluate<string>(
      'document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })',
    );
    expect(seen).toBe('{}');
  });

  browserTest('who signs out or in does so in every tab', async () => {
    const key = await group.petstore.keyWith({ name: 'Robin' });
    await using opened = await openPage(group.browser, group.petstore.url);
    const { page } = opened;
    const other = await page.context().newPage();
    for (const tab of [page, other]) await tab.goto(group.petstore.url + ANIMALS);
    await signInWith(page, key.text);
    for (const tab of [page, other]) await animalsPage(tab);
    await page.getByRole('button', { name: 'Sign out' }).click();
    for (const tab of [page, other]) await signInPage(tab);
    expect(await page.context().cookies()).toEqual([]);
  });

  browserTest('a key that was revoked ends the session, and another continues there', async () => {
    const [first, second] = [
      await group.petstore.keyWith({}),
      await group.petstore.keyWith({ name: 'Sam' }),
    ];
    await using opened = await openPage(group.browser, group.petstore.url);
    const { page } = opened;
    await page.goto(group.petstore.url + ANIMALS);
    await signInWith(page, first.text);
    await animalsPage(page);
    await group.petstore.admin.delete(`/v1/keys/${first.id}`);
    await group.petstore.clock.advance(2_000);
    await page.goto(`${group.petstore.url}/console/categories`);
    await signInPage(page);
    await signInWith(page, second.text);
    await page.getByRole('heading', { level: 1, name: 'Categories' }).waitFor();
    await page.getByText('Sam').filter({ visible: true }).waitFor();
  });

  browserTest('a session that ends takes no form with it, and shows nothing then', async () => {
    const key = await group.petstore.keyWith({ name: 'Robin' });
    await using opened = await openPage(group.browser, group.petstore.url);
    const { page } = opened;
    await page.goto(group.petstore.url + ANIMALS);
    await signInWith(page, key.text);
    await page.getByRole('button', { name: 'Add animal' }).first().click();
    const form = page.getByRole('dialog', { name: 'Add animal' });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Biscuit');
    await page.context().clearCookies();
    await group.petstore.writer.post('/v1/pets', { name: 'Wakes the page', categoryId: 1 });
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByText('Sign in again: your unfinished work').waitFor();
    expect(await form.isVisible()).toBe(false);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await signInWith(page, key.text);
    await again.waitFor({ state: 'detached' });
    const name = form.getByRole('textbox', { name: 'Name', exact: true });
    expect(await name.inputValue()).toBe('Biscuit');
    await untilFocused(page, 'name', 'name');
  });

  browserTest('who signed in a while ago shows the key again to create or change one', async () => {
    const key = await group.petstore.keyWith({ name: 'Robin', scopes: ['admin'] });
    await using opened = await openPage(group.browser, group.petstore.url);
    const { page } = opened;
    await page.goto(`${group.petstore.url}/console/keys`);
    await signInWith(page, key.text);
    const create = page.getByRole('button', { name: 'Create key' }).first();
    await create.waitFor();
    await group.petstore.clock.advance(6 * MINUTE_MS);
    await create.click();
    const form = page.getByRole('dialog', { name: 'Create key' });
    await form.getByRole('textbox', { name: 'Name' }).fill('Partner');
    await form.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await signInWith(page, key.text);
    // What was asked for is sent again.
    const shown = page.getByRole('dialog', { name: 'The key of Partner' });
    await shown.getByRole('button', { name: 'Copy' }).click();
    await shown.getByRole('button', { name: 'Done' }).click();
    await group.petstore.clock.advance(6 * MINUTE_MS);
    await page.getByRole('link', { name: 'Partner' }).click();
    await page.getByRole('button', { name: 'Rename' }).click();
    const naming = page.getByRole('dialog', { name: 'Rename the key of Partner' });
    await naming.getByRole('textbox', { name: 'Name' }).fill('Paws');
    await naming.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await signInWith(page, key.text);
    await page.getByRole('dialog', { name: 'Paws' }).waitFor();
  });

  browserTest('a failure after the key was accepted is shown, and another try works', async () => {
    const key = await group.petstore.keyWith({});
    await using opened = await openPage(group.browser, group.petstore.url);
    const { page } = opened;
    await page.goto(group.petstore.url + ANIMALS);
    await signInPage(page);
    await page.route('**/v1/usage', (route) =>
      route.fulfill({
        status: 500,
        contentType: 'application/json',
        body: JSON.stringify({ code: 'internal_error', message: 'Broken.' }),
      }),
    );
    await signInWith(page, key.text);
    await page.getByRole('alert').getByText('Something went wrong in the service.').waitFor();
    await page.unroute('**/v1/usage');
    await signInWith(page, key.text);
    await animalsPage(page);
  });

  browserTest('over plain http on a network the page says how to set up TLS', async () => {
    await using opened = await openPage(group.browser, group.petstore.url);
    const { page } = opened;
    await page.route('**/console/session', (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/json',
        body: JSON.stringify({ code: 'insecure_connection', message: 'Set up TLS.' }),
      }),
    );
    await page.goto(group.petstore.url + ANIMALS);
    await signInWith(page, 'petstore_live_any');
    await page.getByRole('alert').getByText('Set up TLS.').waitFor();
    await page.getByRole('link', { name: 'How to set up TLS' }).waitFor();
  });

  browserTest('where others could read the key there is no form', async () => {
    await using opened = await openPage(group.browser, group.petstore.url);
    const { page } = opened;
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, 'isSecureContext', { value: false });
    });
    await page.goto(group.petstore.url + ANIMALS);
    await page.getByText('Others on this network could read your password').waitFor();
    await page.getByRole('link', { name: 'How to set up TLS' }).waitFor();
    expect(await page.locator('form').count()).toBe(0);
  });

  test.each(['light', 'dark'] as const)(
    'the page has no accessibility violation in %s, at 1280 and 320',
    async (colorScheme) => {
      for (const width of [1280, 320]) {
        const viewport = { width, height: 740 };
        await using opened = await openPage(group.browser, group.petstore.url, {
          colorScheme,
          viewport,
        });
        const { page } = opened;
        await page.goto(`${group.petstore.url}/console`);
        await signInPage(page);
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByRole('alert').waitFor();
        expect(await accessibilityViolations(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
    },
    BROWSER_TEST_MS,
  );

  browserTest('a tab unused for eight hours signs out, unless another one is used', async () => {
    const key = await group.petstore.keyWith({ name: 'Robin' });
    await using opened = await openPage(group.browser, group.petstore.url);
    const { page } = opened;
    await page.clock.install();
    await page.goto(group.petstore.url + ANIMALS);
    await signInWith(page, key.text);
    await animalsPage(page);
    await page.clock.fastForward('07:59:00');
    await page.keyboard.press('Tab');
    await page.clock.fastForward('07:59:00');
    expect(await page.getByRole('heading', { level: 1, name: 'Animals' }).count()).toBe(1);
    await page.evaluate("new BroadcastChannel('petstore-session').postMessage('used')");
    await page.clock.fastForward('07:59:00');
    expect(await page.getByRole('heading', { level: 1, name: 'Animals' }).count()).toBe(1);
    await page.clock.fastForward('00:03:00');
    await signInPage(page);
    await page.reload();
    await signInPage(page);
  });
});
