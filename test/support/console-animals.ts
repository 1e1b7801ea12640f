import type { Page } from 'playwright-core';
import type { BrowserGroup } from './browser-group.ts';
import { openConsole } from './console.ts';
import { eventually } from './eventually.ts';
import type { TestPetstore } from './start.ts';

export interface Animal {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

/** Adds an animal as a client does, and returns its id. */
export async function addAnimal(
  { writer }: TestPetstore,
  name: string,
  status = 'available',
  categoryId = 1,
): Promise<number> {
  return JSON.parse((await writer.post('/v1/pets', { name, status, categoryId })).text).id;
}

/** The first page of the animals whose name has this text. */
export async function animalsNamed({ reader }: TestPetstore, name: string): Promise<Animal[]> {
  return JSON.parse((await reader.get(`/v1/pets?name=${name}`)).text);
}

/** Selects the animals on the page. */
export async function chooseAll(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
}

/** Chooses what is changed of the selected animals: `Change status`. */
export async function changeSelected(page: Page, what: string): Promise<void> {
  await page.getByRole('button', { name: 'Change selected animals' }).click();
  await page.getByRole('menuitem', { name: what, exact: true }).click();
}

/** Chooses a status for the selected animals. */
export async function changeStatusOfAll(page: Page, status: string): Promise<void> {
  await changeSelected(page, 'Change status');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'New status' }).selectOption(status);
  await dialog.getByRole('button', { name: 'Change status' }).click();
}

/** Chooses a status in the row of an animal. */
export async function chooseStatus(page: Page, name: string, status: string): Promise<void> {
  await statusOf(page, name).click();
  await page.getByRole('menuitemradio', { name: status }).click();
}

/** The button that shows the status of an animal, and opens the menu of statuses. */
export function statusOf(page: Page, name: string) {
  return page.getByRole('button', { name: `Status of ${name}:` });
}

/** Chooses from the menu in the row of an animal: `Edit`, `Remove`. */
export async function chooseAction(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** An animal's row in the table of the console. */
export function rowOf(page: Page, name: string) {
  return page.getByRole('row', { name });
}

/** The page of an animal. */
export const addressOf = (id: number, query = '') => `/console/animals/${id}${query}`;

/** Chooses a value of a field with few of them. */
export const choose = (page: Page, field: string, value: string) =>
  page.getByRole('group', { name: field }).getByText(value, { exact: true }).click();

/** The fields of a profile that a test reads. */
type Profile = Readonly<Record<string, unknown>>;

/** What tests of the pages of animals do with them. */
export function animalPages(group: BrowserGroup) {
  const profileOf = async (id: number): Promise<Profile> =>
    JSON.parse((await group.petstore.writer.get(`/v1/pets/${id}/profile`)).text);
  return {
    add: (name: string, status?: string) => addAnimal(group.petstore, name, status),
    patch: (id: number, change: object) =>
      group.petstore.writer.patch(`/v1/pets/${id}/profile`, change),
    profileOf,
    becomes: (id: number, wanted: Profile) =>
      eventually(
        () => profileOf(id),
        (profile) => Bun.deepMatch(wanted, profile),
      ),
    open: (path: string, options = {}) =>
      openConsole(group.browser, group.petstore, { path, ...options }),
  };
}
