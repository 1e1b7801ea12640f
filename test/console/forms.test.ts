import { expect } from 'bun:test';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { message, openConsole, untilFocused } from '../support/console.ts';
import { addAnimal } from '../support/console-animals.ts';
import { addListed } from '../support/enquiries.ts';
import { eventually } from '../support/eventually.ts';

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

describeInBrowser('forms', {}, (group) => {
  const open = (path: string, options = {}) =>
    openConsole(group.browser, group.petstore, { path, ...options });
  const profileOf = async (id: number | bigint) =>
    JSON.parse((await group.petstore.writer.get(`/v1/pets/${id}/profile`)).text);

  browserTest('a comma is a decimal sign, and what is not clear is refused', async () => {
    const id = await addAnimal(group.petstore, 'Sage');
    await using opened = await open(`/console/animals/${id}?edit=looks`);
    const { page, complaints } = opened;
    const save = () => page.getByRole('button', { name: 'Save' }).click();
    const weight = page.getByRole('textbox', { name: 'Weight in kg' });
    await weight.pressSequentially('1.23.4');
    await save();
    await page.getByText('Enter a number such as 1234.5 or 1234,5.').waitFor();
    await weight.fill('1,500');
    await save();
    await page.getByText('This could be 1500 or 1.5000: write one of them.').waitFor();
    await weight.fill('');
    await weight.pressSequentially('12,5');
    await save();
    await page.getByText('12.5 kg', { exact: true }).waitFor();
    // The browser has the clock of the machine, and an animal came before today.
    await group.petstore.writer.patch(`/v1/pets/${id}/profile`, { inCareSince: '2026-01-15' });
    await page.goto(`${group.petstore.url}/console/animals/${id}?edit=adoption`);
    await page.getByRole('textbox', { name: 'Amount' }).pressSequentially('150,00 €');
    await save();
    await page.getByText('€150.00', { exact: true }).waitFor();
    expect(await profileOf(id)).toMatchObject({
      weightGrams: 12_500,
      fee: { amount: 15_000, currency: 'EUR' },
    });
    await page.goto(`${group.petstore.url}/console/animals?open=add`);
    await page.locator('dialog input[name="name"]').fill('Thyme');
    const adding = page.getByRole('dialog', { name: 'Add animal' });
    await adding.getByRole('textbox', { name: 'Name of the new category' }).fill('Herb');
    await page.getByRole('textbox', { name: 'How many' }).pressSequentially('2,5');
    await page.getByRole('button', { name: 'Add animal' }).last().click();
    await page.getByRole('link', { name: 'Show', exact: true }).click();
    await page.getByText(/\((?:2|3)\syears\)/).waitFor();
    expect(complaints).toEqual([]);
  });

  browserTest('a text that is too long is counted and kept, and no date is to come', async () => {
    const id = await addAnimal(group.petstore, 'Basil');
    await using opened = await open(`/console/animals/${id}?edit=about`);
    const { page } = opened;
    const save = () => page.getByRole('button', { name: 'Save' }).click();
    const headline = page.getByRole('textbox', { name: 'Headline' });
    await headline.fill('a'.repeat(60));
    expect(await page.getByText(/of 80 characters/).count()).toBe(0);
    await headline.fill('a'.repeat(83));
    await page.getByText('83 of 80 characters').waitFor();
    await page.getByRole('textbox', { name: 'Description' }).fill('b'.repeat(3_900));
    await page.getByText('3,900 of 4,000 characters').waitFor();
    await page.getByRole('spinbutton', { name: 'Year' }).fill('3');
    await save();
    await page.getByText('This is 3 characters too long: at most 80 are possible.').waitFor();
    await page.getByText('If only the age is known, leave it empty').waitFor();
    await headline.fill('a'.repeat(80));
    await page.getByRole('spinbutton', { name: 'Year' }).fill('2021');
    await save();
    await message(page, 'Basil was saved.');
    expect((await profileOf(id)).headline).toHaveLength(80);

    await page.goto(`${group.petstore.url}/console/animals/${id}?edit=adoption`);
    await page.getByLabel('In care since').fill(tomorrow());
    await save();
    await untilFocused(page, 'name', 'inCareSince');
    await page.getByText('This is after today.').waitFor();
  });

  browserTest('an age goes by the calendar, as on the public page', async () => {
    const id = await addListed(group.petstore.storage, 'Lovage');
    const now = new Date();
    now.setUTCFullYear(now.getUTCFullYear() - 2);
    const change = { birthDate: now.toISOString().slice(0, 10) };
    await group.petstore.writer.patch(`/v1/pets/${id}/profile`, change);
    await using opened = await open(`/console/animals/${id}`);
    await opened.page.getByText(/\(2\syears\)$/).waitFor();
  });

  browserTest('a note is saved with the move, and the new adoption is a link', async () => {
    const id = await addAnimal(group.petstore, 'Rosemary');
    await using opened = await open(`/console/adoptions?place=${id}`);
    const { page } = opened;
    await page.getByRole('textbox', { name: 'Adopter' }).fill('Kim');
    await page.getByRole('button', { name: 'Start adoption' }).click();
    await page.getByRole('link', { name: 'Show', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Adoption of Rosemary' });
    const order = new URL(page.url()).searchParams.get('order');
    const noteIs = (note: string) =>
      eventually(
        async () => JSON.parse((await group.petstore.writer.get(`/v1/store/orders/${order}`)).text),
        (found) => found.note === note,
      );
    const note = dialog.getByRole('textbox', { name: 'Note' });
    await note.fill('Has a garden.');
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await noteIs('Has a garden.');
    await dialog.getByRole('button', { name: 'Complete' }).waitFor();
    await note.fill('x'.repeat(2_001));
    await dialog.getByRole('button', { name: 'Complete' }).click();
    await dialog.getByText('This is 1 character too long').waitFor();
    await note.fill('Took her home.');
    await dialog.getByRole('button', { name: 'Complete' }).click();
    const question = page.getByRole('dialog', { name: 'Complete this adoption?' });
    await question.getByRole('button', { name: 'Complete' }).click();
    await message(page, 'Rosemary: completed.');
    await question.waitFor({ state: 'detached' });
    await noteIs('Took her home.');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  browserTest('the newest request is the first on the board', async () => {
    for (const name of ['Parsley', 'Chive']) {
      const petId = await addAnimal(group.petstore, name);
      await group.petstore.writer.post('/v1/store/orders', { petId, adopter: 'Kim' });
    }
    await using opened = await open('/console/adoptions');
    const placed = opened.page.getByRole('region', { name: 'Placed' });
    await placed.getByText('Parsley').waitFor();
    expect(await placed.getByRole('listitem').first().textContent()).toContain('Chive');
  });

  browserTest('who signs out in another tab loses nothing that was typed in this one', async () => {
    await using opened = await open('/console/categories');
    const { page } = opened;
    await page.getByRole('button', { name: 'Add category' }).click();
    const name = page.locator('input[name="name"]');
    await name.fill('Juniper');
    const other = await page.context().newPage();
    await other.goto(`${group.petstore.url}/console`);
    await other.getByRole('button', { name: 'Sign out' }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByText('your unfinished work is still there').waitFor();
    expect(await name.inputValue()).toBe('Juniper');
    expect(await name.isVisible()).toBe(false);
  });

  browserTest('the page of an animal leads to what the public sees', async () => {
    const id = await addListed(group.petstore.storage, 'Mint');
    await using opened = await open(`/console/animals/${id}`);
    const { page } = opened;
    const shown = page.getByRole('region', { name: 'For the public' });
    const href = await shown.getByRole('link', { name: 'Public page' }).getAttribute('href');
    const response = await page.request.get(new URL(href ?? '', group.petstore.url).href);
    expect(response.status()).toBe(200);
    expect(await response.text()).toContain('Mint');
  });

  browserTest('a removed animal is found again, and a name is no number', async () => {
    const id = await addAnimal(group.petstore, 'Dill');
    await group.petstore.writer.delete(`/v1/pets/${id}`);
    await using opened = await open('/console/activity', { scopes: ['read', 'write'] });
    const { page } = opened;
    const line = page.getByRole('listitem').filter({ hasText: 'Animal removed: Dill' });
    await line.getByRole('link', { name: 'Dill' }).click();
    await page.getByRole('button', { name: 'Bring back' }).waitFor();

    await using manager = await open('/console/activity');
    await manager.page.getByRole('searchbox', { name: 'Animal number' }).fill('Dill');
    await manager.page.getByText('Enter a number, not a name').waitFor();
  });

  browserTest('on a narrow phone nothing sticks out, and names stay whole', async () => {
    const id = await addAnimal(group.petstore, 'Bruno');
    const viewport = { width: 320, height: 800 };
    await using opened = await open(`/console/animals/${id}`, { viewport });
    const { page } = opened;
    const place = await page.locator('.drop-zone').boundingBox();
    const button = await page.locator('.drop-zone .button').first().boundingBox();
    if (!place || !button) throw new Error('There is no place for photos.');
    expect(button.x + button.width).toBeLessThanOrEqual(place.x + place.width);
    await page.goto(`${group.petstore.url}/console/animals?q=bruno`);
    await page.getByRole('link', { name: 'Bruno', exact: true }).waitFor();
    const lines = await page.evaluate<number>(`(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('.animal-name').lastChild);
      return range.getClientRects().length;
    })()`);
    expect(lines).toBe(1);
  });
});
