import { expect } from 'bun:test';
import { looksWrong } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { choose, chosen, importsOf } from '../support/console-imports.ts';

const AUSTIN = new URL('../../examples/austin-animals.csv', import.meta.url).pathname;
const SMALL = 'Id,Name,Kind,Outcome\nA1,Nala,Cat,\nA2,Milo,Dog,Adoption\nA3,,Dog,"Died, old"\n';

describeInBrowser('Import', { isolated: true }, (group) => {
  const { open, pets } = importsOf(group);

  browserTest(
    'a dropped file is mapped, checked and imported; a second time it changes nothing',
    async () => {
      const text = await Bun.file(AUSTIN).text();
      await using opened = await open();
      const { page, complaints } = opened;
      await page.getByText('Drop a file here').waitFor();
      const files = await page.evaluateHandle<object>(
        `(() => { const data = new DataTransfer();
        data.items.add(new File([${JSON.stringify(text)}], 'austin.csv', { type: 'text/csv' }));
        return data; })()`,
      );
      await page.getByText('Drop a file here').dispatchEvent('drop', { dataTransfer: files });
      await page.getByText('austin.csv').waitFor();
      expect(await chosen(page, 'Name')).toBe('Name');
      expect(await chosen(page, 'Category')).toBe('AnimalType');
      expect(await chosen(page, 'Status')).toBe('OutcomeType');
      expect(await chosen(page, 'Id')).toBe('AnimalID');
      expect(await chosen(page, 'Adoption')).toBe('adopted');
      expect(await chosen(page, 'Euthanasia')).toBe('euthanized');
      // All of them have left.
      await page.getByLabel('Also add animals that had left').check();
      await page.getByLabel('Animals without a name are called').fill('Unnamed {AnimalType}');
      await page.getByRole('cell', { name: 'Has left: adopted' }).first().waitFor();
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByRole('heading', { name: 'What would happen' }).waitFor();
      expect(await group.petstore.storage.pets.count()).toBe(0);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByRole('heading', { name: 'The file was imported' }).waitFor();
      const added = await group.petstore.storage.pets.count();
      expect(added).toBeGreaterThan(100);
      const shown = page.getByRole('definition').first();
      expect(await shown.textContent()).toBe(added.toLocaleString('en-GB'));
      expect(new URL(page.url()).search).toBe('?import=2');
      await page.reload();
      await page.getByRole('heading', { name: 'The file was imported' }).waitFor();
      await page.getByRole('button', { name: 'Import another file' }).click();
      await choose(page, 'again.csv', text);
      // What was chosen for a file with these columns is chosen again.
      await page.getByText('These are the choices for the last file').waitFor();
      expect(await page.getByLabel('Animals without a name are called').inputValue()).toBe(
        'Unnamed {AnimalType}',
      );
      expect(await page.getByLabel('Also add animals that had left').isChecked()).toBe(true);
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('The same as before').waitFor();
      await page.getByRole('heading', { name: 'The file was imported' }).waitFor();
      expect(await group.petstore.storage.pets.count()).toBe(added);
      expect(complaints).toEqual([]);
    },
  );

  browserTest('rejected rows are listed with their lines, before and after', async () => {
    await using opened = await open();
    const { page } = opened;
    await choose(page, 'small.csv', SMALL);
    // A status with a comma is quoted in the map.
    await page.getByLabel('Died, old').selectOption('Leave out');
    // An animal without a status may be dead as well.
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('Choose what an empty status means.').waitFor();
    await page.getByLabel('Empty').selectOption('Available');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('heading', { name: 'What would happen' }).waitFor();
    // One is added, one left out, and one had left before.
    expect(await page.getByRole('definition').allTextContents()).toEqual(['1', '1', '1']);
    await page.getByLabel('Status', { exact: true }).selectOption('');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('heading', { name: 'What would happen' }).waitFor();
    await page.getByRole('cell', { name: 'the row has no name' }).waitFor();
    await page.getByRole('cell', { name: 'Rejected: no name' }).waitFor();
    const rejected = page.getByRole('table', { name: 'Rejected rows' });
    await rejected.getByRole('rowheader', { name: /^Line \d/ }).waitFor();
    expect(await pets()).toEqual([]);
    // Another mapping needs another check.
    await page.getByLabel('Animals without a name are called').fill('Nameless');
    await page.getByRole('heading', { name: 'What would happen' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('button', { name: 'Import', exact: true }).dblclick();
    await page.getByRole('heading', { name: 'The file was imported' }).waitFor();
    expect((await pets()).map(({ name }) => name)).toEqual(['Nala', 'Milo', 'Nameless']);
    await page.getByRole('button', { name: 'Import another file' }).click();
    const earlier = page.getByRole('table', { name: 'Earlier imports' });
    expect(await earlier.getByRole('row').count()).toBe(2);
    await earlier.getByRole('cell', { name: 'Robin' }).waitFor();
  });

  browserTest('an unknown status is asked for, and the column of statuses is found', async () => {
    await using opened = await open();
    const { page } = opened;
    const rows = ['Nala,Cat,2024-01-02,Adoption', 'Milo,Dog,2024-01-03,ANDERSWO', 'Rex,Dog,,'];
    await choose(page, 'new.csv', `Name,Type,Outcome Date,Outcome\n${rows.join('\n')}\n`);
    await page.getByRole('rowheader', { name: 'Nala' }).waitFor();
    expect(await chosen(page, 'Status')).toBe('Outcome');
    expect(await chosen(page, 'Adoption')).toBe('adopted');
    expect(await chosen(page, 'ANDERSWO')).toBe('');
    await page.getByRole('row', { name: 'Milo' }).getByText('Not chosen').waitFor();
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('Choose what the status “ANDERSWO” means.').waitFor();
    await page.getByLabel('ANDERSWO').selectOption('Leave out');
    await page.getByLabel('Empty').selectOption('Available');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('heading', { name: 'What would happen' }).waitFor();
    // One is added, one left out, and one had left before.
    expect(await page.getByRole('definition').allTextContents()).toEqual(['1', '1', '1']);
    expect(await pets()).toEqual([]);
  });

  browserTest('no animal is available only because its column is not recognised', async () => {
    await using opened = await open();
    const { page } = opened;
    await choose(page, 'zustand.csv', 'Name,Type,Verbleib\nNala,Cat,ANDERSWO\nRex,Dog,irgendwo\n');
    await page.getByRole('row', { name: 'Nala' }).getByText('Not chosen').waitFor();
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('Choose the column with the statuses, or that there is none.').waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('Verbleib');
    expect([await chosen(page, 'ANDERSWO'), await chosen(page, 'irgendwo')]).toEqual(['', '']);

    // The newer export of Austin: of two columns with "Outcome", the one with statuses is meant.
    await page.getByRole('button', { name: 'Choose another file' }).click();
    const row = 'A1,Nala,2024-01-02,Adoption,Cat';
    await choose(page, 'austin.csv', `Animal ID,Name,Outcome Date,Outcome Type,Type\n${row}\n`);
    await page.getByRole('rowheader', { name: 'Nala' }).waitFor();
    expect(await chosen(page, 'Status')).toBe('Outcome Type');
    // Or, whatever it is called, the column whose values are statuses.
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await choose(page, 'other.csv', 'Name,Type,Where\nNala,Cat,In Foster\nRex,Dog,Adopted\n');
    await page.getByRole('rowheader', { name: 'Nala' }).waitFor();
    expect(await chosen(page, 'Status')).toBe('Where');
  });

  browserTest('a file in another encoding keeps its letters', async () => {
    await using opened = await open();
    const { page } = opened;
    const text = 'name;category\nZoé;Chat\nČeněk;Kočka\n';
    await choose(page, 'chats.csv', Buffer.from('name;category\nZoé;Chat\n', 'latin1'));
    await page.getByRole('rowheader', { name: 'Zoé' }).waitFor();
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await choose(page, 'cats.csv', Buffer.from(`\ufeff${text}`, 'utf16le'));
    await page.getByRole('rowheader', { name: 'Čeněk' }).waitFor();
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'The file was imported' }).waitFor();
    expect((await pets()).map(({ name }) => name)).toEqual(['Zoé', 'Čeněk']);
  });

  browserTest('another encoding is chosen, and the list of encodings stays', async () => {
    await using opened = await open();
    const { page } = opened;
    await choose(
      page,
      'kočky.csv',
      Buffer.from('\u010d;n\u00e1me;kategorie\n\u010d;\u010cen\u011bk;Ko\u010dka\n', 'utf16le'),
    );
    const encoding = page.getByLabel('Encoding');
    expect(await encoding.inputValue()).toBe('windows-1252');
    await encoding.selectOption('utf-16le');
    await page.getByLabel('Name', { exact: true }).selectOption('n\u00e1me');
    await page.getByRole('rowheader', { name: 'Čeněk' }).waitFor();
    await encoding.selectOption('utf-8');
    expect(await encoding.isVisible()).toBe(true);
  });

  browserTest('a file dropped beside the zone is not opened by the browser', async () => {
    await using opened = await open();
    await opened.page.getByText('Drop a file here').waitFor();
    const prevented = `['dragover', 'drop'].map((type) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['name'], 'animals.csv'));
      const init = { bubbles: true, cancelable: true, dataTransfer };
      return !document.body.dispatchEvent(new DragEvent(type, init));
    })`;
    expect(await opened.page.evaluate<boolean[]>(prevented)).toEqual([true, true]);
  });

  browserTest(
    'a check that gets lost is tried again, and an import that is not sent waits in the list',
    async () => {
      await using opened = await open();
      const { page } = opened;
      await choose(page, 'small.csv', SMALL);
      await page.getByLabel('Empty').selectOption('Available');
      await page.getByLabel('Died, old').selectOption('Leave out');
      await page.route('**/v1/imports/*', (route) => route.abort());
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
      await page.unroute('**/v1/imports/*');
      await page.locator('.map-file').getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'What would happen' }).waitFor();
      await page.context().setOffline(true);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByRole('button', { name: 'Try again: Import small.csv' }).waitFor();
      await page.getByText('Drop a file here').waitFor();
      await page.context().setOffline(false);
      await page.getByText('Sent: Import small.csv').waitFor();
      const imports = JSON.parse((await group.petstore.admin.get('/v1/imports')).text);
      expect(imports.map(({ dryRun }: { dryRun: boolean }) => dryRun)).toEqual([true, false]);
    },
  );

  browserTest('a file that is no table is refused with advice, and nothing is sent', async () => {
    await using opened = await open();
    const { page } = opened;
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    await choose(page, 'animals.xlsx', 'PK\u0003\u0004');
    await page.getByText('no spreadsheet that can be read').waitFor();
    await choose(page, 'animals.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'));
    await page.getByText('The file is an old kind of spreadsheet').waitFor();
    await choose(page, 'empty.csv', '');
    await page.getByText('There are no rows in this file').waitFor();
    await choose(page, 'header.csv', 'name,category\n');
    await page.getByText('There are no rows in this file').waitFor();
    await choose(page, 'broken.ndjson', '{"name":"A"}\n{"name":\n');
    await page.getByText('Line 2 is not JSON').waitFor();
    await choose(page, 'other.csv', 'Price,Amount\n1,2\n');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('Choose the column with the names.').waitFor();
    expect(sent).toEqual([]);
  });

  browserTest('an import that does not exist, and a key that may not import', async () => {
    await using opened = await open({ path: '/console/import?import=77' });
    await opened.page.getByRole('alert').getByText('This is no longer there').waitFor();
    await using reading = await open({ scopes: ['read'] });
    await reading.page.getByText('You do not have access to this page').waitFor();
    expect(await reading.page.getByLabel('Choose a file').count()).toBe(0);
  });

  browserTest('is accessible light or dark, wide or narrow, at any step', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    const check = async () => expect(await looksWrong(page)).toEqual([]);
    await page.getByText('Drop a file here').waitFor();
    await check();
    await choose(page, 'small.csv', SMALL);
    await page.getByLabel('Empty').selectOption('Available');
    await page.getByLabel('Died, old').selectOption('Leave out');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('heading', { name: 'What would happen' }).waitFor();
    await check();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'The file was imported' }).waitFor();
    await check();
    expect(complaints).toEqual([]);
  });
});
