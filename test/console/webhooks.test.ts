import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { looksWrong } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { type ConsoleOptions, openConsole } from '../support/console.ts';

describeInBrowser('Webhooks', { settings: { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8' } }, (group) => {
  let receiver: Bun.Server<undefined>;
  let status = 204;
  beforeAll(async () => {
    receiver = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(null, { status }),
    });
  });
  afterAll(() => receiver?.stop(true));

  const open = (options: ConsoleOptions = {}) =>
    openConsole(group.browser, group.petstore, { path: '/console/webhooks', ...options });
  const url = (name: string) => `http://127.0.0.1:${receiver.port}/${name}`;
  const stored = async () => JSON.parse((await group.petstore.admin.get('/v1/webhooks')).text);
  const addPet = () => group.petstore.writer.post('/v1/pets', { name: 'Bella', categoryId: 1 });
  const deliveries = (page: Page) => page.getByRole('table', { name: 'Deliveries' });

  browserTest('a webhook is added, tested, followed, changed and removed', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await page.getByRole('button', { name: 'Add webhook' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add webhook' });
    await dialog.getByRole('button', { name: 'Add webhook' }).press('Enter');
    await dialog.getByText('Address is missing.').waitFor();
    await dialog.getByRole('textbox', { name: 'Address' }).fill('http://10.0.0.1/events');
    await dialog.getByRole('button', { name: 'Add webhook' }).press('Enter');
    const refused = dialog.getByText('Address has to start with https://.');
    await refused.waitFor();
    // What the service said goes when the address changes.
    await dialog.getByRole('textbox', { name: 'Address' }).fill('foo');
    expect(await refused.count()).toBe(0);
    await dialog.getByRole('textbox', { name: 'Address' }).fill(url('first'));
    await dialog.getByRole('combobox', { name: 'Events' }).selectOption('some');
    await dialog.getByRole('checkbox', { name: 'Animal added' }).check();
    await dialog.getByRole('button', { name: 'Add webhook' }).press('Enter');
    const shown = page.getByRole('dialog', { name: 'The secret of this webhook' });
    await shown.getByText('whsec_').waitFor();
    await shown.getByRole('button', { name: 'Done' }).press('Enter');
    // Nobody closes it without a copy by accident.
    const lost = page.getByRole('dialog', { name: 'Close without a copy?' });
    await lost.getByRole('button', { name: 'Close' }).first().press('Enter');
    const [{ types }] = await stored();
    expect(types).toEqual(['pet.created']);

    await page.getByRole('link', { name: url('first') }).press('Enter');
    await page.getByText('Nothing was sent yet.').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).press('Enter');
    await page.getByText('It arrived: the endpoint answered 204').waitFor();
    status = 503;
    await page.getByRole('button', { name: 'Send a test' }).press('Enter');
    await page.getByText('It did not arrive: the endpoint answered 503').waitFor();

    await page.route('**/v1/webhooks/*/test', (route) =>
      route.fulfill({ json: { delivered: false, error: 'No address.', milliseconds: 1 } }),
    );
    await page.getByRole('button', { name: 'Send a test' }).press('Enter');
    await page
      .getByText('It did not arrive: No server has this name. Check the address.')
      .waitFor();

    await addPet();
    await deliveries(page)
      .getByRole('cell', { name: /^503\. Next attempt / })
      .waitFor();
    await deliveries(page).getByText('Trying again').waitFor();
    await page.getByRole('definition').filter({ hasText: 'Failing' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Webhooks' }).press('Enter');
    await page
      .getByRole('row', { name: url('first') })
      .getByText('Failing')
      .waitFor();
    await page.getByRole('link', { name: url('first') }).press('Enter');
    status = 204;
    await page.getByRole('button', { name: 'Retry event' }).press('Enter');
    await deliveries(page).getByText('Delivered').waitFor();

    await page.getByRole('button', { name: 'Disable' }).press('Enter');
    await page.getByText('An administrator disabled it.').waitFor();
    await page.getByRole('button', { name: 'Enable' }).press('Enter');
    await page.getByText('An administrator disabled it.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Replace secret' }).press('Enter');
    await page
      .getByRole('dialog', { name: 'Replace the secret?' })
      .getByRole('button', { name: 'Replace' })
      .press('Enter');
    const renewed = page.getByRole('dialog', { name: 'The new secret of this webhook' });
    await renewed.getByRole('button', { name: 'Done' }).press('Enter');
    await lost.getByRole('button', { name: 'Close' }).first().press('Enter');
    await page.getByRole('button', { name: 'Change' }).press('Enter');
    const change = page.getByRole('dialog', { name: 'Change webhook' });
    await change.getByRole('textbox', { name: 'Description' }).fill('Paws & Co');
    await change.getByRole('combobox', { name: 'Events' }).selectOption('all');
    await change.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('Paws & Co').waitFor();
    expect((await stored())[0]).toMatchObject({ types: null, description: 'Paws & Co' });

    await page.getByRole('button', { name: 'Remove' }).press('Enter');
    await page
      .getByRole('dialog', { name: 'Remove this webhook?' })
      .getByRole('button', { name: 'Remove' })
      .press('Enter');
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    expect(await stored()).toEqual([]);
    // The browser reports the response to the refused address.
    expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
  });

  browserTest('is accessible light or dark, wide or narrow, with and without dialogs', async () => {
    status = 204;
    const name = 'long'.repeat(30);
    await group.petstore.admin.post('/v1/webhooks', { url: url(name) });
    await using opened = await open();
    const { page, complaints } = opened;
    const check = async () => expect(await looksWrong(page)).toEqual([]);
    await page.getByRole('link', { name: url(name) }).waitFor();
    await check();
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('combobox', { name: 'Events' }).selectOption('some');
    await check();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('link', { name: url(name) }).click();
    await addPet();
    await deliveries(page).getByText('Delivered').first().waitFor();
    await check();
    expect(complaints).toEqual([]);
  });
});
