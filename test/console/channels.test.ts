import { afterAll, beforeAll, expect } from 'bun:test';
import { CHANNEL_SETTINGS } from '../channels/channel.ts';
import { type SftpServer, startSftpServer } from '../channels/file-servers.ts';
import { looksWrong } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { openConsole } from '../support/console.ts';
import { addListed } from '../support/enquiries.ts';

describeInBrowser('Channels', { settings: CHANNEL_SETTINGS }, (group) => {
  let sftp: SftpServer;
  beforeAll(async () => {
    sftp = await startSftpServer();
  });
  afterAll(() => sftp?.[Symbol.asyncDispose]());
  const stored = async () => JSON.parse((await group.petstore.admin.get('/v1/channels')).text);

  browserTest('a channel is added, tested, held back, sent, changed and removed', async () => {
    const { storage, admin } = group.petstore;
    await using opened = await openConsole(group.browser, group.petstore, {
      path: '/console/channels',
    });
    const { page, complaints } = opened;
    await page.getByRole('heading', { name: 'No channels yet' }).waitFor();
    await page.getByRole('button', { name: 'Add channel' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add channel' });
    await dialog.getByRole('textbox', { name: 'Account' }).waitFor();
    await dialog.getByRole('combobox', { name: 'Where to' }).selectOption('csv');
    await dialog.getByRole('textbox', { name: 'Address' }).fill(sftp.address);
    await dialog.getByLabel('Password').fill('wrong');
    await dialog.getByRole('button', { name: 'Add channel' }).press('Enter');
    await page.getByText('No file was sent yet.').waitFor();
    expect(await looksWrong(page)).toEqual([]);

    await page.getByRole('button', { name: 'Test' }).press('Enter');
    await page.getByText('It does not work: The user name or').waitFor();
    await page.getByRole('button', { name: 'Change' }).press('Enter');
    const change = page.getByRole('dialog', { name: 'Change channel' });
    await change.getByLabel('Password').fill(sftp.password);
    await change.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('The channel is saved.').waitFor();
    await page.getByRole('button', { name: 'Test' }).press('Enter');
    await page.getByText('It works. The file has 0 animals.').waitFor();

    // An empty file is sent on purpose only.
    await page.getByRole('button', { name: 'Send now' }).press('Enter');
    const asked = page.getByRole('dialog', { name: 'Send the shorter file anyway?' });
    await asked.getByRole('button', { name: 'Cancel' }).press('Enter');
    await page.getByText('none was sent before').waitFor();
    await addListed(storage, 'Chloe');
    await page.getByRole('button', { name: 'Send now' }).press('Enter');
    const table = page.getByRole('table', { name: 'Sent files' });
    await table.getByText('Sent', { exact: true }).waitFor({ timeout: 20_000 });
    expect(sftp.read('animals.csv')).toContain('Chloe');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the file' }).press('Enter');
    expect((await saving).suggestedFilename()).toBe('animals.csv');
    expect(await looksWrong(page)).toEqual([]);

    const [{ id }] = await stored();
    await storage.channels.end(await storage.channels.begin(BigInt(id), 0), {
      ...{ outcome: 'held', rows: 0, bytes: 0, leftOutCount: 0, leftOut: [], endedAt: 0 },
      ...{ photosSent: 0, photosLeft: 0 },
      ...{ problem: 'The file has 0 animals, and the one sent last had 1.', nextAt: 9e12 },
    });
    await page.goto(`${group.petstore.url}/console`);
    await page.getByRole('link', { name: '1 channel' }).press('Enter');
    await page.getByRole('link', { name: /Other site/ }).press('Enter');
    await page.getByRole('button', { name: 'Remove' }).press('Enter');
    const remove = page.getByRole('dialog', { name: 'Remove this channel?' });
    await remove.getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByRole('heading', { name: 'No channels yet' }).waitFor();
    expect(await stored()).toEqual([]);
    expect((await admin.get(`/v1/channels/${id}`)).status).toBe(404);
    // The file that was held back.
    expect(complaints.filter((text) => !text.includes('409'))).toEqual([]);
  });
});
