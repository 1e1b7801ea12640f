import { expect } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace, type Workspace } from '../cli/workspace.ts';
import { looksWrong } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { importsOf } from '../support/console-imports.ts';
import { forEachTest } from '../support/lifetime.ts';

/*
 * A file of each system goes in as the command reads it, without any choice. With a folder in PETSTORE_TEST_PICTURES the
 * page is drawn there before each import, for a phone and a desk.
 */

const FOLDER = join(import.meta.dir, '../world/files');
const PICTURES = process.env['PETSTORE_TEST_PICTURES'];
/** What people have to say of a file that leaves something open. */
const ASKED: Readonly<Record<string, string | undefined>> = {
  'one-kind.csv': 'Dog',
  'king-county.csv': undefined,
};

describeInBrowser('The console imports as the command does', { isolated: true }, (group) => {
  const { open } = importsOf(group);
  const workspace = forEachTest(() => createWorkspace());

  for (const file of readdirSync(FOLDER).sort()) {
    browserTest(file, async () => {
      await using opened = await open();
      const { page, complaints } = opened;
      await page.getByLabel('Choose a file').setInputFiles(join(FOLDER, file));
      const category = ASKED[file];
      if (file in ASKED) await page.getByLabel('Status', { exact: true }).selectOption('');
      if (category !== undefined) {
        const choice = 'None: all are of one kind';
        await page.getByLabel('Category', { exact: true }).selectOption(choice);
        await page.getByLabel('Category of all animals').fill(category);
      }
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByRole('heading', { name: 'What would happen' }).waitFor();
      // The page is the same for all but these, and looking takes as long as the rest.
      if (file in ASKED) expect(await looksWrong(page)).toEqual([]);
      for (const [name, width] of [
        ['phone', 390],
        ['desk', 1366],
      ] as const) {
        if (PICTURES === undefined) break;
        await page.setViewportSize({ width, height: 800 });
        await page.screenshot({ path: join(PICTURES, `${file}-${name}.png`), fullPage: true });
      }
      const button = page.getByRole('button', { name: 'Import', exact: true });
      if (await button.isVisible()) {
        await button.click();
        await page.getByRole('heading', { name: 'The file was imported' }).waitFor();
      }
      const flags = category === undefined ? [] : ['--category-is', category];
      // Rejected rows go beside the file.
      const copy = workspace.write(file, readFileSync(join(FOLDER, file)));
      await workspace.output('import', copy, '--no-photos', ...flags);
      const { storage } = group.petstore;
      const page1 = await storage.pets.exportPage(undefined, { afterId: undefined, limit: 1_000 });
      const today = new Date().toISOString().slice(0, 10);
      const day = new Date(group.petstore.clock.now()).toISOString().slice(0, 10);
      expect(seen(page1.items, day)).toEqual(seen(await workspace.animals(), today));
      expect(complaints).toEqual([]);
    });
  }
});

/** What is read from a file. Without a day of arrival it is that of the import. */
function seen(animals: Awaited<ReturnType<Workspace['animals']>>, today: string) {
  return animals.map(({ name, externalId, status, profile }) => {
    const since = profile?.inCareSince;
    const read = { ...profile, inCareSince: since === today ? 'today' : since };
    return { ...{ name, externalId, status }, ...read };
  });
}
