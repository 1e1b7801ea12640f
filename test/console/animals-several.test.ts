import { expect, test } from 'bun:test';
import { accessibilityViolations, BROWSER_TEST_MS, looksAt } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { message, openConsole, untilFocused } from '../support/console.ts';
import {
  addAnimal,
  animalsNamed,
  changeSelected,
  changeStatusOfAll,
  chooseAction,
  chooseAll,
  rowOf,
  statusOf,
} from '../support/console-animals.ts';
import { eventually } from '../support/eventually.ts';

const PATH = '/console/animals';
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

describeInBrowser('several animals', {}, (group) => {
  const add = (name: string, status?: string, categoryId?: number) =>
    addAnimal(group.petstore, name, status, categoryId);
  const found = (name: string) => animalsNamed(group.petstore, name);
  const add3 = async (name: string) => {
    const ids: number[] = [];
    for (const number of [1, 2, 3]) ids.push(await add(`${name} ${number}`));
    return ids;
  };
  const statuses = async (name: string) => (await found(name)).map(({ status }) => status);
  const open = (name: string) =>
    openConsole(group.browser, group.petstore, { path: `${PATH}?q=${name}&sort=name` });

  browserTest('several get a status at once, and "Undo" takes all of it back', async () => {
    await add3('Aster');
    await add('Aster 4', 'sold');
    await using opened = await open('aster');
    const { page, complaints } = opened;
    await rowOf(page, 'Aster 4').waitFor();
    await page.getByRole('checkbox', { name: 'Select Aster 1' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.getByText('2 animals selected').waitFor();
    await page.getByRole('checkbox', { name: 'Select Aster 4' }).check();
    await changeStatusOfAll(page, 'Pending');
    await message(page, '3 animals are now pending.');
    expect(await statuses('aster')).toEqual(['pending', 'pending', 'available', 'pending']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await statusOf(page, 'Aster 4').getByText('Adopted').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The page shows what it asked for before the service has it.
    const before = ['available', 'available', 'available', 'sold'];
    await eventually(
      () => statuses('aster'),
      (now) => Bun.deepEquals(now, before),
    );
    await page.getByRole('button', { name: 'Clear' }).click();
    await untilFocused(page, 'type', 'checkbox');
    expect(complaints).toEqual([]);
  });

  browserTest('tells for each animal why it was refused, and tries the rest again', async () => {
    const [, petId] = await add3('Poppy');
    const order = JSON.parse(
      (await group.petstore.writer.post('/v1/store/orders', { petId })).text,
    );
    await using opened = await open('poppy');
    const { page } = opened;
    await rowOf(page, 'Poppy 3').waitFor();
    await chooseAll(page);
    await changeStatusOfAll(page, 'Adopted');
    const dialog = page.getByRole('dialog', { name: 'Changing the status of 3 animals' });
    await dialog.getByText('2 of 3 animals done. 1 not done.').waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      'Poppy 2 An open adoption holds Poppy 2. Complete or cancel it first.',
    ]);
    expect(await accessibilityViolations(page)).toEqual([]);
    await group.petstore.writer.patch(`/v1/store/orders/${order.id}`, { status: 'cancelled' });
    await dialog.getByRole('button', { name: 'Try the rest again' }).click();
    await message(page, '3 animals are now adopted.');
    expect(await statuses('poppy')).toEqual(['sold', 'sold', 'sold']);
  });

  browserTest('waits when there were too many requests, and can be stopped', async () => {
    const [, second] = await add3('Daisy');
    await using opened = await open('daisy');
    const { page } = opened;
    await rowOf(page, 'Daisy 3').waitFor();
    let wait = '5';
    let refusals = 0;
    await page.route(`**/v1/pets/${second}`, async (route) => {
      if (refusals++ % 2 === 1) return route.continue();
      const body = { code: 'rate_limit_minute', message: 'Too many.', requestId: 'x' };
      return route.fulfill({ status: 429, headers: { 'retry-after': wait }, json: body });
    });
    await chooseAll(page);
    await changeStatusOfAll(page, 'Pending');
    await page.getByText('Too many requests were sent. Continuing in').waitFor();
    await message(page, '3 animals are now pending.');
    expect(await statuses('daisy')).toEqual(['pending', 'pending', 'pending']);

    wait = '3600';
    await changeStatusOfAll(page, 'Adopted');
    await page.getByText(/Continuing in 3[56]\d\d s/).waitFor();
    await page.keyboard.press('Escape');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 of 3 animals done. 2 not tried.').waitFor();
    await dialog.getByRole('button', { name: 'OK' }).click();
    await message(page, '1 animal is now adopted.');
    expect(await statuses('daisy')).toEqual(['sold', 'pending', 'pending']);
  });

  browserTest('says that the service is busy when it is, and not that the key is', async () => {
    const [, second] = await add3('Peony');
    await using opened = await open('peony');
    const { page } = opened;
    await rowOf(page, 'Peony 3').waitFor();
    let tries = 0;
    await page.route(`**/v1/pets/${second}`, async (route) => {
      if (tries++ % 2 === 1) return route.continue();
      const body = { code: 'service_unavailable', message: 'Busy.', status: 503 };
      return route.fulfill({ status: 503, headers: { 'retry-after': '5' }, json: body });
    });
    await chooseAll(page);
    await changeStatusOfAll(page, 'Pending');
    await page.getByText('The service is busy. Continuing in').waitFor();
    await message(page, '3 animals are now pending.');
    expect(await statuses('peony')).toEqual(['pending', 'pending', 'pending']);
  });

  browserTest('continues by itself after a lost connection', async () => {
    const [, second] = await add3('Lily');
    await using opened = await open('lily');
    const { page } = opened;
    await rowOf(page, 'Lily 3').waitFor();
    await page.route(`**/v1/pets/${second}`, (route) => route.abort());
    await chooseAll(page);
    await changeStatusOfAll(page, 'Adopted');
    await page.getByText('Continuing when it is back.').waitFor();
    await page.unroute(`**/v1/pets/${second}`);
    await message(page, '3 animals are now adopted.');
    expect(await statuses('lily')).toEqual(['sold', 'sold', 'sold']);
  });

  browserTest('several move to a new category, and are removed after one question', async () => {
    await add3('Iris');
    await using opened = await open('iris');
    const { page } = opened;
    await rowOf(page, 'Iris 3').waitFor();
    await chooseAll(page);
    await changeSelected(page, 'Change category');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Change category' }).click();
    await dialog.getByText(/^(Choose a category|Enter a name for the category)\.$/).waitFor();
    await dialog.getByRole('combobox', { name: 'Category' }).selectOption('New category…');
    await dialog.getByRole('textbox', { name: 'Name of the new category' }).fill('Newt');
    await dialog.getByRole('button', { name: 'Change category' }).click();
    await message(page, '3 animals are now in Newt.');
    expect(await page.getByRole('cell', { name: 'Newt', exact: true }).count()).toBe(3);

    await page.getByRole('button', { name: 'Remove selected' }).click();
    const question = page.getByRole('dialog', { name: 'Remove 3 animals?' });
    await question.getByText('Iris 1, Iris 2 and Iris 3').waitFor();
    await question.getByRole('button', { name: 'Remove 3 animals' }).click();
    await message(page, '3 animals were removed.');
    await page.getByRole('heading', { name: 'No animals found' }).waitFor();
    expect(await found('iris')).toEqual([]);
  });

  browserTest('adding sends once, and again after a lost connection without doubling', async () => {
    await using opened = await openConsole(group.browser, group.petstore, {
      path: `${PATH}?open=add`,
    });
    const { page } = opened;
    const dialog = page.getByRole('dialog', { name: 'Add animal' });
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Thistle');
    await dialog.getByRole('combobox', { name: 'Category' }).selectOption('New category…');
    await dialog.getByRole('textbox', { name: 'Name of the new category' }).fill('Lynx');
    // The first response is lost on its way, and then the connection.
    await page.route('**/v1/pets', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await dialog.getByRole('button', { name: 'Add animal' }).dblclick();
    const retry = page.getByRole('button', { name: 'Try again: Add Thistle' });
    await retry.waitFor();
    await page.unroute('**/v1/pets');
    await retry.waitFor({ state: 'detached' });
    expect((await found('thistle')).length).toBe(1);
  });

  browserTest('after too many requests a list waits; a failure stays on its list', async () => {
    await add('Violet');
    await using opened = await open('violet');
    const { page } = opened;
    await rowOf(page, 'Violet').waitFor();
    let isRefused = false;
    const body = { code: 'rate_limit_minute', message: 'Too many.', requestId: 'x' };
    await page.route('**/v1/animals?*', (route) =>
      isRefused
        ? route.fulfill({ status: 429, headers: { 'retry-after': '3' }, json: body })
        : route.continue(),
    );
    isRefused = true;
    const search = page.getByRole('searchbox', { name: 'Search animals' });
    await search.fill('viol');
    await page.getByText('Too many requests were sent.').first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    isRefused = false;
    await page.getByText('Too many requests were sent.').waitFor({ state: 'detached' });
    await rowOf(page, 'Violet').waitFor();

    await page.route('**/v1/animals?*', (route) =>
      route.fulfill({
        status: 500,
        json: { ...body, code: 'internal_error', message: 'Broken.' },
      }),
    );
    await search.fill('violet');
    await page.getByText('This could not be loaded').waitFor();
    expect(await rowOf(page, 'Violet').count()).toBe(0);
    await page.unroute('**/v1/animals?*');
    // After a change of somebody else the page tries by itself.
    const again = page.getByRole('button', { name: 'Try again' });
    await again.or(rowOf(page, 'Violet')).first().click();
    await rowOf(page, 'Violet').waitFor();
    await page.goto(`${group.petstore.url}${PATH}?animal=999999&open=edit`);
    await page.getByRole('dialog', { name: 'This animal is no longer here' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    expect(new URL(page.url()).search).toBe('');
  });

  test.each(looksAt(1280, 360))(
    'has no accessibility violation in $colorScheme at $width, whatever is open',
    async ({ colorScheme, width }) => {
      if ((await found('juniper')).length === 0) await add('Juniper');
      const viewport = { width, height: 740 };
      await using opened = await openConsole(group.browser, group.petstore, {
        path: `${PATH}?q=juniper`,
        colorScheme,
        viewport,
      });
      const { page, complaints } = opened;
      await rowOf(page, 'Juniper').waitFor();
      const check = async (where: string) => {
        expect([where, await accessibilityViolations(page)]).toEqual([where, []]);
        expect([where, await page.evaluate(OVERFLOW)]).toEqual([where, 0]);
      };
      await check('page');
      await page.getByRole('button', { name: 'Actions for Juniper' }).click();
      await check('menu');
      await page.keyboard.press('Escape');
      for (const name of ['Add animal', 'Edit', 'Remove']) {
        if (name === 'Add animal') await page.getByRole('button', { name }).click();
        else await chooseAction(page, 'Juniper', name);
        const dialog = page.getByRole('dialog');
        await dialog.locator('h2:not(:text-is("Animal"))').waitFor();
        await check(name);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
      }
      await page.getByRole('checkbox', { name: 'Select Juniper' }).check();
      await check('selection');
      expect(complaints).toEqual([]);
    },
    BROWSER_TEST_MS,
  );
});
