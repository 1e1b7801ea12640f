import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations, looksAt, looksWrong } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { openConsole } from '../support/console.ts';

describeInBrowser('stays in the console', {}, (group) => {
  const json = async (path: string) => JSON.parse((await group.petstore.writer.get(path)).text);
  async function add(name: string, profile: object = {}): Promise<number> {
    const { id } = JSON.parse(
      (await group.petstore.writer.post('/v1/pets', { name, categoryId: 1 })).text,
    );
    // The browser's clock is behind that of the service.
    const since = { inCareSince: '2025-03-01', species: 'dog', ...profile };
    await group.petstore.writer.patch(`/v1/pets/${id}/profile`, since);
    return id;
  }
  const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();

  browserTest('an animal leaves and comes back, and the year counts it', async () => {
    const id = await add('Maple');
    const path = `/console/animals/${id}`;
    await using opened = await openConsole(group.browser, group.petstore, { path });
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Left…' }).click();
    await page.getByRole('combobox', { name: 'How' }).selectOption({ label: 'Died' });
    await page.getByRole('textbox', { name: 'On' }).fill('2025-04-02');
    expect(await accessibilityViolations(page)).toEqual([]);
    await save(page);
    const stays = page.getByRole('region', { name: 'Stays' });
    await stays.getByText('Died').waitFor();
    await page.getByRole('button', { name: /^Status of .*: Died$/ }).waitFor();
    expect(await json(`/v1/pets/${id}`)).toMatchObject({ status: 'sold' });
    await stays.getByRole('button', { name: 'Came back…' }).click();
    await page.getByRole('textbox', { name: 'On' }).fill('2025-05-02');
    await save(page);
    await stays.getByText('Returned').waitFor();
    expect((await json(`/v1/pets/${id}/stays`)).length).toBe(2);

    await page.goto(page.url().replace(path, '/console/year?year=2025'));
    const row = page.getByRole('table', { name: 'Animals of 2025' }).getByRole('row').last();
    await row.getByText('100 %').waitFor({ state: 'detached' });
    expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/^All 0 2 1 1 0 % 32/);
    await page.getByRole('figure', { name: 'Animals by month' }).waitFor();
    expect(await looksWrong(page, [...looksAt(1280, 360), ...looksAt(768, 1280)])).toEqual([]);
    expect(complaints).toEqual([]);
  });

  browserTest('an adopted animal is returned with day and reason, once', async () => {
    const id = await add('Hazel');
    const { writer } = group.petstore;
    const order = JSON.parse((await writer.post('/v1/store/orders', { petId: id })).text).id;
    for (const status of ['approved', 'completed']) {
      const day = status === 'completed' && { completedOn: '2025-06-01' };
      await writer.patch(`/v1/store/orders/${order}`, { status, ...day });
    }
    const path = `/console/adoptions?view=list&order=${order}`;
    await using opened = await openConsole(group.browser, group.petstore, { path });
    const { page, complaints } = opened;
    const adoption = page.getByRole('dialog', { name: 'Adoption of Hazel' });
    await adoption.getByRole('button', { name: 'Returned…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Hazel came back' });
    // Nobody comes back before they left.
    await dialog.getByLabel('On', { exact: true }).fill('2025-05-01');
    await save(page);
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('On', { exact: true }).fill('2025-06-20');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('An allergy');
    expect(await accessibilityViolations(page)).toEqual([]);
    await save(page);
    await adoption.getByText('An allergy').waitFor();
    expect(await adoption.getByRole('button', { name: 'Returned…' }).count()).toBe(0);
    expect(await json(`/v1/pets/${id}`)).toMatchObject({ status: 'available' });
    expect((await json(`/v1/pets/${id}/stays`)).at(-1)).toMatchObject({
      ...{ intakeDate: '2025-06-20', intakeType: 'return', outcomeDate: null },
    });
    expect(complaints.filter((one) => !one.includes('409'))).toEqual([]);
  });

  browserTest('a chip finds an animal, also typed with spaces, and a care filters', async () => {
    await add('Chip', { microchip: '276098101234567', care: 'hold', careUntil: '2026-01-01' });
    await add('Other');
    await using opened = await openConsole(group.browser, group.petstore, {
      path: '/console/animals?q=276+0981',
    });
    const { page } = opened;
    const names = () => page.getByRole('table', { name: 'Animals' }).getByRole('row').count();
    await page.getByRole('link', { name: 'Chip', exact: true }).waitFor();
    expect(await names()).toBe(2);
    await page.goto(page.url().replace('q=276+0981', 'care=hold'));
    await page.getByRole('link', { name: 'Chip', exact: true }).waitFor();
    expect(await names()).toBe(2);
    await page.goto(page.url().replace(/animals.*/, ''));
    await page.getByRole('link', { name: '1 hold' }).waitFor();
    await page.getByRole('link', { name: 'Chip' }).first().click();
    await page.getByRole('link', { name: 'Start adoption' }).waitFor();
    await page.getByRole('link', { name: 'Edit: Private' }).click();
    await page.getByRole('textbox', { name: 'Until' }).fill('2099-12-12');
    await save(page);
    await page.getByText('On hold until 12 Dec 2099').waitFor();
    expect(await page.getByRole('link', { name: 'Start adoption' }).count()).toBe(0);
  });
});
