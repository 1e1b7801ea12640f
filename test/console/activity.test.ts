import { expect } from 'bun:test';
import { addAnimals } from '../support/animals.ts';
import { looksWrong } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { openConsole } from '../support/console.ts';

const PATH = '/console/activity';

describeInBrowser('Activity', { isolated: true }, (group) => {
  browserTest('what anybody changes appears at once, newest first, and is filtered', async () => {
    await using opened = await openConsole(group.browser, group.petstore, {
      path: PATH,
      scopes: ['read'],
    });
    const { page, complaints } = opened;
    await page.getByText('What anybody changes appears here at once.').waitFor();
    await group.petstore.writer.post('/v1/categories', { name: 'Rabbit' });
    await group.petstore.writer.post('/v1/pets', { name: 'Bella', categoryId: 1 });
    await group.petstore.writer.post('/v1/store/orders', {
      petId: 1,
      adopter: 'A secret name',
    });
    const items = page.getByRole('main').getByRole('listitem');
    await items.filter({ hasText: 'Adoption started: number 1, placed' }).waitFor();
    await items.filter({ hasText: 'Animal changed: Bella, pending' }).waitFor();
    expect(await items.count()).toBe(4);
    expect(await items.last().textContent()).toContain('Category added: Rabbit');
    expect(await page.content()).not.toContain('A secret name');
    await page.getByRole('combobox', { name: 'Show' }).selectOption('category');
    expect(await items.count()).toBe(1);
    await page.reload();
    await items.filter({ hasText: 'Rabbit' }).waitFor();
    expect(await items.count()).toBe(1);
    await group.petstore.writer.patch('/v1/pets/1/profile', { breed: 'Beagle' });
    await page.getByRole('combobox', { name: 'Show' }).selectOption('pet');
    await items.filter({ hasText: 'Profile changed: number 1' }).waitFor();
    expect(complaints).toEqual([]);
  });

  browserTest('of many changes it has the latest 300, each once', async () => {
    await addAnimals(group.petstore.storage, Array(310).fill({}));
    await using opened = await openConsole(group.browser, group.petstore, {
      path: PATH,
      scopes: ['read'],
    });
    const items = opened.page.getByRole('main').getByRole('listitem');
    await items.nth(299).waitFor();
    expect(await items.count()).toBe(300);
    await group.petstore.writer.post('/v1/pets', { name: 'The last', categoryId: 1 });
    await items.filter({ hasText: 'The last' }).waitFor();
    expect(await items.count()).toBe(300);
    expect(await items.first().textContent()).toContain('The last');
  });

  browserTest('has no accessibility violation, light or dark, wide or narrow', async () => {
    await addAnimals(group.petstore.storage, [{ name: 'B'.repeat(90) }]);
    await using opened = await openConsole(group.browser, group.petstore, {
      path: PATH,
      scopes: ['read'],
    });
    await opened.page.getByText('Animal added').waitFor();
    expect(await looksWrong(opened.page)).toEqual([]);
  });
});
