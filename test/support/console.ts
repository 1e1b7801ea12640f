import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Scope } from '../../src/domain/api-key.ts';
import { openPage, type WatchedPage } from './browser.ts';
import { eventually, eventuallyIs } from './eventually.ts';
import { PASSWORD, type TestPerson } from './people.ts';
import type { TestPetstore } from './start.ts';

export interface ConsoleOptions extends BrowserContextOptions {
  /** The path with its query; by default the overview. */
  readonly path?: string;
  /** What the person may do; by default everything. */
  readonly scopes?: readonly Scope[];
  /** The name of the person's key. */
  readonly name?: string;
  /** The person who signs in, in place of a key. */
  readonly as?: Pick<TestPerson, 'email'>;
}

/** Opens a page of the console in a browser profile of its own, signed in. */
export async function openConsole(
  browser: Browser,
  petstore: TestPetstore,
  { path = '/console', scopes = ['admin'], name = 'Robin', as, ...options }: ConsoleOptions = {},
): Promise<WatchedPage> {
  const proof = as
    ? { email: as.email, password: PASSWORD }
    : { key: (await petstore.keyWith({ name, scopes })).text };
  const opened = await openPage(browser, petstore.url, {
    reducedMotion: 'reduce',
    locale: 'en-GB',
    ...options,
  });
  await signIn(opened.page.context(), petstore, proof);
  await opened.page.goto(petstore.url + path);
  return opened;
}

/** Signs a browser profile in, as the page for it does. */
export async function signIn(
  context: BrowserContext,
  petstore: TestPetstore,
  proof: { readonly key: string } | { readonly email: string; readonly password: string },
): Promise<void> {
  const response = await context.request.post(`${petstore.url}/console/session`, {
    data: proof,
    headers: { origin: petstore.url },
  });
  if (!response.ok()) throw new Error(`The sign-in failed: ${await response.text()}`);
}

/** Adds a category on its page, as a person does. */
export async function addCategory(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add category' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.keyboard.press('Enter');
}

/** Waits for a message that says this. */
export function message(page: Page, text: string): Promise<void> {
  return page.getByRole('status', { name: 'Messages' }).getByText(text).waitFor();
}

/** Waits until a table has rows of these names, in this order. */
export async function untilRows(page: Page, names: readonly string[]): Promise<void> {
  await eventually(
    async () => (await page.getByRole('rowheader').allInnerTexts()).map((name) => name.trim()),
    (now) => Bun.deepEquals(now, [...names]),
  );
}

/** Waits until the element with the focus has this property: the page moves the focus after it is drawn. */
export async function untilFocused(
  page: Page,
  property: 'id' | 'name' | 'type' | 'textContent' | 'ariaLabel',
  value: string,
): Promise<void> {
  await eventuallyIs(() => page.evaluate<string>(`document.activeElement.${property}`), value);
}
