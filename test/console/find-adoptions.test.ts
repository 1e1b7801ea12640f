import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { addAnimals } from '../support/animals.ts';
import { looksWrong } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import {
  type ConsoleOptions,
  message,
  openConsole,
  untilFocused,
  untilRows,
} from '../support/console.ts';

const DAY_MS = 86_400_000;

async function exportAs(page: Page, what: string, form: string): Promise<void> {
  await page.getByRole('button', { name: `Export ${what}` }).click();
  await page.getByRole('menuitem', { name: form }).click();
}

describeInBrowser('Finding adoptions', { isolated: true }, (group) => {
  const open = (options: ConsoleOptions = {}) =>
    openConsole(group.browser, group.petstore, { path: '/console/adoptions', ...options });

  /** One adoption a day, the first two completed. */
  async function addOrders(): Promise<void> {
    const { storage, writer, clock } = group.petstore;
    await addAnimals(storage, [{ name: 'Zoë' }, { name: '=1+1' }, { name: 'Rex' }]);
    const orders = [
      { petId: 1, adopter: 'Ana Álvarez', contact: 'ana@example.com' },
      { petId: 2, adopter: 'Ben;=1+1', contact: '+49 170 1234567' },
      { petId: 3, adopter: 'Anna', contact: 'ANA@example.com' },
    ];
    for (const [n, order] of orders.entries()) {
      await writer.post('/v1/store/orders', order);
      for (const status of n < 2 ? ['approved', 'completed'] : []) {
        await writer.patch(`/v1/store/orders/${n + 1}`, { status });
      }
      clock.advance(DAY_MS);
    }
  }

  browserTest('by adopter, contact, animal and day, in an address to share', async () => {
    await addOrders();
    const day = new Date(group.petstore.clock.now() - 2 * DAY_MS).toISOString().slice(0, 10);
    await using opened = await open({ timezoneId: 'UTC' });
    const { page, complaints } = opened;
    const search = page.getByRole('searchbox', { name: 'Search adoptions' });
    await search.fill('alvarez');
    await untilRows(page, ['Zoë']);
    await search.fill('ana@example');
    await untilRows(page, ['Rex', 'Zoë']);
    expect(
      await page.getByRole('link', { name: 'ana@example.com', exact: true }).getAttribute('href'),
    ).toBe('mailto:ana@example.com?subject=Zo%C3%AB');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Completed');
    await untilRows(page, ['Zoë']);
    await page.getByRole('link', { name: 'Show the board' }).click();
    await page.getByRole('region', { name: 'Placed' }).waitFor();
    await page.getByLabel('From').fill(day);
    await untilRows(page, ['Rex', '=1+1']);
    await untilFocused(page, 'name', 'from');
    await page.getByLabel('To').fill(day);
    await untilRows(page, ['=1+1']);
    const call = page.getByRole('link', { name: '+49 170 1234567' });
    expect(await call.getAttribute('href')).toBe('tel:+491701234567');
    await page.reload();
    await untilRows(page, ['=1+1']);
    await search.fill('nobody');
    await page.getByRole('heading', { name: 'No adoptions found' }).waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page.getByRole('region', { name: 'Placed' }).waitFor();
    expect(complaints).toEqual([]);
  });

  browserTest('an adoption says what the same contact has adopted before', async () => {
    await addOrders();
    await using opened = await open({ path: '/console/adoptions?order=3' });
    const { page } = opened;
    await page.getByText('This contact has adopted before:').waitFor();
    await page.getByRole('dialog').getByRole('link', { name: 'Zoë' }).click();
    await page.getByRole('dialog', { name: 'Adoption of Zoë' }).waitFor();
    expect(await page.getByText('has adopted before').count()).toBe(0);
    await using reader = await open({ path: '/console/adoptions?order=3', scopes: ['read'] });
    await reader.page.getByRole('dialog', { name: 'Adoption of Rex' }).waitFor();
    expect(await reader.page.getByText('has adopted before').count()).toBe(0);
  });

  browserTest('by the day of any step, and days the wrong way round say so', async () => {
    await addOrders();
    const { clock, writer } = group.petstore;
    clock.advance(5 * DAY_MS);
    await writer.patch('/v1/store/orders/3', { status: 'approved' });
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    await using opened = await open({ path: `/console/adoptions?view=list&from=${today}` });
    const { page } = opened;
    await page.getByRole('heading', { name: 'No adoptions found' }).waitFor();
    await page.getByRole('combobox', { name: 'Step' }).selectOption('Approved');
    await untilRows(page, ['Rex']);
    await page.getByRole('combobox', { name: 'Step' }).selectOption('Completed');
    await page.getByRole('heading', { name: 'No adoptions found' }).waitFor();
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByRole('heading', { name: 'The days are the wrong way round' }).waitFor();
    await page.getByRole('button', { name: 'Clear the days' }).click();
    await untilRows(page, ['Rex', '=1+1', 'Zoë']);
  });

  browserTest('an export has all that was found, and no formula', async () => {
    await addOrders();
    await using opened = await open({ path: '/console/adoptions?view=list' });
    const { page } = opened;
    const saving = page.waitForEvent('download');
    await exportAs(page, 'adoptions', 'All fields, for other programs');
    const saved = await saving;
    await message(page, '3 rows exported.');
    const text = readFileSync(await saved.path(), 'utf8');
    const lines = text.split('\r\n');
    expect(lines[0]).toBe(
      'Order,Animal,Animal number,Adopter,Contact,Note,Status,Placed,Approved,Completed,Cancelled,Returned,Last change',
    );
    expect(lines[1]).toStartWith('3,Rex,3,Anna,ANA@example.com,,Placed,');
    expect(lines[2]).toStartWith("2,'=1+1,2,Ben;'=1+1,'+49 170 1234567,,Completed,");
    expect(lines).toHaveLength(5);
    expect(saved.suggestedFilename()).toMatch(/^adoptions-\d{4}-\d\d-\d\d\.csv$/);
    await page.goto(`${group.petstore.url}/console/animals?q=rex`);
    const animalsSaving = page.waitForEvent('download');
    await exportAs(page, 'animals', 'For Excel');
    const found = readFileSync(await (await animalsSaving).path(), 'utf8');
    expect(found).toStartWith('\uFEFFid,name,category,status,externalId,');
    expect(found).toMatch(/\r\n3,Rex,[^,]*,pending,/i);
    expect(found.split('\r\n')).toHaveLength(3);
  });

  browserTest(
    'a file for Excel has semicolons beside decimal commas, and times as here',
    async () => {
      await addOrders();
      const path = '/console/adoptions?view=list';
      await using opened = await open({ path, locale: 'de-DE', timezoneId: 'Europe/Berlin' });
      const { page } = opened;
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Vermittlungen exportieren' }).click();
      await page.getByRole('menuitem', { name: 'Für Excel' }).click();
      const [head = '', line = ''] = readFileSync(await (await saving).path(), 'utf8').split(
        '\r\n',
      );
      expect(head).toStartWith('\uFEFFVermittlung;Tier;');
      expect(line).toMatch(/^3;Rex;3;Anna;.*;Begonnen;\d{4}-\d\d-\d\d \d\d:\d\d:\d\d;/);
      const { placedAt } = JSON.parse((await group.petstore.writer.get('/v1/store/orders/3')).text);
      const there = new Date(placedAt).toLocaleString('sv', { timeZone: 'Europe/Berlin' });
      expect(line).toContain(`;${there};`);
    },
  );

  browserTest('the list can be read by everyone, in both themes and on a phone', async () => {
    await addOrders();
    await using opened = await open({ path: '/console/adoptions?view=list' });
    await untilRows(opened.page, ['Rex', '=1+1', 'Zoë']);
    expect(await looksWrong(opened.page)).toEqual([]);
  });
});
