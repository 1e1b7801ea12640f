import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { looksWrong } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { type ConsoleOptions, openConsole } from '../support/console.ts';

describeInBrowser('Keys', { isolated: true }, (group) => {
  const open = (options: ConsoleOptions = {}) =>
    openConsole(group.browser, group.petstore, { path: '/console/keys', ...options });
  const statusWith = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${group.petstore.baseUrl}/pets`, { headers })).status;
  };
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

  browserTest('a key is created by keyboard, shown once, used, rotated and revoked', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Create key' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Create key' });
    await dialog.getByRole('button', { name: 'Create key' }).press('Enter');
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Paws & Co');
    // Whom it is for fills in what fits them: a partner reads, and not for ever.
    await dialog.getByRole('combobox', { name: 'For', exact: true }).selectOption('partner');
    expect(await dialog.getByRole('combobox', { name: 'Rights' }).inputValue()).toBe('read');
    expect(await dialog.getByRole('combobox', { name: 'Expires' }).inputValue()).toBe('365');
    await dialog.getByText('It never sees adopters').waitFor();
    await dialog.getByRole('combobox', { name: 'Plan' }).selectOption('enterprise');
    await dialog.getByRole('spinbutton', { name: 'Requests a minute' }).fill('0');
    await dialog.getByRole('button', { name: 'Create key' }).press('Enter');
    await dialog.getByText('Enter 1 or more.').waitFor();
    await dialog.getByRole('spinbutton', { name: 'Requests a minute' }).fill('2');
    await dialog.getByRole('button', { name: 'Create key' }).press('Enter');
    const shown = page.getByRole('dialog', { name: 'The key of Paws & Co' });
    const key = (await shown.getByText('petstore_live_').textContent()) ?? '';
    expect(await statusWith(key)).toBe(200);
    await shown.getByRole('button', { name: 'Copy' }).press('Enter');
    await shown.getByText('Copied.').waitFor();
    await shown.getByRole('button', { name: 'Done' }).press('Enter');
    await row(page, 'Paws & Co').waitFor();
    expect(await page.content()).not.toContain(key);
    expect([await statusWith(key), await statusWith(key)]).toEqual([200, 429]);

    await page.getByRole('link', { name: 'Paws & Co' }).press('Enter');
    const details = page.getByRole('dialog', { name: 'Paws & Co' });
    await details.getByText('2 requests a minute').waitFor();
    await details.getByText('Show as table').click();
    // The service adds up what was sent once a second, by a clock that this test moves.
    await group.petstore.clock.advance(2_000);
    await details
      .getByRole('row')
      .filter({ hasText: /2\s*1$/ })
      .waitFor();
    await details.getByText('3 requests (1 of them over its limit) in the last 7 days').waitFor();
    await details.getByRole('link', { name: 'By hour' }).click();
    await details.getByText('Requests in the last 24 hours').first().waitFor();
    expect(new URL(page.url()).searchParams.get('per')).toBe('hour');

    await details.getByRole('button', { name: 'Rotate' }).press('Enter');
    const rotation = page.getByRole('dialog', { name: 'Rotate the key of Paws & Co' });
    await rotation.getByRole('combobox').selectOption('0');
    await rotation.getByRole('button', { name: 'Rotate' }).press('Enter');
    const replaced = (await shown.getByText('petstore_live_').textContent()) ?? '';
    await shown.getByRole('button', { name: 'Done' }).press('Enter');
    // It was not copied.
    const lost = page.getByRole('dialog', { name: 'Close without a copy?' });
    await lost.getByRole('button', { name: 'Go back' }).press('Enter');
    await shown.getByRole('button', { name: 'Copy' }).press('Enter');
    await shown.getByText('Copied.').waitFor();
    await shown.getByRole('button', { name: 'Done' }).press('Enter');
    expect(await statusWith(key)).toBe(401);
    await group.petstore.clock.advance(60_000);
    expect(await statusWith(replaced)).toBe(200);

    await page.getByRole('link', { name: 'Paws & Co' }).nth(1).press('Enter');
    await details.getByRole('button', { name: 'Revoke' }).press('Enter');
    const question = page.getByRole('dialog', { name: 'Revoke the key of Paws & Co?' });
    await question.getByRole('button', { name: 'Revoke' }).press('Enter');
    await details.getByText('Revoked', { exact: true }).first().waitFor();
    // A revocation takes effect within a second, by a clock that this test moves.
    await group.petstore.clock.advance(2_000);
    expect(await statusWith(replaced)).toBe(401);
    expect(complaints).toEqual([]);
  });

  browserTest('a ban is shown and lifted, and a key is renamed', async () => {
    const partner = await group.petstore.keyWith({ name: 'Partner', plan: 'free' });
    for (let i = 0; i < 400; i++) await partner.client.get('/v1/pets');
    await using opened = await open();
    const { page } = opened;
    await row(page, 'Partner').getByText('Banned').waitFor();
    await page.getByRole('link', { name: 'Partner' }).click();
    const details = page.getByRole('dialog', { name: 'Partner' });
    await details.getByRole('button', { name: 'Lift ban' }).click();
    await details.getByText('Active').waitFor();
    await details.getByRole('button', { name: 'Rename' }).click();
    const form = page.getByRole('dialog', { name: 'Rename the key of Partner' });
    await form.getByRole('textbox', { name: 'Name' }).fill('Paws');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'Paws' }).waitFor();
  });

  browserTest(
    'a key that is created later, from the list of what was not sent, is shown on any page',
    async () => {
      await using opened = await open();
      const { page } = opened;
      await row(page, 'Robin').waitFor();
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('link', { name: 'Keys' }).first().click();
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Paws');
      await page.context().setOffline(true);
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('button', { name: 'Try again: Create a key for Paws' }).waitFor();
      // The dialog is closed for good: back leads to the page before.
      await page.goBack();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.context().setOffline(false);
      const shown = page.getByRole('dialog', { name: 'The key of Paws' });
      const key = (await shown.getByText('petstore_live_').textContent()) ?? '';
      expect(await statusWith(key)).toBe(200);
      expect(new URL(page.url()).pathname).toBe('/console');
    },
  );

  browserTest(
    'a key renamed by somebody else while its form is open is not renamed without a question',
    async () => {
      const partner = await group.petstore.keyWith({ name: 'Partner' });
      await using opened = await open();
      const { page } = opened;
      await page.getByRole('link', { name: 'Partner' }).click();
      await page.getByRole('button', { name: 'Rename' }).click();
      const form = page.getByRole('dialog', { name: 'Rename the key of Partner' });
      await form.getByRole('textbox', { name: 'Name' }).fill('Paws');
      await group.petstore.admin.patch(`/v1/keys/${partner.id}`, { name: 'Theirs' });
      await form.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Keep theirs' }).click();
      await page.getByRole('dialog', { name: 'Theirs' }).waitFor();
    },
  );

  browserTest('to revoke the own key signs out', async () => {
    await group.petstore.keyWith({ name: 'Second', scopes: ['admin'] });
    await using opened = await open();
    const { page } = opened;
    await page.getByRole('link', { name: 'Robin', exact: true }).click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke the key of Robin?' });
    await question.getByText('you will be signed out').waitFor();
    await question.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor();
  });

  browserTest('is accessible light or dark, wide or narrow, with and without dialogs', async () => {
    await group.petstore.keyWith({ name: 'P'.repeat(90), scopes: ['read'] });
    await using opened = await open();
    const { page, complaints } = opened;
    const check = async () => expect(await looksWrong(page)).toEqual([]);
    await page.getByRole('link', { name: 'Robin', exact: true }).waitFor();
    await check();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').waitFor();
    await check();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Robin', exact: true }).click();
    await page.getByText('Requests in the last 30 days').first().waitFor();
    await check();
    expect(complaints).toEqual([]);
  });
});
