import { expect } from 'bun:test';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { openConsole } from '../support/console.ts';

describeInBrowser('a shop with 1,100 categories', {}, (group) => {
  browserTest('is not read as a whole: names are asked for when they are needed', async () => {
    const { storage, writer } = group.petstore;
    const kinds = Array.from({ length: 1_100 }, (_, index) => `Kind ${index + 1}`);
    await Promise.all(
      kinds.map(async (name) => await storage.categories.create(name, CHANGE_STAMP)),
    );
    const [last] = (await storage.categories.list({ afterId: 1_099n, limit: 1 }, {})).items;
    await writer.post('/v1/pets', { name: 'Biscuit', categoryId: 1_100 });
    let asked = 0;
    await using opened = await openConsole(group.browser, group.petstore, {
      path: '/console/keys',
    });
    const { page, complaints } = opened;
    page.on('request', (request) => {
      if (request.url().includes('/v1/categories?')) asked++;
    });
    await page.goto(`${group.petstore.url}/console/animals`);
    const row = page.getByRole('row').filter({ hasText: 'Biscuit' });
    await row.getByText(last?.name ?? '').waitFor();
    expect(asked).toBeLessThan(13);

    await page.getByRole('button', { name: 'Add animal' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add animal' });
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Crumb');
    await dialog.getByRole('combobox', { name: 'Category' }).selectOption('Another category…');
    const name = (last?.name ?? '').toUpperCase();
    await dialog.getByRole('textbox', { name: 'Name of the category' }).fill(name);
    await dialog.getByRole('button', { name: 'Add animal' }).click();
    const added = page.getByRole('row').filter({ hasText: 'Crumb' });
    await added.getByText(last?.name ?? '').waitFor();
    // The attempt to add one of that name is refused, which the browser reports.
    expect(complaints.filter((complaint) => !complaint.includes('409'))).toEqual([]);
  });
});
