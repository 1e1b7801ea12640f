import { beforeAll, expect } from 'bun:test';
import type { Route } from 'playwright-core';
import { accessibilityViolations, BROWSER_TEST_MS } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { addCategory, message, openConsole, untilFocused } from '../support/console.ts';
import { eventually } from '../support/eventually.ts';

const PATH = '/console/categories';

describeInBrowser('connection and tabs', {}, (group) => {
  beforeAll(async () => {
    await group.petstore.writer.post('/v1/categories', { name: 'Dog' });
  }, BROWSER_TEST_MS);

  const names = async (): Promise<string[]> =>
    JSON.parse((await group.petstore.reader.get('/v1/categories')).text).map(
      ({ name }: { name: string }) => name,
    );

  browserTest('offline, what was loaded stays, and a change waits to be sent again', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    const row = page.getByRole('row', { name: 'Dog' });
    await row.waitFor();
    await page.context().setOffline(true);
    const banner = page.getByText('The service cannot be reached.');
    await banner.waitFor();
    expect(await row.isVisible()).toBe(true);

    await addCategory(page, 'Cat');
    const again = page.getByRole('button', { name: 'Try again: Add category Cat' });
    await again.waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await again.click();
    const waiting = page.getByRole('region', { name: 'Not sent yet' });
    await waiting.getByText('Not sent yet').waitFor();
    expect(await names()).not.toContain('Cat');

    await page.context().setOffline(false);
    await banner.waitFor({ state: 'detached' });
    // It is sent by itself.
    await page.getByRole('row', { name: 'Cat' }).waitFor();
    expect((await names()).filter((name) => name === 'Cat')).toHaveLength(1);
    await again.waitFor({ state: 'detached' });
    await untilFocused(page, 'id', 'main');
  });

  browserTest('a page opened offline appears by itself; a reload keeps what waits', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    await page.getByRole('row', { name: 'Dog' }).waitFor();
    // The code of all pages comes soon after the first one.
    await eventually(
      () => page.evaluate<number>("performance.getEntriesByType('resource').length"),
      (count) => count > 15,
    );
    await page.context().setOffline(true);
    await addCategory(page, 'Ferret');
    await page.getByRole('region', { name: 'Not sent yet' }).waitFor();
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByText('This could not be loaded').waitFor();
    // Only the changes are refused: the page reloads, and what waits is still there.
    await page.route('**/v1/categories', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await page.context().setOffline(false);
    await page.getByRole('link', { name: 'Robin', exact: true }).first().waitFor();
    await page.reload();
    const waiting = page.getByRole('region', { name: 'Not sent yet' });
    await waiting.getByText('Add category Ferret').waitFor();
    await page.unroute('**/v1/categories');
    await waiting.waitFor({ state: 'detached' });
    expect((await names()).filter((name) => name === 'Ferret')).toHaveLength(1);
  });

  browserTest('Escape loses nothing that was typed, and at most three messages stand', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    // No message goes by itself, however slow this machine is.
    await page.evaluate(`const wait = setTimeout;
        globalThis.setTimeout = (call, ms) => ms === 8_000 ? 0 : wait(call, ms)`);
    for (const name of ['Ant', 'Bee', 'Cow', 'X'.repeat(90)]) {
      await page.getByRole('button', { name: 'Add category' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill(name);
      await page.keyboard.press('Enter');
      await message(page, `${name} was added.`);
    }
    const messages = page.getByRole('status', { name: 'Messages' });
    expect(await messages.getByRole('button', { name: 'Dismiss' }).count()).toBe(3);
    const box = await messages.boundingBox();
    expect(box?.width).toBeLessThan(450);
    expect(box?.height).toBeLessThan(200);

    await page.getByRole('button', { name: 'Add category' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add category' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Dodo');
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    for (const answer of ['Go back', 'Leave'] as const) {
      await page.keyboard.press('Escape');
      expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Dodo');
      await question.getByRole('button', { name: answer }).click();
    }
    await dialog.waitFor({ state: 'detached' });
  });

  browserTest('a form that was left closes no other, and its refusal is still told', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    const held: Route[] = [];
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    await page.route('**/v1/categories', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      held.push(route);
      resolve();
    });
    await page.getByRole('button', { name: 'Add category' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Dog');
    await page.keyboard.press('Enter');
    await arrived;
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add category' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Swan');
    await held[0]?.continue();
    const messages = page.getByRole('status', { name: 'Messages' });
    await messages.getByText('Add category: ').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Swan');
  });

  browserTest('after many changes the console loads once and does not follow each', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    await page.getByRole('row', { name: 'Dog' }).waitFor();
    const followed: number[] = [];
    const { promise: caughtUp, resolve } = Promise.withResolvers<void>();
    await page.route('**/v1/events?*', async (route) => {
      const search = new URL(route.request().url()).searchParams;
      if (search.has('wait') && followed.length < 3) {
        const after = Number(search.get('after'));
        followed.push(after);
        const data = { id: 1, name: 'Dog' };
        const events = Array.from({ length: 100 }, (_, index) => ({
          id: after + index + 1,
          type: 'category.updated',
          data,
        }));
        const link = `</v1/events?after=${after + 100}>; rel="next"`;
        return route.fulfill({ headers: { link }, json: events });
      }
      // The first is that of the start.
      if (search.get('after') === 'latest' && followed.length === 3) resolve();
      await route.continue();
    });
    await page.reload();
    await caughtUp;
    const [first = 0] = followed;
    expect(followed).toEqual([first, first + 100, first + 200]);
    await group.petstore.writer.post('/v1/categories', { name: 'Newt' });
    await page.getByRole('row', { name: 'Newt' }).waitFor();
  });

  browserTest('what happened meanwhile appears when the connection is back', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    await page.getByRole('row', { name: 'Dog' }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('The service cannot be reached.').waitFor();
    await group.petstore.writer.post('/v1/categories', { name: 'Rabbit' });
    await page.context().setOffline(false);
    await page.getByRole('row', { name: 'Rabbit' }).waitFor();
  });

  browserTest('a tab follows the events while it is seen, and catches up later', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    const show = (isShown: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${!isShown}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByRole('row', { name: 'Dog' }).waitFor();
    let following = 0;
    const isWait = (url: string) => /\/v1\/events\?.*wait=/.test(url);
    page.on('request', (request) => {
      if (isWait(request.url())) following++;
    });
    const ended = page.waitForEvent('requestfailed', (request) => isWait(request.url()));
    await show(false);
    await ended;
    following = 0;
    await group.petstore.writer.post('/v1/categories', { name: 'Bird' });
    expect(following).toBe(0);
    await show(true);
    await page.getByRole('row', { name: 'Bird' }).waitFor();
    await group.petstore.writer.post('/v1/categories', { name: 'Fish' });
    await page.getByRole('row', { name: 'Fish' }).waitFor();
    expect(following).toBeGreaterThan(0);
  });

  browserTest('a message stays while it has the focus, and can be dismissed', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    await page.clock.install();
    await page.getByRole('button', { name: 'Add category' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Goat');
    await page.keyboard.press('Enter');
    const told = page.getByRole('status', { name: 'Messages' }).getByText('Goat was added.');
    await told.waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).focus();
    await page.clock.runFor(30_000);
    expect(await told.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Add category' }).focus();
    await page.clock.runFor(9_000);
    await told.waitFor({ state: 'detached' });
  });

  browserTest('the skip link is first; nothing moves for those who want no motion', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    await page.getByRole('row', { name: 'Dog' }).waitFor();
    await page.keyboard.press('Tab');
    await untilFocused(page, 'textContent', 'Skip to content');
    await page.keyboard.press('Enter');
    await untilFocused(page, 'id', 'main');
    await page.getByRole('button', { name: 'Add category' }).click();
    const dialog = page.getByRole('dialog');
    const animation = 'getComputedStyle(document.querySelector("dialog")).animationName';
    await dialog.waitFor();
    expect(await page.evaluate(animation)).toBe('none');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await page.evaluate(animation)).toBe('dialog-in');
  });
});
