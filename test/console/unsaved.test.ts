import { expect } from 'bun:test';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { openConsole } from '../support/console.ts';

describeInBrowser('what is not saved yet', {}, (group) => {
  for (const [place, path, link, name] of [
    ['a dialog in the address', '/console/people', 'People', 'Add person'],
    ['a dialog that no address names', '/console/categories', 'Categories', 'Add category'],
  ] as const) {
    browserTest(`the back button asks first: ${place}`, async () => {
      await using opened = await openConsole(group.browser, group.petstore, {
        path: '/console/keys',
      });
      const { page } = opened;
      await page.getByRole('link', { name: link }).first().click();
      await page.getByRole('button', { name }).click();
      const dialog = page.getByRole('dialog', { name });
      const field = dialog.getByRole('textbox', { name: 'Name' });
      await field.fill('Juniper');
      const question = page.getByRole('dialog', { name: 'Leave without saving?' });

      await page.evaluate('history.back()');
      await question.getByRole('button', { name: 'Go back' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await field.inputValue()).toBe('Juniper');

      // Back in the question is to go on.
      await page.evaluate('history.back()');
      await question.waitFor();
      await page.evaluate('history.back()');
      await question.waitFor({ state: 'detached' });
      expect(await field.inputValue()).toBe('Juniper');

      await page.evaluate('history.back()');
      await question.getByRole('button', { name: 'Leave' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(path);
    });
  }

  browserTest('going back closes a dialog in which nothing was typed', async () => {
    await using opened = await openConsole(group.browser, group.petstore, {
      path: '/console/categories',
    });
    const { page } = opened;
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('button', { name: 'Add person' }).click();
    await page.getByRole('dialog', { name: 'Add person' }).waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'People' }).waitFor();
  });

  browserTest('the browser asks before the tab is closed or loaded again', async () => {
    await using opened = await openConsole(group.browser, group.petstore, {
      path: '/console/categories',
    });
    const { page } = opened;
    await page.getByRole('button', { name: 'Add category' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add category' });
    await dialog.getByRole('textbox', { name: 'Name' }).pressSequentially('Juniper');
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Juniper');
  });
});
