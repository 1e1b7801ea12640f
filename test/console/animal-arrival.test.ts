import { expect } from 'bun:test';
import { addPhoto, photosOf } from '../photos/adding.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { message, untilFocused } from '../support/console.ts';
import { addressOf, animalPages, choose, rowOf } from '../support/console-animals.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';

describeInBrowser('an animal that arrives', {}, (group) => {
  const { add, patch, becomes, open } = animalPages(group);

  browserTest('adding an animal asks for what matters first; another keeps the kind', async () => {
    await add('Any');
    await using opened = await open('/console/animals?open=add');
    const { page, complaints } = opened;
    const dialog = page.getByRole('dialog', { name: 'Add animal' });
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Pip');
    await dialog.getByRole('combobox', { name: 'Category' }).selectOption({ value: 'new' });
    await dialog.getByRole('textbox', { name: 'Name of' }).fill('Rabbits');
    await dialog.getByRole('combobox', { name: 'Species' }).selectOption('Rabbit');
    await choose(page, 'Sex', 'Male');
    await dialog.getByRole('textbox', { name: 'How many' }).fill('8');
    await dialog.getByRole('combobox', { name: 'Unit' }).selectOption('months');
    await dialog.getByRole('textbox', { name: 'Microchip' }).fill('276 098 101 234 567');
    await dialog.getByRole('textbox', { name: 'Place' }).fill('Kennel 3');
    await dialog.getByLabel('In care since').fill('2026-10-01');
    const buffer = Buffer.from(await picture(300, 200));
    const photo = { name: 'pip.jpg', mimeType: 'image/jpeg', buffer };
    await dialog.getByLabel('Photo').setInputFiles(photo);
    await dialog.getByRole('button', { name: 'Add and start another' }).click();
    await message(page, 'Pip was added.');

    await untilFocused(page, 'name', 'name');
    expect(await dialog.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Squeak');
    await dialog.getByRole('spinbutton', { name: 'Year' }).fill('1950');
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: 'Is this birth date right?' });
    await question.getByRole('button', { name: 'Change it' }).click();
    await dialog.getByText('Check the year of birth.').waitFor();
    await dialog.getByRole('spinbutton', { name: 'Year' }).fill('');
    await page.keyboard.press('Enter');
    await rowOf(page, 'Squeak').getByText('Rabbits').waitFor();
    expect(new URL(page.url()).search).toBe('');
    const list = JSON.parse((await group.petstore.reader.get('/v1/pets?name=squeak')).text);
    await becomes(list[0].id, { species: 'rabbit', sex: null, birthDate: null });
    const pips = JSON.parse((await group.petstore.reader.get('/v1/pets?name=pip')).text);
    await becomes(pips[0].id, {
      ...{ species: 'rabbit', sex: 'male', birthDatePrecision: 'month' },
      ...{ microchip: '276098101234567', location: 'Kennel 3', inCareSince: '2026-10-01' },
    });
    await eventually(
      () => photosOf(group.petstore.reader, BigInt(pips[0].id)),
      (photos) => photos.length === 1,
    );
    await page.getByRole('link', { name: 'Show' }).first().click();
    await page.getByRole('region', { name: 'About' }).getByText('Rabbit').waitFor();
    expect(complaints).toEqual([]);
  });

  browserTest('its history tells what was done, and many steps of one photo once', async () => {
    const id = await add('Sage');
    const { writer } = group.petstore;
    await addPhoto(writer, BigInt(id), await picture(300, 200, 'jpeg', 1));
    const second = await addPhoto(writer, BigInt(id), await picture(300, 200, 'jpeg', 2));
    const photo = `/v1/pets/${id}/photos/${second.id}`;
    await writer.patch(photo, { position: 1 });
    for (const x of [0.2, 0.3, 0.4]) await writer.patch(photo, { focus: { x, y: 0.5 } });
    await writer.patch(photo, { alt: 'On the sofa' });
    await patch(id, { published: true, breed: 'Beagle' });
    await patch(id, { breed: 'Collie' });
    await using opened = await open(addressOf(id));
    const history = opened.page.getByRole('region', { name: 'History' });
    await history.getByText('Breed: Collie, it was Beagle').waitFor();
    await history.getByText('Published', { exact: true }).waitFor();
    await history.getByRole('button', { name: /Show \d earlier change/ }).click();
    await history.getByText('Moved to the front').waitFor();
    expect(await history.getByText('The part that stays in sight was moved').count()).toBe(1);
    expect(await history.getByText('nothing').count()).toBe(0);
  });
});
