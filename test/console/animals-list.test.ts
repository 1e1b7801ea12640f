import { expect } from 'bun:test';
import { addAnimals } from '../support/animals.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { message, openConsole, untilFocused } from '../support/console.ts';
import {
  addAnimal,
  animalsNamed,
  changeStatusOfAll,
  chooseAll,
  rowOf,
} from '../support/console-animals.ts';
import { eventuallyIs } from '../support/eventually.ts';

const PATH = '/console/animals';

describeInBrowser('the list of animals', {}, (group) => {
  const add = (name: string, status?: string, categoryId?: number) =>
    addAnimal(group.petstore, name, status, categoryId);
  const found = (name: string) => animalsNamed(group.petstore, name);

  browserTest('search and filters are in the address: back, reload and a link work', async () => {
    await addAnimals(
      group.petstore.storage,
      Array.from({ length: 60 }, (_, n) => ({ name: `Willow ${n}`, categoryId: 1n })),
    );
    await group.petstore.writer.post('/v1/categories', { name: 'Cat' });
    await add('Old Willow', 'sold', 7);
    await add('Aspen');
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    // The newest is first, and there is a total.
    await page.getByRole('row').nth(1).getByText('Aspen').waitFor();
    await page.getByText('1–25 of 62 animals').waitFor();
    await page.getByRole('searchbox', { name: 'Search animals' }).pressSequentially('WILLOW');
    await rowOf(page, 'Aspen').waitFor({ state: 'detached' });
    await untilFocused(page, 'name', 'q');
    await page.waitForURL(/\?q=WILLOW$/);

    await page.getByRole('button', { name: 'Next' }).click();
    await rowOf(page, 'Willow 34').waitFor();
    await page.reload();
    await rowOf(page, 'Willow 34').waitFor();
    await page.goBack();
    await rowOf(page, 'Willow 35').waitFor();
    await page.getByRole('combobox', { name: 'Status', exact: true }).selectOption('Adopted');
    await rowOf(page, 'Old Willow').getByText('Category 7').waitFor();
    await eventuallyIs(() => page.getByRole('row').count(), 2);
    await page.getByRole('combobox', { name: 'Category', exact: true }).selectOption('Cat');
    await page.getByRole('heading', { name: 'No animals found' }).waitFor();
    await page.goto(page.url());
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rowOf(page, 'Aspen').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    expect(new URL(page.url()).search).toBe('');
    // One step back leads to the search, not to its letters.
    await page.goBack();
    await page.getByRole('heading', { name: 'No animals found' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('WILLOW');
  });

  browserTest('what was added is shown: by its message, its number and a larger page', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    await page.getByRole('button', { name: 'Add animal' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add animal' });
    // A second one of the name may be the same animal.
    await dialog.getByRole('textbox', { name: 'Name' }).fill('aspen');
    await dialog.getByText(/There is Aspen already: number \d+\./).waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Yarrow');
    await dialog.getByRole('combobox', { name: 'Category' }).selectOption('Cat');
    await page.keyboard.press('Enter');
    await message(page, 'Yarrow was added.');
    await page.getByRole('link', { name: 'Show', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Yarrow' }).waitFor();
    await page.goBack();

    const id = (await found('yarrow'))[0]?.id;
    await page.getByRole('searchbox').fill(`${id}`);
    await page.getByRole('row').nth(1).getByText('Yarrow').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByRole('combobox', { name: 'Rows' }).selectOption('100');
    await page.getByText('63 animals', { exact: true }).waitFor();
    expect(await page.getByRole('row').count()).toBe(64);
    expect(new URL(page.url()).search).toBe('?size=100');
  });

  browserTest('on a phone a long name leaves room for the checkbox; cards are low', async () => {
    const name = 'Maximilian the Magnificent of Austin '.repeat(3).trim();
    await add(name);
    await using opened = await openConsole(group.browser, group.petstore, {
      path: `${PATH}?q=magnificent`,
      viewport: { width: 360, height: 740 },
    });
    const row = rowOf(opened.page, name);
    const title = await row.getByRole('rowheader').boundingBox();
    const checkbox = await row.getByRole('checkbox').boundingBox();
    expect((checkbox?.x ?? 0) + (checkbox?.width ?? 0)).toBeLessThanOrEqual(title?.x ?? 0);
    await opened.page.goto(`${group.petstore.url}${PATH}?q=aspen`);
    const card = await rowOf(opened.page, 'Aspen').boundingBox();
    // Its last line says since when it is here.
    expect(card?.height).toBeLessThan(140);
  });

  browserTest('rows are low beside their pictures, and columns stay where they are', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page } = opened;
    const places = async () =>
      (await page.getByRole('columnheader').all()).map((one) => one.boundingBox());
    await rowOf(page, 'Aspen').waitFor();
    const before = await Promise.all(await places());
    expect((await rowOf(page, 'Aspen').boundingBox())?.height).toBeLessThanOrEqual(50);
    await page.getByRole('searchbox').fill('magnificent');
    await rowOf(page, 'Aspen').waitFor({ state: 'detached' });
    await rowOf(page, 'Maximilian').waitFor();
    expect(await Promise.all(await places())).toEqual(before);
  });

  browserTest('an unfinished search reads on, and then asks whether to', async () => {
    await add('Maple');
    const reading = { path: PATH, scopes: ['read'] } as const;
    await using opened = await openConsole(group.browser, group.petstore, reading);
    const { page } = opened;
    let requests = 0;
    await page.route('**/v1/pets?*name=oak*', async (route) => {
      requests++;
      const link = `</v1/pets?name=oak&cursor=c${requests}>; rel="next"`;
      await route.fulfill({ json: [], headers: { link } });
    });
    await page.getByRole('searchbox').fill('oak');
    await page.getByRole('heading', { name: 'None found so far' }).waitFor();
    expect(requests).toBe(5);
    await page.getByRole('button', { name: 'Search on' }).click();
    await page.waitForURL(/page=c5/);
  });

  browserTest('all that match are selected; many are removed only by their number', async () => {
    await addAnimals(
      group.petstore.storage,
      Array.from({ length: 30 }, (_, n) => ({ name: `Sage ${n}`, categoryId: 9n })),
    );
    await using opened = await openConsole(group.browser, group.petstore, {
      path: `${PATH}?category=9`,
    });
    const { page } = opened;
    await rowOf(page, 'Sage 29').waitFor();
    await chooseAll(page);
    await page.getByRole('button', { name: 'Select all 30 that match' }).click();
    await page.getByText('30 animals selected').waitFor();
    await changeStatusOfAll(page, 'Pending');
    await message(page, '30 animals are now pending.');
    expect((await found('sage'))[0]?.status).toBe('pending');

    await chooseAll(page);
    await page.getByRole('button', { name: 'Remove selected' }).click();
    const question = page.getByRole('dialog', { name: 'Remove 25 animals?' });
    await question.getByRole('button', { name: 'Remove 25 animals' }).click();
    await question.getByText('Type 25.').waitFor();
    await question.getByRole('textbox').fill('25');
    await question.getByRole('button', { name: 'Remove 25 animals' }).click();
    await message(page, '25 animals were removed.');
    expect(await found('sage')).toHaveLength(5);
  });
});
