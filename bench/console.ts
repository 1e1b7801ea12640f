/** `bun bench/console.ts`: the time from the address of a page of the console to a usable table. */
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../test/support/browser.ts';
import { CATEGORIES, createDatabase } from './animals.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { ANIMALS } from './kinds.ts';
import { findPrograms } from './requirements.ts';
import { spreadOf, spreadText } from './statistics.ts';
import { markdownTable } from './table.ts';
import { openWorkbench } from './workbench.ts';

const VISITS = 10;
const PATH = '/console/animals';

/** Promises the time at which a condition is true and on the screen. */
const WATCH = `window.timeOf = (isTrue) => new Promise((resolve) => {
  const check = () => {
    if (!isTrue()) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  };
  const observer = new MutationObserver(check);
  observer.observe(document, { childList: true, subtree: true, characterData: true });
  check();
});
/** The first row can be used, and names its category. */
window.usable = timeOf(() => document.querySelector('tbody td[data-label=Category]')?.textContent
  && document.querySelector('tbody select:enabled'));`;

/** Opens a browser profile that is signed in. Nothing is in its cache. */
async function signedIn(browser: Browser, origin: string, key: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const headers = { origin };
  const response = await context.request.post(`${origin}/console/session`, {
    data: { key },
    headers,
  });
  if (!response.ok()) throw new Error(`the sign-in was ${response.status()}`);
  await context.addInitScript(WATCH);
  return context;
}

/** Opens an address. Returns the milliseconds until the table was usable. */
async function visit(page: Page, address: string): Promise<number> {
  await page.goto(address);
  return page.evaluate<number>('usable');
}

/** Types a search. Returns the milliseconds from the last letter to the row that was searched. */
async function search(page: Page, name: string): Promise<number> {
  await page.getByRole('searchbox').pressSequentially(name.slice(0, -1));
  const begin = await page.evaluate<number>('performance.now()');
  await page.keyboard.press(name.slice(-1));
  const end = await page.evaluate<number>(`timeOf(() =>
    document.querySelectorAll('tbody tr').length === 1 &&
      document.querySelector('tbody th').textContent === '${name}')`);
  return end - begin;
}

const { taskset } = findPrograms('taskset');
await using workbench = openWorkbench(taskset);
const database = `sqlite:${join(workbench.folder, 'ours.db')}`;
await createDatabase(database, ANIMALS);
const authorization = await createAuthorization(workbench, database);
const { origin } = await startOurs(workbench, database);
for (let number = 1; number <= CATEGORIES; number++) {
  const headers = { authorization, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: `Kind ${number}` });
  const { status } = await fetch(`${origin}/v1/categories`, { method: 'POST', headers, body });
  if (status !== 201) throw new Error(`a category was ${status}`);
}

const browser = await launchBrowser();
const times: Record<string, number[]> = {};
const note = (what: string, ms: number) => {
  times[what] = [...(times[what] ?? []), ms];
};
try {
  for (let round = 0; round < VISITS; round++) {
    const context = await signedIn(browser, origin, authorization.replace('Bearer ', ''));
    const page = await context.newPage();
    note('first visit, nothing in the cache', await visit(page, origin + PATH));
    note('next visit', await visit(page, origin + PATH));
    note('shared link with a search', await visit(page, `${origin}${PATH}?q=00099999`));
    await visit(page, origin + PATH);
    note('search, from the last letter', await search(page, 'Animal 00077777'));
    await context.close();
  }
} finally {
  await browser.close();
}
const rows = Object.entries(times).map(([what, values]) => [
  what,
  spreadText(spreadOf(values), (value) => value.toFixed(0)),
]);
const title = `${ANIMALS.toLocaleString('en')} animals, ${VISITS} times each`;
process.stdout.write(`${markdownTable([title, 'milliseconds'], rows)}\n`);
