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
      await page.getByText(label).waitFor();
    }
    await page.getByText('A choice · A flat / A house · required · only Dog').waitFor();
    // What another manager adds meanwhile is not undone by what was opened before.
    await page.getByRole('button', { name: 'Edit: Hours alone?' }).click();
    const { questions: seen } = await group.petstore.storage.shop.get();
    const added = { ...seen[0], id: 'garden', label: 'A garden?' };
    await group.petstore.admin.patch('/v1/shop', { questions: [...seen, added] });
    await page.getByLabel('Question', { exact: true }).fill('How long alone?');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('How long alone?').first().waitFor();
    const { questions: both } = await group.petstore.storage.shop.get();
    expect(both.map(({ label }) => label)).toEqual([
      ...['Where do you live?', 'How long alone?', 'A garden?'],
    ]);
    await group.petstore.admin.patch('/v1/shop', { questions: seen });
    await page.getByRole('button', { name: 'Move up: Hours alone?' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    // No button sticks to the words above it.
    const gaps = await page.evaluate<number[]>(`[...document.querySelectorAll('.hint + .button')]
      .map((button) => button.getBoundingClientRect().top -
        button.previousElementSibling.getBoundingClientRect().bottom)`);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(8);
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

  browserTest('what they answered is seen in an open adoption, and can be erased', async () => {
    const { storage, writer } = group.petstore;
    const petId = await addListed(storage, 'Ash');
    const answers = [{ id: 'home', label: 'Where do you live?', answer: 'A house' }];
    const enquiry = await addEnquiry(storage, { petId, name: 'Kim', answers });
    const order = await writer.post(`/v1/enquiries/${enquiry}/order`, undefined);
    const [, id = ''] = /"id":(\d+)/.exec(order.text) ?? [];
    await writer.patch(`/v1/store/orders/${id}`, { adopter: null, contact: null, note: null });
    const path = `/console/adoptions?order=${id}`;
    await using opened = await openConsole(group.browser, group.petstore, { path });
    const { page } = opened;
    await page.getByRole('dialog').getByText('A house').waitFor();
    await page.getByRole('button', { name: 'Erase personal details…' }).click();
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await message(page, 'The personal details are erased.');
    expect((await storage.orders.find(BigInt(id)))?.answers).toBeUndefined();
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
