import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import {
  accessibilityViolations,
  BROWSER_TEST_MS,
  browserMissing,
  launchBrowser,
} from '../support/browser.ts';
import { openConsole } from '../support/console.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';

const PATH = '/console/categories';

describe.skipIf(browserMissing !== undefined)(`connection and tabs ${browserMissing ?? ''}`, () => {
  let petstore: TestPetstore;
  let browser: Browser;
  beforeAll(async () => {
    petstore = await startPetstore();
    await petstore.writer.post('/v1/categories', { name: 'Dog' });
    browser = await launchBrowser();
  }, BROWSER_TEST_MS);
  afterAll(async () => {
    await browser?.close();
    await petstore?.[Symbol.asyncDispose]();
  });

  const browserTest = (name: string, run: () => Promise<void>) => test(name, run, BROWSER_TEST_MS);
  const names = async (): Promise<string[]> =>
    JSON.parse((await petstore.reader.get('/v1/categories')).text).map(
      ({ name }: { name: string }) => name,
    );

  browserTest('offline, what was loaded stays, and a change waits to be sent again', async () => {
    await using opened = await openConsole(browser, petstore, { path: PATH });
    const { page } = opened;
    const row = page.getByRole('row', { name: 'Dog' });
    await row.waitFor();
    await page.context().setOffline(true);
    const banner = page.getByText('The service cannot be reached.');
    await banner.waitFor();
    expect(await row.isVisible()).toBe(true);

    await page.getByRole('button', { name: 'Add category' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Cat');
    await page.keyboard.press('Enter');
    const again = page.getByRole('button', { name: 'Try again: Add category Cat' });
    await again.waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await again.click();
    await page.getByText('Not sent yet').waitFor();
    expect(await names()).not.toContain('Cat');

    await page.context().setOffline(false);
    await banner.waitFor({ state: 'detached' });
    await again.click();
    await page.getByRole('row', { name: 'Cat' }).waitFor();
    expect((await names()).filter((name) => name === 'Cat')).toHaveLength(1);
    await again.waitFor({ state: 'detached' });
  });

  browserTest('what happened meanwhile appears when the connection is back', async () => {
    await using opened = await openConsole(browser, petstore, { path: PATH });
    const { page } = opened;
    await page.getByRole('row', { name: 'Dog' }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('The service cannot be reached.').waitFor();
    await petstore.writer.post('/v1/categories', { name: 'Rabbit' });
    await page.context().setOffline(false);
    await page.getByRole('row', { name: 'Rabbit' }).waitFor();
  });

  browserTest('one of two tabs follows the events; when it closes, the other does', async () => {
    await using opened = await openConsole(browser, petstore, { path: PATH });
    const { page } = opened;
    const other = await page.context().newPage();
    const followed: unknown[] = [];
    page.context().on('request', (request) => {
      if (/\/v1\/events\?.*wait=/.test(request.url())) followed.push(request.frame().page());
    });
    await page.getByRole('row', { name: 'Dog' }).waitFor();
    await other.goto(petstore.url + PATH);
    await other.getByRole('row', { name: 'Dog' }).waitFor();
    await petstore.writer.post('/v1/categories', { name: 'Bird' });
    for (const tab of [page, other]) await tab.getByRole('row', { name: 'Bird' }).waitFor();
    expect(followed).not.toContain(other);
    await page.close();
    // Nothing is missed while the other tab takes over.
    await petstore.writer.post('/v1/categories', { name: 'Fish' });
    await other.getByRole('row', { name: 'Fish' }).waitFor();
    expect(followed).toContain(other);
  });

  browserTest('a message stays while it has the focus, and can be dismissed', async () => {
    await using opened = await openConsole(browser, petstore, { path: PATH });
    const { page } = opened;
    await page.clock.install();
    await page.getByRole('button', { name: 'Add category' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Goat');
    await page.keyboard.press('Enter');
    const message = page.getByRole('status', { name: 'Messages' }).getByText('Goat was added.');
    await message.waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).focus();
    await page.clock.runFor(30_000);
    expect(await message.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Add category' }).focus();
    await page.clock.runFor(9_000);
    await message.waitFor({ state: 'detached' });
  });

  browserTest(
    'the skip link is first, and nothing moves for those who want no motion',
    async () => {
      await using opened = await openConsole(browser, petstore, { path: PATH });
      const { page } = opened;
      await page.getByRole('row', { name: 'Dog' }).waitFor();
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('main');
      await page.getByRole('button', { name: 'Add category' }).click();
      const dialog = page.getByRole('dialog');
      const animation = 'getComputedStyle(document.querySelector("dialog")).animationName';
      await dialog.waitFor();
      expect(await page.evaluate(animation)).toBe('none');
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      expect(await page.evaluate(animation)).toBe('dialog-in');
    },
  );
});
