import { expect } from 'bun:test';
import { accessibilityViolations } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { message, openConsole } from '../support/console.ts';
import { addEnquiry, addListed } from '../support/enquiries.ts';
import { eventually } from '../support/eventually.ts';
import { addPerson } from '../support/people.ts';

describeInBrowser('enquiries and the shop', {}, (group) => {
  browserTest('an enquiry appears at once, and becomes an adoption', async () => {
    const { storage } = group.petstore;
    const path = '/console/enquiries';
    await using opened = await openConsole(group.browser, group.petstore, { path });
    const { page, complaints } = opened;
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
    const petId = await addListed(storage, 'Rex');
    // By another process; the events bring it.
    await addEnquiry(storage, { petId, name: 'Robin', telephone: '+49 30 123456' });
    await addEnquiry(storage, { petId, name: 'Kim' });
    const enquiry = page.getByRole('article', { name: 'Robin about Rex' });
    await enquiry.waitFor();
    const link = enquiry.getByRole('link', { name: 'robin@example.com' });
    expect(await link.getAttribute('href')).toBe(
      'mailto:robin@example.com?subject=Your%20enquiry%20about%20Rex',
    );
    expect(await accessibilityViolations(page)).toEqual([]);
    await enquiry.getByRole('button', { name: 'Start adoption of Rex by Robin' }).click();
    const question = page.getByRole('dialog', { name: 'Start this adoption?' });
    await question.getByText('Rex is reserved for Robin').waitFor();
    await question.getByRole('button', { name: 'Start adoption' }).click();
    await message(page, 'The adoption of Rex has started.');
    const show = page.getByRole('status', { name: 'Messages' }).getByRole('link', { name: 'Show' });
    expect(await show.getAttribute('href')).toBe('/console/adoptions?order=1');
    const other = page.getByRole('article', { name: 'Kim about Rex' });
    await other.getByText('Rex is reserved.').waitFor();
    expect(await other.getByRole('button', { name: 'Start adoption' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Answered' }).click();
    await enquiry.getByRole('button', { name: 'Close: the enquiry of Robin' }).click();
    await message(page, 'The enquiry of Robin is closed.');
    await enquiry.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await enquiry.getByRole('button', { name: 'Close: the enquiry of Robin' }).click();
    await page.getByRole('link', { name: 'Closed' }).click();
    await enquiry.getByRole('button', { name: 'Reopen: the enquiry of Robin' }).waitFor();
    await enquiry.getByRole('link', { name: 'Adoption 1' }).click();
    const adoption = page.getByRole('dialog', { name: 'Adoption of Rex' });
    const call = adoption.getByRole('link', { name: '+49 30 123456' });
    expect(await call.getAttribute('href')).toBe('tel:+4930123456');
    await adoption.getByRole('link', { name: 'robin@example.com' }).waitFor();
    await adoption.getByRole('button', { name: 'Approve' }).click();
    await adoption.getByRole('button', { name: 'Complete' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  browserTest('those that waited longest are first, are found by words, and reopen', async () => {
    const { storage } = group.petstore;
    const petId = await addListed(storage, 'Birch');
    for (const name of ['Ana', 'Ben', 'Cleo'])
      await addEnquiry(storage, { petId, name, message: `Hello from ${name}’s garden` });
    await using opened = await openConsole(group.browser, group.petstore, {
      path: '/console/enquiries?q=birch',
    });
    const { page } = opened;
    const shows = (names: readonly string[]) =>
      eventually(
        () => page.getByRole('article').getByRole('heading').allInnerTexts(),
        (now) =>
          Bun.deepEquals(
            now,
            names.map((name) => `${name} about Birch`),
          ),
      );
    await shows(['Ana', 'Ben', 'Cleo']);
    await page.getByRole('searchbox', { name: 'Search enquiries' }).fill('BEN GARD');
    await shows(['Ben']);
    await page.getByRole('button', { name: 'Mark as answered: the enquiry of Ben' }).click();
    await page.getByRole('heading', { name: 'No enquiries found' }).waitFor();
    await page.getByRole('link', { name: 'Answered' }).click();
    await page.getByRole('button', { name: 'Reopen: the enquiry of Ben' }).click();
    await message(page, 'The enquiry of Ben is open again.');
    await page.goto(`${group.petstore.url}/console/animals/${petId}`);
    const section = page.getByRole('region', { name: 'Enquiries' });
    await section.getByRole('link', { name: 'Cleo' }).waitFor();
    expect(await section.getByRole('link').allInnerTexts()).toEqual(['Cleo', 'Ben', 'Ana']);
  });

  browserTest(
    'have a note and somebody who takes care of them, here and on the page of the animal',
    async () => {
      const { petstore, browser } = group;
      const { storage } = petstore;
      const kim = await addPerson(petstore, { name: 'Kim' });
      const ada = await addPerson(petstore, { name: 'Ada' });
      const petId = await addListed(storage, 'Willow');
      for (const name of ['Uma', 'Vic']) await addEnquiry(storage, { petId, name });
      const path = '/console/enquiries?q=willow';
      await using opened = await openConsole(browser, petstore, { path, as: kim });
      const { page, complaints } = opened;
      const uma = page.getByRole('article', { name: 'Uma about Willow' });
      const vic = page.getByRole('article', { name: 'Vic about Willow' });
      await uma.getByRole('button', { name: /Nobody takes care of it$/ }).click();
      expect(await page.getByRole('menuitemradio').allInnerTexts()).toEqual([
        'Me',
        'Ada',
        'Nobody',
      ]);
      await page.getByRole('menuitemradio', { name: 'Me' }).click();
      await message(page, 'The enquiry of Uma: You take care of it.');
      await uma.getByRole('button', { name: 'Add note: the enquiry of Uma' }).click();
      const dialog = page.getByRole('dialog', { name: 'Note on the enquiry of Uma' });
      await dialog.getByRole('textbox', { name: 'Note' }).fill('Called.\nThey come on Saturday.');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await uma.getByText('They come on Saturday.').waitFor();
      await vic.getByRole('button', { name: /Nobody takes care of it$/ }).click();
      await page.getByRole('menuitemradio', { name: 'Ada' }).click();
      await vic.getByRole('button', { name: /Ada takes care of it$/ }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);

      const filter = page.getByRole('combobox', { name: 'Taken care of by' });
      await filter.selectOption('Mine');
      await vic.waitFor({ state: 'detached' });
      await uma.waitFor();
      await filter.selectOption('Nobody’s');
      await page.getByRole('heading', { name: 'No enquiries found' }).waitFor();
      // Of somebody who was removed, as of nobody.
      await petstore.admin.delete(`/v1/people/${ada.id}`);
      await page.reload();
      await vic.getByRole('button', { name: /Ada can no longer take care of it$/ }).click();
      await page.getByRole('menuitemradio', { name: 'Me' }).click();
      await message(page, 'The enquiry of Vic: You take care of it.');

      await page.goto(`${petstore.url}/console/animals/${petId}`);
      const section = page.getByRole('region', { name: 'Enquiries' });
      await section.getByText('They come on Saturday.').waitFor();
      await section.getByRole('button', { name: /enquiry of Vic: You take care of it$/ }).click();
      await page.getByRole('menuitemradio', { name: 'Nobody' }).click();
      await message(page, 'The enquiry of Vic: Nobody takes care of it.');
      await page.getByRole('button', { name: 'Undo' }).click();
      await section.getByRole('button', { name: /enquiry of Vic: You take care of it$/ }).waitFor();
      const history = page.getByRole('region', { name: 'History' });
      await history.getByText('Taken care of by: Kim').first().waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  browserTest('the shop is changed, and shown as the public sees it', async () => {
    const path = '/console/shop';
    await using opened = await openConsole(group.browser, group.petstore, { path });
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit shop' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Home');
    await dialog.getByRole('textbox', { name: 'Colour', exact: true }).fill('green');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter a colour like #2f6f4f.').waitFor();
    await dialog.getByRole('textbox', { name: 'Telephone' }).fill('ask at the door');
    await dialog.getByRole('textbox', { name: 'Colour', exact: true }).fill('FD0');
    expect(await dialog.getByLabel('Choose: Colour').inputValue()).toBe('#ffdd00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter a number to call, with digits.').waitFor();
    await dialog.getByRole('textbox', { name: 'Telephone' }).fill('+49 30 123456');
    expect(await accessibilityViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('figure', { name: 'Dark' }).getByText('Home').waitFor();
    // What visitors get is in the styles of their pages.
    await page.getByRole('figure', { name: 'Light: #ffdd00 is shown as' }).waitFor();
    const colourOf = (element: string) =>
      `getComputedStyle(document.querySelector('${element}')).backgroundColor`;
    const shown = await page.evaluate<string>(colourOf('.shop-preview.light .shop-button'));
    const visitor = await page.context().newPage();
    await visitor.goto(`${group.petstore.url}/adopt`);
    await visitor.evaluate("document.body.innerHTML = '<a class=button>'");
    expect(await visitor.evaluate<string>(colourOf('.button'))).toBe(shown);
    await visitor.close();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
