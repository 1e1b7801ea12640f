import { expect, test } from 'bun:test';
import { accessibilityViolations, BROWSER_TEST_MS, looksAt } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { message, openConsole, untilFocused } from '../support/console.ts';

const PATH = '/console/categories';

describeInBrowser('categories', {}, (group) => {
  const addCategory = async (name: string): Promise<number> =>
    JSON.parse((await group.petstore.writer.post('/v1/categories', { name })).text).id;
  const names = async (): Promise<string[]> => {
    const { text } = await group.petstore.reader.get('/v1/categories?limit=100');
    return JSON.parse(text).map(({ name }: { name: string }) => name);
  };

  browserTest('an empty shop is told what categories are, and adds one by keyboard', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page, complaints } = opened;
    await page.getByRole('heading', { name: 'No categories yet' }).waitFor();
    const button = page.getByRole('button', { name: 'Add category' });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add category' });
    await dialog.waitFor();
    await untilFocused(page, 'name', 'name');

    await page.keyboard.press('Enter');
    await dialog.getByText('Enter a name.').waitFor();
    const field = dialog.getByRole('textbox', { name: 'Name' });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await untilFocused(page, 'name', 'name');

    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await untilFocused(page, 'textContent', 'Add category');

    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.type('Hedgehog');
    await page.keyboard.press('Enter');
    await message(page, 'Hedgehog was added.');
    await page.getByRole('row', { name: 'Hedgehog' }).waitFor();
    expect(await names()).toEqual(['Hedgehog']);
    expect(complaints).toEqual([]);
  });

  browserTest('a name that is taken is explained, and the dialog stays', async () => {
    await addCategory('Ferret');
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    await page.getByRole('button', { name: 'Add category' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('ferret');
    await dialog.getByRole('button', { name: 'Add category' }).click();
    await dialog.getByText('There is already a category “ferret”.').waitFor();
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('ferret');
  });

  browserTest('what somebody else changes appears, and the focus stays', async () => {
    await addCategory('Goat');
    const id = await addCategory('Turtle');
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    await page.getByRole('row', { name: 'Turtle' }).waitFor();
    await page.getByRole('button', { name: 'Rename Goat' }).focus();
    await group.petstore.writer.patch(`/v1/categories/${id}`, '{"name":"Tortoise"}');
    await page.getByRole('row', { name: 'Tortoise' }).waitFor();
    expect(await page.getByRole('row', { name: 'Turtle' }).count()).toBe(0);
    await untilFocused(page, 'ariaLabel', 'Rename Goat');
  });

  browserTest('a conflict shows both versions, and the person chooses', async () => {
    const id = await addCategory('Parrot');
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    for (const [theirs, mine, choice, result] of [
      ['Parakeet', 'Macaw', 'Keep theirs', 'Parakeet'],
      ['Budgie', 'Cockatoo', 'Use mine', 'Cockatoo'],
    ] as const) {
      await page.getByRole('button', { name: /^Rename Pa/ }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill(mine);
      await group.petstore.writer.patch(`/v1/categories/${id}`, { name: theirs });
      await page.getByRole('button', { name: 'Rename', exact: true }).click();
      const conflict = page.getByRole('dialog', { name: /^Somebody else has changed/ });
      await conflict.getByRole('cell', { name: theirs }).waitFor();
      await conflict.getByRole('cell', { name: mine }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await conflict.getByRole('button', { name: choice }).click();
      await page.getByRole('row', { name: result }).waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await names()).toContain(result);
    }
  });

  browserTest('removal asks first; a category with animals leads to them', async () => {
    const used = await addCategory('Rabbit');
    await addCategory('Hamster');
    await group.petstore.writer.post('/v1/pets', { name: 'Hop', categoryId: used });
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    await page.getByRole('button', { name: 'Remove Hamster' }).click();
    await page.getByRole('dialog', { name: 'Remove Hamster?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await names()).toContain('Hamster');
    await page.getByRole('button', { name: 'Remove Hamster' }).click();
    await page.getByRole('button', { name: 'Remove category' }).click();
    await message(page, 'Hamster was removed.');
    expect(await names()).not.toContain('Hamster');

    await page.getByRole('button', { name: 'Remove Rabbit' }).click();
    await page.getByRole('dialog', { name: 'Rabbit still has 1 animal' }).waitFor();
    await page.getByRole('button', { name: 'Show these animals' }).click();
    await page.waitForURL(`**/console/animals?category=${used}`);
    expect(await names()).toContain('Rabbit');
  });

  browserTest('without the network a change is listed, and sent again only once', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    await page.getByRole('row', { name: 'Rabbit' }).waitFor();
    // The first try arrives, but its response is lost.
    let tries = 0;
    await page.route('**/v1/categories', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      if (tries++ === 0) await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Add category' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Llama');
    await page.getByRole('button', { name: 'Add category' }).last().click();
    const outbox = page.getByRole('region', { name: 'Not sent yet' });
    await outbox.getByText('Add category Llama').waitFor();
    expect(await page.getByRole('row', { name: 'Rabbit' }).count()).toBe(1);

    // When the service can be reached again, it is sent by itself.
    await page.unroute('**/v1/categories');
    await message(page, 'Llama was added.');
    await outbox.waitFor({ state: 'detached' });
    expect((await names()).filter((name) => name === 'Llama')).toHaveLength(1);
  });

  browserTest('people who may only read see no buttons', async () => {
    await using opened = await openConsole(group.browser, group.petstore, {
      path: PATH,
      scopes: ['read'],
    });
    await opened.page.getByRole('row', { name: 'Rabbit' }).waitFor();
    for (const name of ['Add category', 'Rename Rabbit', 'Remove Rabbit']) {
      expect(await opened.page.getByRole('button', { name }).count()).toBe(0);
    }
  });

  browserTest('a long list has pages: next, previous, back and a shared link', async () => {
    for (let index = 1; index <= 55; index++) await addCategory(`Kind ${index}`);
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    await page.getByRole('row', { name: 'Rabbit' }).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    const last = page.getByRole('row', { name: 'Kind 55' });
    await last.waitFor();
    const link = page.url();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByRole('row', { name: 'Rabbit' }).waitFor();
    await page.goBack();
    await last.waitFor();
    await page.goto('about:blank');
    await page.goto(link);
    await last.waitFor();
    await page.reload();
    await last.waitFor();
    await page.goto(`${group.petstore.url}${PATH}?page=nonsense`);
    await page.getByRole('link', { name: 'Go to the first page' }).click();
    await page.getByRole('row', { name: 'Rabbit' }).waitFor();
  });

  test.each(looksAt(1280, 360))(
    'the page and its dialogs have no accessibility violation in $colorScheme at $width',
    async ({ colorScheme, width }) => {
      const viewport = { width, height: 740 };
      await using opened = await openConsole(group.browser, group.petstore, {
        path: PATH,
        colorScheme,
        viewport,
      });
      const { page } = opened;
      await page.getByRole('row', { name: 'Rabbit' }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      for (const name of ['Add category', 'Rename Rabbit', 'Remove Ferret', 'Remove Rabbit']) {
        await page.getByRole('button', { name }).click();
        await page.getByRole('dialog').waitFor();
        expect([name, await accessibilityViolations(page)]).toEqual([name, []]);
        await page.getByRole('button', { name: 'Close' }).click();
      }
    },
    BROWSER_TEST_MS,
  );
});
