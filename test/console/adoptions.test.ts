import { expect } from 'bun:test';
import type { Route } from 'playwright-core';
import { addAnimals } from '../support/animals.ts';
import { accessibilityViolations, looksWrong } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { untilFocused } from '../support/console.ts';
import { adoptionsOf, card, column } from '../support/console-adoptions.ts';
import { eventually, eventuallyIs } from '../support/eventually.ts';

const PATH = '/console/adoptions';
describeInBrowser('Adoptions', { isolated: true }, (group) => {
  const { open, addOrder } = adoptionsOf(group);
  const orderOf = async (id: number) =>
    JSON.parse((await group.petstore.writer.get(`/v1/store/orders/${id}`)).text);
  /** A card moves before the service has said that the order has. */
  const becomes = (id: number, status: string) =>
    eventually(async () => (await orderOf(id)).status === status, Boolean);

  browserTest('an adoption from the first to the last step, by keyboard', async () => {
    await addAnimals(group.petstore.storage, [
      { name: 'Bella' },
      { name: 'Bello' },
      { name: 'Rex' },
    ]);
    await using opened = await open();
    const { page, complaints } = opened;
    await page.getByRole('heading', { name: 'No adoptions yet' }).waitFor();
    await page.getByRole('button', { name: 'New adoption' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New adoption' });
    await dialog.getByRole('button', { name: 'Start adoption' }).press('Enter');
    await dialog.getByText('Choose an animal first.').waitFor();
    await dialog.getByRole('combobox', { name: 'Animal' }).fill('bel');
    await dialog.getByRole('option', { name: 'Bello' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await dialog.getByRole('option', { name: 'Bello', selected: true }).waitFor();
    await page.keyboard.press('ArrowUp');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    const other = dialog.getByRole('button', { name: 'Choose another animal' });
    await other.waitFor();
    await untilFocused(page, 'textContent', 'Choose another animal');
    await dialog.getByRole('button', { name: 'Start adoption' }).press('Enter');
    await dialog.getByText('Enter the adopter or a contact.').waitFor();
    await dialog.getByRole('textbox', { name: 'Adopter' }).fill('The Alvarez family');
    await dialog.getByRole('textbox', { name: 'Contact' }).fill('alvarez@example.com');
    await dialog.getByRole('textbox', { name: 'Note' }).fill('A garden.\nTwo children.');
    await dialog.getByRole('button', { name: 'Start adoption' }).press('Enter');
    await card(page, 'Placed', 'Bella').waitFor();
    expect(await orderOf(1)).toMatchObject({
      petId: 1,
      adopter: 'The Alvarez family',
      contact: 'alvarez@example.com',
      note: 'A garden.\nTwo children.',
    });
    await page.getByRole('button', { name: 'Approve: Bella' }).press('Enter');
    await card(page, 'Approved', 'Bella').waitFor();
    // The focus goes with the card.
    await page.locator('.order-card h3 button:focus').waitFor();
    await page.getByRole('button', { name: 'Complete: Bella' }).press('Enter');
    await page
      .getByRole('dialog', { name: 'Complete this adoption?' })
      .getByRole('button', { name: 'Complete' })
      .press('Enter');
    await card(page, 'Completed', 'Bella').waitFor();
    await becomes(1, 'completed');
    expect(await card(page, 'Completed', 'Bella').getByRole('button').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  browserTest(
    'an order is dragged only to the columns that may follow, and a final step asks first',
    async () => {
      const id = await addOrder('Bella', 'placed');
      await addOrder('Rex', 'completed');
      await using opened = await open();
      const { page } = opened;
      const bella = card(page, 'Placed', 'Bella');
      await bella.dragTo(column(page, 'Completed'));
      expect(await page.getByRole('dialog').count()).toBe(0);
      await becomes(id, 'placed');
      await bella.dragTo(column(page, 'Approved'));
      await card(page, 'Approved', 'Bella').waitFor();
      await becomes(id, 'approved');
      await card(page, 'Approved', 'Bella').dragTo(column(page, 'Cancelled'));
      const question = page.getByRole('dialog', { name: 'Cancel this adoption?' });
      await question.getByRole('button', { name: 'Keep' }).click();
      await becomes(id, 'approved');
      await card(page, 'Approved', 'Bella').dragTo(column(page, 'Cancelled'));
      await question.getByRole('button', { name: 'Cancel adoption' }).click();
      await card(page, 'Cancelled', 'Bella').waitFor();
      await becomes(id, 'cancelled');
    },
  );

  browserTest('a card moves at once, and back if the step is refused', async () => {
    const id = await addOrder('Bella', 'placed');
    await using opened = await open();
    const { page } = opened;
    const held: Route[] = [];
    await page.route(`**/v1/store/orders/${id}`, (route) => void held.push(route));
    await card(page, 'Placed', 'Bella').dragTo(column(page, 'Approved'));
    await card(page, 'Approved', 'Bella').waitFor();
    await becomes(id, 'placed');
    await eventuallyIs(() => held.length, 1);
    await held[0]?.fulfill({
      status: 409,
      json: { code: 'conflict', message: 'Not now.', requestId: 'x' },
    });
    await card(page, 'Placed', 'Bella').waitFor();
    await page.getByText('Bella: Not now.').waitFor();
  });

  browserTest('shows what others do, and refuses a step that no longer fits', async () => {
    const id = await addOrder('Bella', 'placed');
    await using opened = await open();
    const { page } = opened;
    await card(page, 'Placed', 'Bella').waitFor();
    await page.route('**/v1/events?*', (route) => route.abort());
    await page.route('**/v1/store/orders?*', (route) => route.abort());
    await group.petstore.writer.patch(`/v1/store/orders/${id}`, { status: 'cancelled' });
    await page.getByRole('button', { name: 'Approve: Bella' }).click();
    await page.getByText('It is cancelled now').waitFor();
    await becomes(id, 'cancelled');
    await page.unrouteAll();
    await page.reload();
    await card(page, 'Cancelled', 'Bella').waitFor();
    await addOrder('Rex', 'placed');
    await card(page, 'Placed', 'Rex').waitFor();
    await group.petstore.storage.pets.update(
      2n,
      { name: 'Rexy' },
      { at: group.petstore.clock.now(), keyId: null },
      () => {},
    );
    await card(page, 'Placed', 'Rexy').waitFor();
  });

  browserTest(
    'details are changed while an order is open, and erased for good; two people are asked',
    async () => {
      const id = await addOrder('Bella', 'placed', { adopter: 'A. Alvarez', note: 'One cat.' });
      await using opened = await open();
      const { page } = opened;
      await page.getByRole('button', { name: 'Bella', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Adoption of Bella' });
      await dialog.getByRole('textbox', { name: 'Adopter' }).fill('B. Alvarez');
      await group.petstore.writer.patch(`/v1/store/orders/${id}`, { adopter: 'C. Alvarez' });
      await dialog.getByRole('button', { name: 'Save' }).click();
      const conflict = page.getByRole('dialog', { name: 'Somebody else has changed' });
      await conflict.getByRole('cell', { name: 'C. Alvarez' }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await conflict.getByRole('button', { name: 'Use mine' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await orderOf(id)).toMatchObject({ adopter: 'B. Alvarez', note: 'One cat.' });
      // What was left as it was is no question: the change of somebody else stays.
      await page.getByRole('button', { name: 'Bella', exact: true }).click();
      await dialog.getByRole('textbox', { name: 'Contact' }).fill('b@example.org');
      await group.petstore.writer.patch(`/v1/store/orders/${id}`, { note: 'Two cats.' });
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await orderOf(id)).toMatchObject({ contact: 'b@example.org', note: 'Two cats.' });
      await page.goto(`${group.petstore.url}${PATH}?order=${id}`);
      await dialog.getByRole('button', { name: 'Erase personal details' }).click();
      await page
        .getByRole('dialog', { name: 'Erase the personal details?' })
        .getByRole('button', { name: 'Erase', exact: true })
        .click();
      await page.getByText('The personal details are erased.').waitFor();
      const { adopter, note } = await orderOf(id);
      expect([adopter, note]).toEqual([undefined, undefined]);
    },
  );

  browserTest(
    'an animal from a link is chosen, unless it is taken; a second order of it is refused',
    async () => {
      await addAnimals(group.petstore.storage, [
        { name: 'Bella' },
        { name: 'Rex', status: 'sold' },
      ]);
      await using opened = await open({ path: `${PATH}?place=1` });
      const { page } = opened;
      const dialog = page.getByRole('dialog', { name: 'New adoption' });
      await dialog.getByText('Bella').waitFor();
      await dialog.getByRole('textbox', { name: 'Contact' }).fill('mail@example.org');
      await group.petstore.writer.post('/v1/store/orders', { petId: 1 });
      await dialog.getByRole('button', { name: 'Start adoption' }).click();
      await dialog.getByText('Bella is no longer available').waitFor();
      expect(
        (await group.petstore.storage.orders.list({}, { afterId: undefined, limit: 9 })).items,
      ).toHaveLength(1);
      await page.goto(`${group.petstore.url}${PATH}?place=2`);
      await dialog.getByText('Rex is not available').waitFor();
      await page.goto(`${group.petstore.url}${PATH}?place=77`);
      await dialog.getByText('This animal was removed').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(new URL(page.url()).search).toBe('');
    },
  );

  browserTest('an order that cannot be sent stays listed, and is placed once', async () => {
    await addAnimals(group.petstore.storage, [{ name: 'Bella' }]);
    await using opened = await open({ path: `${PATH}?place=1` });
    const { page } = opened;
    const dialog = page.getByRole('dialog', { name: 'New adoption' });
    await dialog.getByText('Bella').waitFor();
    await dialog.getByRole('textbox', { name: 'Adopter' }).fill('The Alvarez family');
    // The service does what it is asked, but its responses are lost.
    let lost = 0;
    await page.route('**/v1/store/orders', async (route) => {
      await route.fetch();
      lost++;
      await route.abort();
    });
    await dialog.getByRole('button', { name: 'Start adoption' }).dblclick();
    await page.getByText('Start the adoption of Bella: this is kept and will be').waitFor();
    expect(lost).toBeGreaterThan(0);
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByText('The adoption of Bella is started.').waitFor();
    const { items } = await group.petstore.storage.orders.list(
      {},
      { afterId: undefined, limit: 9 },
    );
    expect(items).toHaveLength(1);
  });

  browserTest('a column shows more on demand, closed orders the newest first', async () => {
    for (let i = 1; i <= 23; i++) await addOrder(`Cat ${i}`, 'cancelled');
    await using opened = await open();
    const { page } = opened;
    const cards = column(page, 'Cancelled').getByRole('listitem');
    await cards.first().waitFor();
    expect(await cards.count()).toBe(20);
    expect(await cards.first().textContent()).toContain('Cat 23');
    await page.getByRole('button', { name: 'Show more of Cancelled' }).click();
    await cards.nth(22).waitFor();
    expect(await cards.nth(22).textContent()).toContain('Cat 1');
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  });

  browserTest('people see and do only what their keys allow', async () => {
    await addOrder('Bella', 'placed', { adopter: 'The Alvarez family' });
    await using reading = await open({ scopes: ['read'] });
    await card(reading.page, 'Placed', 'Bella').waitFor();
    expect(await reading.page.getByRole('button', { name: 'New adoption' }).count()).toBe(0);
    expect(await reading.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await reading.page.getByText('Alvarez').count()).toBe(0);
    await using adopting = await open({ scopes: ['adopt'] });
    await adopting.page.getByRole('button', { name: 'New adoption' }).waitFor();
    expect(await adopting.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  browserTest('is accessible light or dark, wide or narrow, with and without dialogs', async () => {
    await addOrder('Bella', 'placed', { adopter: 'The Alvarez family', note: 'A garden.' });
    await addOrder('A'.repeat(100), 'approved', { adopter: 'B'.repeat(100) });
    await addOrder('Rex', 'completed', { adopter: 'C. Diaz' });
    await using opened = await open();
    const { page, complaints } = opened;
    await card(page, 'Placed', 'Bella').waitFor();
    const check = async () => expect(await looksWrong(page)).toEqual([]);
    await check();
    for (const name of ['New adoption', 'Bella', 'Rex', 'Cancel adoption: Bella']) {
      await page.setViewportSize({ width: 1280, height: 740 });
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').waitFor();
      await check();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    expect(complaints).toEqual([]);
  });
});
