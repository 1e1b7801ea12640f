import { expect } from 'bun:test';
import { looksWrong } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { choose, chosen, importsOf } from '../support/console-imports.ts';

describeInBrowser('Import of the files of shelters', { isolated: true }, (group) => {
  const { open, pets } = importsOf(group);

  browserTest('categories are asked for once, and one step back keeps everything', async () => {
    await group.petstore.storage.categories.create('Dog', { at: Date.now(), keyId: null });
    await using opened = await open();
    const { page, complaints } = opened;
    const rows = ['1;Bello;Hund;in Vermittlung;14,5', '2;Mia;Katze;IN VERMITTLUNG;4', ';;;;'];
    const more = ['Summe;2;;;'];
    const text = ['Nr.;Name;Tierart;Status;Gewicht', ...rows, ...more].join('\r\n');
    await choose(page, 'tiere.csv', text);
    expect(await chosen(page, 'Category Hund')).toBe('Dog');
    expect(await chosen(page, 'Category Katze')).toBe('Katze');
    // One spelling stands for both, which mean the same.
    expect(await page.getByLabel('IN VERMITTLUNG', { exact: true }).count()).toBe(0);
    expect(await chosen(page, 'in Vermittlung')).toBe('available');
    await page.getByLabel('Unit of weights without one').selectOption('kg');
    await page.getByRole('row', { name: 'Bello' }).getByText('Weight: 14.5 kg').waitFor();
    await page.getByRole('row', { name: 'Bello' }).getByText('Species: Dog').waitFor();
    await page.getByLabel('Publish these animals').check();
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('heading', { name: 'What would happen' }).waitFor();
    // Blank rows and totals are no rejected ones.
    expect(await page.getByRole('definition').allTextContents()).toEqual(['2']);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'The file was imported' }).waitFor();
    await page.getByRole('table', { name: 'Earlier imports' }).getByText('Completed').waitFor();
    expect((await pets()).map(({ name, categoryId }) => [name, categoryId])).toEqual([
      ['Bello', 1n],
      ['Mia', 2n],
    ]);
    await page.goBack();
    await page.getByText('tiere.csv').waitFor();
    expect(await chosen(page, 'Unit of weights without one')).toBe('kg');
    expect(await page.getByLabel('Publish these animals').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await page.getByText('Drop a file here').waitFor();
    await page.goBack();
    expect(await chosen(page, 'Unit of weights without one')).toBe('kg');
    expect(complaints).toEqual([]);
  });

  browserTest(
    'the files of other systems, spreadsheets and JSON are shown as the service reads them',
    async () => {
      await using opened = await open();
      const { page, complaints } = opened;
      const file = (name: string) =>
        page
          .getByLabel('Choose a file')
          .setInputFiles(new URL(`../world/files/${name}`, import.meta.url).pathname);
      await file('adoption-list.xlsx');
      await page.getByRole('row', { name: 'Clementine' }).getByText('Corgi').waitFor();
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByRole('heading', { name: 'What would happen' }).waitFor();
      expect(await page.getByRole('definition').first().textContent()).toBe('3');
      await page.getByRole('button', { name: 'Choose another file' }).click();
      await file('petfinder-api.json');
      await page.getByText('Fetch the photos: “photos”').waitFor();
      await page.getByRole('row', { name: 'Cooper' }).getByText('Breed: Boxer').waitFor();
      await page.getByRole('button', { name: 'Choose another file' }).click();
      await file('sonoma.csv');
      expect(await chosen(page, 'Column Outcome Date')).toBe('outcomeDate');
      await page.getByRole('cell', { name: 'Has left: back to its owner' }).waitFor();
      await page.getByRole('button', { name: 'Choose another file' }).click();
      await file('one-kind.csv');
      await page.getByLabel('Category', { exact: true }).selectOption('None: all are of one kind');
      await page.getByLabel('Status', { exact: true }).selectOption('');
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByText('Say which category all animals have.').waitFor();
      await page.getByLabel('Category of all animals').fill('Dog');
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByRole('heading', { name: 'What would happen' }).waitFor();
      expect(await page.getByRole('definition').first().textContent()).toBe('2');
      expect(await looksWrong(page)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );
});
