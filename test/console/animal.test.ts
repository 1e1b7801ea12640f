import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { BROWSER_TEST_MS, looksAt, looksWrong } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { message, untilFocused } from '../support/console.ts';
import { addressOf, animalPages, choose } from '../support/console-animals.ts';

const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();

describeInBrowser('the page of an animal', {}, (group) => {
  const { add, patch, profileOf, becomes, open } = animalPages(group);

  browserTest('the name in the list leads to it, and a group is changed at once', async () => {
    const id = await add('Juniper');
    await using opened = await open('/console/animals?q=juniper');
    const { page, complaints } = opened;
    await page.getByRole('link', { name: 'Juniper', exact: true }).click();
    await page.waitForURL(`**${addressOf(id)}`);
    await untilFocused(page, 'textContent', 'Juniper');
    const about = page.getByRole('region', { name: 'About' });
    await about.getByText('Not known').first().waitFor();

    await page.getByRole('link', { name: 'Edit: About' }).click();
    await page.getByRole('combobox', { name: 'Species' }).selectOption('Dog');
    await page.getByRole('textbox', { name: 'Breed', exact: true }).fill('Whippet');
    await choose(page, 'Mixed', 'No');
    await choose(page, 'Sex', 'Female');
    await page.getByRole('spinbutton', { name: 'Year' }).fill('2022');
    await page.getByRole('combobox', { name: 'Month' }).selectOption('May');
    await page.getByRole('textbox', { name: 'Description' }).fill('Long legs.\nLonger naps.');
    await save(page);
    await message(page, 'Juniper was saved.');
    await about.getByText(/^May 2022 \(\d\syears\)$/).waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(await profileOf(id)).toMatchObject({
      ...{ species: 'dog', breed: 'Whippet', mixed: false, sex: 'female', houseTrained: null },
      ...{ birthDate: '2022-05-01', birthDatePrecision: 'month', energy: null },
      description: 'Long legs.\nLonger naps.',
    });
    expect(complaints).toEqual([]);
  });

  browserTest('weights, fees, colours and chips are typed as people write them', async () => {
    const id = await add('Sage');
    // The browser's clock is behind that of the service.
    await group.petstore.writer.patch(`/v1/pets/${id}/profile`, { inCareSince: '2025-03-01' });
    await using opened = await open(addressOf(id));
    const { page } = opened;
    await page.getByRole('link', { name: 'Edit: Looks' }).click();
    await page.getByRole('textbox', { name: 'Weight in kg' }).fill('4,25');
    const colours = page.getByRole('textbox', { name: 'Colours' });
    await colours.fill('Brown, White, Black, Grey');
    await save(page);
    await page.getByText('Enter at most 3.').waitFor();
    await colours.fill(' Brown,White ');
    await save(page);
    await page.getByText('4.25 kg', { exact: true }).waitFor();

    await page.getByRole('link', { name: 'Edit: Adoption' }).click();
    await page.getByRole('textbox', { name: 'Amount' }).fill('12,50');
    await save(page);
    await page.getByText('Enter its three letters.').waitFor();
    await page.getByRole('textbox', { name: 'Currency' }).fill('eur');
    await save(page);
    await page.getByText('€12.50', { exact: true }).waitFor();

    await page.getByRole('link', { name: 'Edit: Private' }).click();
    await page.getByRole('textbox', { name: 'Microchip' }).fill('276 098 102 345 678');
    await save(page);
    await becomes(id, {
      ...{ weightGrams: 4_250, colours: ['Brown', 'White'], microchip: '276098102345678' },
      fee: { amount: 1_250, currency: 'EUR' },
    });

    // What was known becomes unknown again, which is not "no".
    await patch(id, { neutered: true });
    const health = page.getByRole('region', { name: 'Health' });
    await health.getByText('Yes').waitFor();
    await page.getByRole('link', { name: 'Edit: Health' }).click();
    await choose(page, 'Neutered', 'Not known');
    await save(page);
    await becomes(id, { neutered: null });
  });

  browserTest('two people change one group: what differs merges, one field is asked', async () => {
    const id = await add('Clover');
    await using opened = await open(addressOf(id, '?edit=looks&field=coat'));
    const { page } = opened;
    await untilFocused(page, 'name', 'coat');
    await page.getByRole('combobox', { name: 'Coat' }).selectOption('Short');
    await choose(page, 'Size', 'Small');
    await patch(id, { size: 'large', colours: ['Red'] });
    await save(page);
    const conflict = page.getByRole('dialog', { name: 'Somebody else has changed Clover' });
    await conflict.getByRole('row', { name: 'Size Large Small' }).waitFor();
    expect(await conflict.getByRole('row').count()).toBe(2);
    await conflict.getByRole('button', { name: 'Use mine' }).click();
    await becomes(id, { size: 'small', coat: 'short', colours: ['Red'] });
    await page.getByRole('region', { name: 'Looks' }).getByText('Red').waitFor();

    // The same without a question, and what others change appears.
    await page.getByRole('link', { name: 'Edit: Gets on with' }).click();
    await choose(page, 'With dogs', 'Yes');
    await patch(id, { goodWithCats: 'no' });
    await save(page);
    await becomes(id, { goodWithDogs: 'yes', goodWithCats: 'no' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  browserTest('a change without a connection is kept, and sent later', async () => {
    const id = await add('Fern');
    await using opened = await open(addressOf(id, '?edit=company'));
    const { page } = opened;
    await choose(page, 'With children', 'From 5 years');
    await page.context().setOffline(true);
    await save(page);
    await page.getByText('Edit Fern: this is kept and will be sent by itself.').waitFor();
    await page.context().setOffline(false);
    await becomes(id, { goodWithChildren: 'over_5' });
    await page.getByText('From 5 years', { exact: true }).waitFor();
  });

  browserTest('has the adoptions and the history, with who set each status', async () => {
    const key = await group.petstore.keyWith({ name: 'Front desk', scopes: ['write'] });
    const id = await add('Rowan');
    const { text } = await key.client.post('/v1/store/orders', { petId: id, adopter: 'M. Okafor' });
    const order = JSON.parse(text).id;
    await using opened = await open(addressOf(id));
    const { page } = opened;
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('by Front desk').first().waitFor();
    await key.client.patch(`/v1/store/orders/${order}`, { status: 'cancelled' });
    await history.getByText('Status: Cancelled, it was Placed').waitFor();
    const titles = await history.locator('strong').allTextContents();
    expect(titles).toEqual([
      ...['Animal changed', 'Adoption changed', 'Animal changed', 'Adoption started'],
      'Animal added',
    ]);
    const adoption = page.getByRole('region', { name: 'Adoptions' });
    await adoption.getByText('Cancelled').waitFor();
    await adoption.getByRole('link', { name: 'M. Okafor' }).click();
    await page.waitForURL(`**/console/adoptions?order=${order}`);

    await using reader = await open(addressOf(id), { scopes: ['read'] });
    const read = reader.page.getByRole('region', { name: 'History' });
    await read.getByText('Animal added').waitFor();
    expect(await read.getByText('Front desk').count()).toBe(0);
  });

  browserTest('name, category and status change here too, and removing leads back', async () => {
    const id = await add('Hazel');
    await using opened = await open(addressOf(id));
    const { page } = opened;
    await page.getByRole('button', { name: 'Status of Hazel:' }).click();
    await page.getByRole('menuitemradio', { name: 'Adopted' }).click();
    await message(page, 'Hazel is now adopted.');
    await page.getByRole('link', { name: 'Edit name and category' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Hazelnut');
    await save(page);
    await page.getByRole('heading', { level: 1, name: 'Hazelnut' }).waitFor();
    await page.getByRole('button', { name: 'Actions for Hazelnut' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.waitForURL('**/console/animals');
    await page.goBack();
    await page.getByText('This animal was removed.').waitFor();
  });

  browserTest('says why the public does not see it, with links to what helps', async () => {
    const id = await add('Tansy');
    await patch(id, { care: 'quarantine' });
    await using opened = await open(addressOf(id));
    const { page, complaints } = opened;
    const card = page.getByRole('region', { name: 'For the public' });
    await card.getByText('Not shown to the public').waitFor();
    expect(await card.getByRole('listitem').count()).toBe(4);
    const published = card.getByRole('switch', { name: 'Published' });
    await published.focus();
    await page.keyboard.press('Space');
    await message(page, 'Tansy is published.');
    await card.getByText('It is not published').waitFor({ state: 'detached' });
    expect(await published.isChecked()).toBe(true);

    await card.getByRole('link', { name: 'Choose the species' }).click();
    await untilFocused(page, 'name', 'species');
    await page.getByRole('combobox', { name: 'Species' }).selectOption('Cat');
    await save(page);
    await card.getByText('Its species is not known.').waitFor({ state: 'detached' });
    await card.getByRole('link', { name: 'Change where it is' }).click();
    await untilFocused(page, 'name', 'care');
    const care = page.getByRole('combobox', { name: 'Where it is cared for' });
    await care.selectOption('In a foster home');
    await save(page);
    await card.getByText('Shown to the public', { exact: true }).waitFor();
    // A hint, not a reason.
    await card.getByText('It has no photo.').waitFor();

    await patch(id, { published: false });
    await card.getByText('Not shown to the public').waitFor();
    expect(await published.isChecked()).toBe(false);
    await page.getByRole('link', { name: 'Not published' }).waitFor();
    expect(complaints).toEqual([]);
  });

  browserTest('who may only read sees what the public may, and changes nothing', async () => {
    const id = await add('Basil');
    await patch(id, { species: 'cat', location: 'Kennel 12', neutered: true });
    await using opened = await open(addressOf(id, '?edit=private'), { scopes: ['read'] });
    const { page, complaints } = opened;
    await page.getByRole('region', { name: 'About' }).getByText('Cat', { exact: true }).waitFor();
    await page.getByText('Not published').waitFor();
    expect(await page.getByText('Kennel 12').count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Private' }).count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByRole('link', { name: /Edit/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /Add|Edit|Remove|Status/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test(
    'has no accessibility violation, whatever is open',
    async () => {
      const id = await add('Thyme');
      await patch(id, { species: 'dog', headline: 'Smells nice', birthDate: '2024-01-01' });
      await using opened = await open(addressOf(id));
      const { page } = opened;
      await page.getByText('Smells nice', { exact: true }).waitFor();
      expect(await looksWrong(page, looksAt(1280, 360))).toEqual([]);
      for (const edit of ['about', 'looks', 'adoption', 'private']) {
        await page.goto(group.petstore.url + addressOf(id, `?edit=${edit}`));
        await page.getByRole('dialog').waitFor();
        const wrong = await looksWrong(page, looksAt(1280, 360));
        expect([edit, ...wrong]).toEqual([edit]);
      }
    },
    BROWSER_TEST_MS,
  );
});
