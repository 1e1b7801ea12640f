import { beforeAll, expect } from 'bun:test';
import { BROWSER_TEST_MS, openPage } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { addCategory, message, openConsole, signIn } from '../support/console.ts';
import { eventually } from '../support/eventually.ts';

const PATH = '/console/categories';

describeInBrowser('changes that could not be sent', {}, (group) => {
  beforeAll(async () => {
    await group.petstore.writer.post('/v1/categories', { name: 'Dog' });
  }, BROWSER_TEST_MS);

  const names = async (): Promise<string[]> =>
    JSON.parse((await group.petstore.reader.get('/v1/categories')).text).map(
      ({ name }: { name: string }) => name,
    );

  const keyOf = (name: string) => group.petstore.keyWith({ name, scopes: ['write'] });

  browserTest('what has waited for more than a day is sent on request only', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    await page.getByRole('row', { name: 'Dog' }).waitFor();
    await page.clock.install();
    await page.context().setOffline(true);
    await addCategory(page, 'Moose');
    const again = page.getByRole('button', { name: 'Try again: Add category Moose' });
    await again.waitFor();
    await page.clock.fastForward('23:01:00');
    await page.context().setOffline(false);
    await page.getByText('The service cannot be reached.').waitFor({ state: 'detached' });
    await group.petstore.writer.post('/v1/categories', { name: 'Elk' });
    await page.getByRole('row', { name: 'Elk' }).waitFor();
    expect(await names()).not.toContain('Moose');
    await again.click();
    await page.getByRole('row', { name: 'Moose' }).waitFor();
  });

  for (const status of [500, 503]) {
    browserTest(`after a ${status} a change is sent by itself, once`, async () => {
      await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
      const { page } = opened;
      const keys: (string | undefined)[] = [];
      let isBroken = true;
      await page.route('**/v1/categories', async (route) => {
        const request = route.request();
        if (request.method() !== 'POST') return route.continue();
        keys.push(request.headers()['idempotency-key']);
        if (!isBroken) return route.continue();
        const body = JSON.stringify({ code: 'internal_error', message: 'Broken.', status });
        await route.fulfill({ status, contentType: 'application/json', body });
      });
      // The first wait is short.
      await page.evaluate(`const wait = setTimeout;
        globalThis.setTimeout = (call, ms) => wait(call, ms === 5_000 ? 500 : ms)`);
      const name = `Hen ${status}`;
      await addCategory(page, name);
      await message(page, `Add category ${name}: this is kept and will be sent by itself.`);
      isBroken = false;
      await page.getByRole('row', { name }).waitFor();
      await message(page, `Sent: Add category ${name}`);
      expect(new Set(keys).size).toBe(1);
    });
  }

  browserTest('what waits survives a closed tab, and is sent from the next one', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    const context = page.context();
    await page.getByRole('row', { name: 'Dog' }).waitFor();
    await context.setOffline(true);
    await addCategory(page, 'Otter');
    await page.getByRole('region', { name: 'Not sent yet' }).waitFor();
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.close({ runBeforeUnload: true });
    await eventually(
      async () => page.isClosed(),
      (isClosed) => isClosed,
    );
    expect(asked).toEqual([]);
    await context.setOffline(false);
    expect(await names()).not.toContain('Otter');
    const next = await context.newPage();
    await next.goto(group.petstore.url + PATH);
    await next.getByRole('row', { name: 'Otter' }).waitFor();
    expect((await names()).filter((name) => name === 'Otter')).toHaveLength(1);
  });

  browserTest('of two tabs that know a change, one sends it', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    const context = page.context();
    await page.getByRole('row', { name: 'Dog' }).waitFor();
    const other = await context.newPage();
    await other.goto(group.petstore.url + PATH);
    await other.getByRole('row', { name: 'Dog' }).waitFor();
    await context.setOffline(true);
    await addCategory(page, 'Puma');
    await other.getByRole('region', { name: 'Not sent yet' }).getByText('Puma').waitFor();
    let posts = 0;
    context.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/v1/categories')) posts++;
    });
    await context.setOffline(false);
    for (const tab of [page, other]) {
      await tab.getByRole('row', { name: 'Puma' }).waitFor();
      await tab.getByRole('region', { name: 'Not sent yet' }).waitFor({ state: 'detached' });
    }
    expect(posts).toBe(1);
  });

  browserTest('a change waits while another person works there', async () => {
    const [ann, ben] = [await keyOf('Ann'), await keyOf('Ben')];
    await using opened = await openPage(group.browser, group.petstore.url);
    const { page } = opened;
    const waiting = page.getByRole('region', { name: 'Not sent yet' });
    const work = async (key: string) => {
      await signIn(page.context(), group.petstore, { key });
      await page.goto(group.petstore.url + PATH);
      await page.getByRole('row', { name: 'Dog' }).waitFor();
    };
    await work(ann.text);
    await page.route('**/v1/categories', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await addCategory(page, 'Quail');
    await waiting.waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    const question = page.getByRole('dialog', { name: 'Sign out before 1 change is sent?' });
    await question.getByText('sends it when you sign in here again').waitFor();
    await question.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor();
    await page.unroute('**/v1/categories');
    await work(ben.text);
    await addCategory(page, 'Raven');
    await page.getByRole('row', { name: 'Raven' }).waitFor();
    expect(await waiting.isVisible()).toBe(false);
    expect(await names()).not.toContain('Quail');
    await work(ann.text);
    await page.getByRole('row', { name: 'Quail' }).waitFor();
  });

  browserTest('what the browser cannot keep asks before the tab is closed', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    await page.getByRole('row', { name: 'Dog' }).waitFor();
    await page.evaluate('Storage.prototype.setItem = () => { throw new Error("full") }');
    await page.context().setOffline(true);
    await addCategory(page, 'Snake');
    await message(
      page,
      'Add category Snake: leave this tab open, and this will be sent by itself.',
    );
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await page.context().setOffline(false);
    await page.getByRole('row', { name: 'Snake' }).waitFor();
  });
});
