import { expect } from 'bun:test';
import { looksWrong } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { openConsole } from '../support/console.ts';

describeInBrowser('Import of profiles', { isolated: true }, (group) => {
  browserTest('columns fill profiles, as they are guessed and as they are chosen', async () => {
    await using opened = await openConsole(group.browser, group.petstore, {
      path: '/console/import',
    });
    const { page, complaints } = opened;
    const chosen = (label: string) => page.getByLabel(label, { exact: true }).inputValue();
    const rows = [
      'Nala,Cat,Spayed Female,Brown/White,blue,x,31.12.2023',
      'Milo,Dog,Chap,Black,,y,13.1.2024',
    ];
    const text = `Name,Kind,Gender,Color,Breed,Where,DOB\n${rows.join('\n')}\n`;
    await page
      .getByLabel('Choose a file')
      .setInputFiles({ name: 'pets.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await page.getByRole('row', { name: 'Nala' }).getByText('Colours: Brown').waitFor();
    expect(await chosen('Column Gender')).toBe('sex');
    expect(await chosen('Column DOB')).toBe('birthDate');
    expect(await chosen('Column Kind')).toBe('species');
    await page.getByLabel('Status', { exact: true }).selectOption('');
    // Breed is a known header, but this person knows better.
    await page.getByLabel('Column Breed').selectOption('Nothing');
    await page.getByLabel('Column Where').selectOption('Born');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('Two columns are “Born”. Choose one of them.').waitFor();
    await page.getByLabel('Column Where').selectOption('Place');
    await page.getByLabel('Publish these animals').check();
    expect(await looksWrong(page)).toEqual([]);
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'The file was imported' }).waitFor();
    const unread = page.getByRole('table', { name: 'Values that were not understood' });
    await unread.getByRole('cell', { name: 'Chap' }).waitFor();
    expect(await looksWrong(page)).toEqual([]);
    expect(await group.petstore.storage.profiles.find(1n)).toMatchObject({
      species: 'cat',
      sex: 'female',
      neutered: true,
      colours: ['Brown', 'White'],
      breed: null,
      birthDate: '2023-12-31',
      location: 'x',
      published: true,
    });
    expect(complaints).toEqual([]);
  });
});
