import type { Page } from 'playwright-core';
import type { BrowserGroup } from './browser-group.ts';
import { type ConsoleOptions, openConsole } from './console.ts';

/** Chooses a file to import. */
export const choose = (page: Page, name: string, content: string | Buffer) =>
  page
    .getByLabel('Choose a file')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });

/** What is chosen in a field. */
export const chosen = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).inputValue();

/** What tests of the page of imports do with it. */
export function importsOf(group: BrowserGroup) {
  return {
    open: (options: ConsoleOptions = {}) =>
      openConsole(group.browser, group.petstore, { path: '/console/import', ...options }),
    pets: async () =>
      (await group.petstore.storage.pets.list({}, { afterId: undefined, limit: 100 })).items,
  };
}
