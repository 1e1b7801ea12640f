import { expect } from 'bun:test';
import { idOf } from '../support/animals.ts';
import { looksWrong } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { openConsole } from '../support/console.ts';

describeInBrowser('who did what', { isolated: true }, (group) => {
  const add = async (name: string) =>
    idOf(await group.petstore.writer.post('/v1/pets', { name, categoryId: 1 }));

  browserTest('Activity says who changed what, and brings an animal back', async () => {
    const maria = await group.petstore.keyWith({ name: 'Maria', scopes: ['write'] });
    const id = await add('Rex');
    await using opened = await openConsole(group.browser, group.petstore, {
      path: '/console/activity',
      scopes: ['admin'],
    });
    const { page, complaints } = opened;
    const items = page.getByRole('main').locator('.activity-day > ol > li');
    await items.filter({ hasText: 'Animal added: Rex' }).waitFor();
    await maria.client.patch(`/v1/pets/${id}`, { name: 'Max' });
    const renamed = items.filter({ hasText: 'Animal changed: Max by Maria' });
    await renamed.getByText('Name: Max, it was Rex').waitFor();
    await page.getByRole('combobox', { name: 'Who' }).selectOption('Maria (key)');
    await items.filter({ hasText: 'Animal added' }).waitFor({ state: 'detached' });
    expect(await items.count()).toBe(1);
    await page.getByRole('combobox', { name: 'Who' }).selectOption('Everybody');
    await maria.client.delete(`/v1/pets/${id}`);
    expect(await looksWrong(page)).toEqual([]);
    await group.petstore.admin.delete(`/v1/keys/${maria.id}`);
    await items
      .filter({ hasText: 'Key revoked: Maria' })
      .getByText(/^Ended: \d/)
      .waitFor();
    await page.getByRole('button', { name: 'Bring back Max' }).press('Enter');
    await items.filter({ hasText: 'Animal brought back: Max' }).waitFor();
    await page.getByRole('button', { name: 'Bring back Max' }).waitFor({ state: 'detached' });
    expect((await group.petstore.reader.get(`/v1/pets/${id}`)).status).toBe(200);
    expect(complaints).toEqual([]);
  });

  browserTest('a page that cannot be drawn says so', async () => {
    const { browser, petstore } = group;
    await using opened = await openConsole(browser, petstore);
    await opened.page.route('**/v1/audit?**', (route) =>
      route.fulfill({ json: [{ id: 1, timestamp: 'never', type: 'pet.created', subject: {} }] }),
    );
    await opened.page.getByRole('link', { name: 'Activity' }).click();
    await opened.page.getByRole('heading', { name: 'This could not be loaded' }).waitFor();
    await opened.page.getByRole('button', { name: 'Reload the tab' }).waitFor();
  });

  browserTest('a removal can be undone, also from the page of the removed animal', async () => {
    const id = await add('Ida');
    const path = `/console/animals/${id}`;
    await using opened = await openConsole(group.browser, group.petstore, {
      path,
      scopes: ['write'],
    });
    const { page } = opened;
    const remove = async () => {
      await page.getByRole('button', { name: 'Actions for Ida' }).click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await page.waitForURL('**/console/animals');
    };
    await remove();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Ida is back, available.').waitFor();
    await page.goto(group.petstore.url.replace('/v1', '') + path);
    await remove();
    await page.goto(group.petstore.url.replace('/v1', '') + path);
    await page.getByText('This animal was removed.').waitFor();
    await page.getByText('Animal removed').first().waitFor();
    expect(await looksWrong(page)).toEqual([]);
    await page.getByRole('button', { name: 'Bring back' }).click();
    await page.getByRole('button', { name: 'Actions for Ida' }).waitFor();
  });
});
