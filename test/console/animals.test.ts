import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { message, openConsole, untilFocused } from '../support/console.ts';
import {
  type Animal,
  addAnimal,
  animalsNamed,
  chooseAction,
  chooseStatus,
  rowOf,
  statusOf,
} from '../support/console-animals.ts';
import { eventually } from '../support/eventually.ts';

const PATH = '/console/animals';

describeInBrowser('animals', {}, (group) => {
  const add = (name: string, status?: string, categoryId?: number) =>
    addAnimal(group.petstore, name, status, categoryId);
  const found = (name: string) => animalsNamed(group.petstore, name);
  const becomes = (name: string, wanted: Partial<Animal>) =>
    eventually(
      async () => (await found(name))[0],
      (animal) => animal !== undefined && Bun.deepMatch(wanted, animal),
    );

  browserTest('an empty shop leads to the first animal, with a category, by keyboard', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { path: PATH });
    const { page, complaints } = opened;
    await page.getByRole('link', { name: 'Import a file' }).waitFor();
    await page.getByRole('link', { name: 'Add the first animal' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add animal' });
    await dialog.getByRole('textbox', { name: 'Name of the new category' }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByText('Enter a name.', { exact: true }).waitFor();
    await untilFocused(page, 'name', 'name');
    await page.keyboard.type('Juniper');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Cat');
    await page.keyboard.press('Enter');
    await rowOf(page, 'Juniper').getByText('Cat', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    const [animal] = await found('Juniper');
    expect(animal).toEqual({ id: 1, name: 'Juniper', categoryId: 1, status: 'available' });
    expect(complaints).toEqual([]);
  });

  browserTest('edits of different fields merge without a question', async () => {
    const id = await add('Thyme');
    await using opened = await openConsole(group.browser, group.petstore, {
      path: `${PATH}?q=thyme`,
    });
    const { page } = opened;
    await chooseAction(page, 'Thyme', 'Edit');
    const dialog = page.getByRole('dialog', { name: 'Edit Thyme' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Wild Thyme');
    await group.petstore.writer.patch(`/v1/pets/${id}`, { status: 'pending' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await message(page, 'Wild Thyme was saved.');
    await becomes('thyme', { name: 'Wild Thyme', status: 'pending' });

    // Who keeps the version of the other is not told that something was saved.
    await chooseAction(page, 'Wild Thyme', 'Edit');
    await page.getByRole('textbox', { name: 'Name' }).fill('Lemon Thyme');
    await group.petstore.writer.patch(`/v1/pets/${id}`, { name: 'Creeping Thyme' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Keep theirs' }).click();
    await message(page, 'Wild Thyme stays as somebody else has changed it.');
    await becomes('thyme', { name: 'Creeping Thyme' });
  });

  browserTest('one key changes a status, and "Undo" takes it back', async () => {
    await add('Maple');
    await using opened = await openConsole(group.browser, group.petstore, {
      path: `${PATH}?q=maple`,
    });
    const { page, complaints } = opened;
    await statusOf(page, 'Maple').focus();
    await page.keyboard.press('p');
    await message(page, 'Maple is now pending.');
    await becomes('maple', { status: 'pending' });
    await untilFocused(page, 'ariaLabel', 'Status of Maple: Pending');
    await page.getByRole('button', { name: 'Undo' }).click();
    await message(page, 'Maple is available again.');
    await becomes('maple', { status: 'available' });
    await statusOf(page, 'Maple').getByText('Available').waitFor();

    // The menu opens with the current status; the arrow keys step through it, Enter chooses.
    await statusOf(page, 'Maple').press('Enter');
    await page.getByRole('menuitemradio', { name: 'Available', checked: true }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await message(page, 'Maple is now adopted.');
    await becomes('maple', { status: 'sold' });
    await chooseStatus(page, 'Maple', 'Available');
    await message(page, 'Maple is now available.');
    const { text } = await group.petstore.reader.get(
      `/v1/pets/${(await found('maple'))[0]?.id}/history`,
    );
    const statuses = JSON.parse(text).flatMap(
      ({ changes }: { changes: { status?: string[] } }) => changes.status?.[1] ?? [],
    );
    expect(statuses).toEqual(['available', 'pending', 'available', 'sold', 'available']);

    // Z does the same as the button.
    await statusOf(page, 'Maple').focus();
    await page.keyboard.press('s');
    await message(page, 'Maple is now adopted.');
    await page.keyboard.press('z');
    await page.getByText('Maple is now adopted.').waitFor({ state: 'detached' });
    await becomes('maple', { status: 'available' });
    expect(complaints).toEqual([]);
  });

  browserTest('what somebody else changes appears, and the focus stays', async () => {
    const id = await add('Hazel');
    await using opened = await openConsole(group.browser, group.petstore, {
      path: `${PATH}?q=hazel`,
    });
    const { page } = opened;
    await statusOf(page, 'Hazel').focus();
    await group.petstore.writer.patch(`/v1/pets/${id}`, { status: 'sold' });
    await statusOf(page, 'Hazel').getByText('Adopted').waitFor();
    await group.petstore.writer.patch(`/v1/pets/${id}`, { name: 'Hazelnut' });
    await rowOf(page, 'Hazelnut').waitFor();
    await add('Hazel the second');
    await rowOf(page, 'Hazel the second').waitFor();
    await untilFocused(page, 'ariaLabel', 'Status of Hazelnut: Adopted');
    await group.petstore.writer.delete(`/v1/pets/${id}`);
    await rowOf(page, 'Hazelnut').waitFor({ state: 'detached' });
  });

  browserTest('two people edit one animal: the second sees what changed and chooses', async () => {
    const id = await add('Clover');
    await using first = await openConsole(group.browser, group.petstore, {
      path: `${PATH}?q=clover`,
    });
    await using second = await openConsole(group.browser, group.petstore, {
      path: `${PATH}?q=clover`,
    });
    const edit = async (page: Page, name: string) => {
      await page.getByRole('textbox', { name: 'Name' }).fill(name);
      await page.getByRole('button', { name: 'Save' }).click();
    };
    await chooseAction(first.page, 'Clover', 'Edit');
    await chooseAction(second.page, 'Clover', 'Edit');
    await second.page.getByRole('textbox', { name: 'Name' }).waitFor();
    await edit(first.page, 'Red Clover');
    await message(first.page, 'Red Clover was saved.');
    await group.petstore.writer.patch(`/v1/pets/${id}`, { categoryId: 77 });

    await edit(second.page, 'White Clover');
    const conflict = second.page.getByRole('dialog', { name: 'Somebody else has changed Clover' });
    await conflict.getByRole('row', { name: 'Name Red Clover White Clover' }).waitFor();
    // The category was not touched here: it is no question.
    expect(await conflict.getByRole('row').count()).toBe(2);
    expect((await found('clover'))[0]?.name).toBe('Red Clover');
    expect(await accessibilityViolations(second.page)).toEqual([]);
    await conflict.getByRole('button', { name: 'Use mine' }).click();
    await rowOf(second.page, 'White Clover').waitFor();
    await becomes('clover', { id, name: 'White Clover' });
    await rowOf(first.page, 'White Clover').waitFor();

    await chooseAction(first.page, 'White Clover', 'Edit');
    await first.page.getByRole('textbox', { name: 'Name' }).waitFor();
    await group.petstore.writer.patch(`/v1/pets/${id}`, { name: 'Sweet Clover' });
    await edit(first.page, 'Wild Clover');
    await first.page.getByRole('button', { name: 'Keep theirs' }).click();
    await rowOf(first.page, 'Sweet Clover').waitFor();
    expect((await found('clover'))[0]?.name).toBe('Sweet Clover');

    await chooseAction(first.page, 'Sweet Clover', 'Edit');
    await first.page.getByRole('textbox', { name: 'Name' }).waitFor();
    await group.petstore.writer.delete(`/v1/pets/${id}`);
    await edit(first.page, 'Lost Clover');
    await first.page.getByText('Somebody else has removed Sweet Clover.').waitFor();
  });

  browserTest('a status goes through if somebody else has changed only the name', async () => {
    const id = await add('Fern');
    await using opened = await openConsole(group.browser, group.petstore, {
      path: `${PATH}?q=fern`,
    });
    const { page } = opened;
    // No event arrives, so that the page shows the old name.
    await page.route('**/v1/events*', () => {});
    await page.reload();
    await rowOf(page, 'Fern').waitFor();
    await group.petstore.writer.patch(`/v1/pets/${id}`, { name: 'Fern Leaf' });
    await chooseStatus(page, 'Fern', 'Adopted');
    await message(page, 'Fern Leaf is now adopted.');
  });

  browserTest('asks before it removes, and says why an adoption prevents it', async () => {
    const id = await add('Sorrel');
    const order = JSON.parse(
      (await group.petstore.writer.post('/v1/store/orders', { petId: id })).text,
    );
    await using opened = await openConsole(group.browser, group.petstore, {
      path: `${PATH}?q=sorrel`,
    });
    const { page } = opened;
    await chooseAction(page, 'Sorrel', 'Remove');
    const dialog = page.getByRole('dialog', { name: 'Remove Sorrel?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await untilFocused(page, 'ariaLabel', 'Actions for Sorrel');

    await chooseAction(page, 'Sorrel', 'Remove');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    const refusal = page.getByRole('dialog', { name: 'Sorrel was not removed' });
    await refusal.getByText('An open adoption holds Sorrel.').waitFor();
    await refusal.getByRole('button', { name: 'Show the adoption' }).click();
    await page.waitForURL(`**/console/adoptions?order=${order.id}`);
    await page.goBack();
    await chooseStatus(page, 'Sorrel', 'Adopted');
    await message(page, 'Sorrel is still pending. An open adoption holds Sorrel.');
    await statusOf(page, 'Sorrel').getByText('Pending').waitFor();

    await group.petstore.writer.patch(`/v1/store/orders/${order.id}`, { status: 'cancelled' });
    await statusOf(page, 'Sorrel').getByText('Available').waitFor();
    await page.getByRole('button', { name: 'Actions for Sorrel', exact: true }).click();
    const adoption = page.getByRole('menuitem', { name: 'Start adoption' });
    expect(await adoption.getAttribute('href')).toBe(`/console/adoptions?place=${id}`);
    await page.keyboard.press('Escape');
    await chooseAction(page, 'Sorrel', 'Remove');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await message(page, 'Sorrel was removed.');
    await page.getByRole('heading', { name: 'No animals found' }).waitFor();
    await untilFocused(page, 'id', 'main');
    expect(await found('sorrel')).toEqual([]);
  });

  browserTest('people who may only look see no controls that change something', async () => {
    await add('Basil');
    const options = { path: `${PATH}?q=basil&open=add`, scopes: ['read'] } as const;
    await using opened = await openConsole(group.browser, group.petstore, options);
    const { page } = opened;
    await rowOf(page, 'Basil').getByText('Available').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Add|Edit|Remove/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Start adoption' }).count()).toBe(0);
  });
});
