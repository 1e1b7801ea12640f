import { expect } from 'bun:test';
import { accessibilityViolations } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { message, openConsole } from '../support/console.ts';
import { addEnquiry, addListed } from '../support/enquiries.ts';

describeInBrowser('what the shop asks families, and what they answer', {}, (group) => {
  browserTest('questions are added, moved and removed on the page of the shop', async () => {
    const path = '/console/shop';
    await using opened = await openConsole(group.browser, group.petstore, { path });
    const { page, complaints } = opened;
    for (const label of ['Where do you live?', 'Hours alone?']) {
      await page.getByRole('button', { name: 'Add question' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add question' });
      await dialog.getByLabel('Question', { exact: true }).fill(label);
      if (label.startsWith('Where')) {
        await dialog.getByLabel('Answer', { exact: true }).selectOption('choice');
        await dialog.getByLabel('Options').fill('A flat\nA house');
        await dialog.getByLabel('Must it be answered?').selectOption('yes');
        await dialog.getByLabel('Dog').check();
      }
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page
        .getByText(label)
        .waitFor({ timeout: 8_000 })
        .catch(async (error) => {
          throw new Error(
            `${JSON.stringify(complaints)} ${JSON.stringify((await group.petstore.storage.shop.get()).questions)} ${await dialog.innerText({ timeout: 2_000 }).catch(() => 'closed')} ${error}`,
          );
        });
    }
    await page.getByText('A choice · A flat / A house · required · only Dog').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Move up: Hours alone?' }).click();
    await page.getByRole('button', { name: 'Move up: Where do you live?' }).waitFor();
    const { questions } = await group.petstore.storage.shop.get();
    expect(questions.map(({ id }) => id)).toEqual(['hours-alone', 'where-do-you-live']);
    await page.getByRole('button', { name: 'Remove: Hours alone?' }).click();
    const sure = page.getByRole('dialog', { name: 'Remove this question?' });
    await sure.getByRole('button', { name: 'Remove' }).click();
    await message(page, 'The question is removed.');
    expect((await group.petstore.storage.shop.get()).questions).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  browserTest('answers stand under a message, and possible spam is apart', async () => {
    const { storage } = group.petstore;
    const petId = await addListed(storage, 'Rex');
    const answers = [{ id: 'home', label: 'Where do you live?', answer: 'A house' }];
    await addEnquiry(storage, { petId, name: 'Robin', answers });
    await addEnquiry(storage, { petId, name: 'Speedy', suspected: true });
    const path = '/console/enquiries';
    await using opened = await openConsole(group.browser, group.petstore, { path });
    const { page, complaints } = opened;
    const enquiry = page.getByRole('article', { name: 'Robin about Rex' });
    await enquiry.getByText('A house').waitFor();
    expect(await page.getByRole('article').count()).toBe(1);
    await page.getByRole('link', { name: 'May be spam' }).click();
    await page.getByRole('article', { name: 'Speedy about Rex' }).waitFor();
    expect(await page.getByRole('article').count()).toBe(1);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
