import { expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { accessibilityViolations, openPage } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { message, openConsole, untilFocused } from '../support/console.ts';
import { addPerson, invitePerson, PASSWORD, signedIn } from '../support/people.ts';
import type { TestPetstore } from '../support/start.ts';

const PHONE = { width: 360, height: 740 };

/** Axe finds nothing on a desk and on a phone, light and dark. */
async function expectAccessible(page: Page): Promise<void> {
  const size = page.viewportSize();
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of [{ width: 1_280, height: 800 }, PHONE]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      expect(await accessibilityViolations(page)).toEqual([]);
      const isWider = 'document.documentElement.scrollWidth > innerWidth';
      expect(await page.evaluate<boolean>(isWider)).toBe(false);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (size !== null) await page.setViewportSize(size);
}

async function signInAs(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}

/** Opens the account page as a person. */
async function openAccount(browser: Browser, petstore: TestPetstore, email: string) {
  const opened = await openPage(browser, petstore.url);
  await opened.page.goto(`${petstore.url}/console/account`);
  await signInAs(opened.page, email);
  await opened.page.getByRole('heading', { name: 'Your account' }).waitFor();
  return opened;
}

describeInBrowser('people', {}, (group) => {
  browserTest('an invitation leads to a password and into the console', async () => {
    const { petstore, browser } = group;
    const person = await invitePerson(petstore, { name: 'Maria' });
    await using opened = await openPage(browser, petstore.url);
    const { page } = opened;
    await page.goto(`${petstore.url}/console/invitation#${person.invitation}`);
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
    expect(page.url()).toBe(`${petstore.url}/console/invitation`);
    const hints = ['E-mail address', 'New password', 'Repeat it'].map((name) =>
      page.getByLabel(name).getAttribute('autocomplete'),
    );
    expect(await Promise.all(hints)).toEqual(['username', 'new-password', 'new-password']);
    await expectAccessible(page);
    const fill = async (password: string, again: string) => {
      await page.getByLabel('New password').fill(password);
      await page.getByLabel('Repeat it').fill(again);
      await page.keyboard.press('Enter');
    };
    const first = page.getByLabel('New password');
    await first.dispatchEvent('keyup', { modifierCapsLock: true, key: 'A' });
    await page.getByText('Caps Lock is on.').waitFor();
    await first.dispatchEvent('keyup', { key: 'a' });
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(await first.getAttribute('type')).toBe('text');
    await page.getByRole('button', { name: 'Hide password' }).click();
    await page.getByLabel('E-mail address').fill(person.email);
    await fill(PASSWORD, 'seven loud llamas');
    await page.getByRole('alert').getByText('The two passwords differ.').waitFor();
    await fill('too short', 'too short');
    await page
      .getByRole('alert')
      .getByText('The password is too short: it needs 12 characters.')
      .waitFor();
    await untilFocused(page, 'name', 'password');
    await fill(PASSWORD, PASSWORD);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('link', { name: 'Maria' }).waitFor();
    await page.goto(`${petstore.url}/console/invitation#${person.invitation}`);
    await page.getByLabel('E-mail address').fill(person.email);
    await fill(PASSWORD, PASSWORD);
    await page.getByRole('alert').getByText('ask a manager for another one').waitFor();
  });

  browserTest('an invitation survives a mistyped address, and asks for itself again', async () => {
    const { petstore, browser } = group;
    const person = await invitePerson(petstore, { name: 'Viktor' });
    await using opened = await openPage(browser, petstore.url);
    const { page } = opened;
    const address = `${petstore.url}/console/invitation`;
    await page.goto(`${address}#${person.invitation}`);
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
    await page.reload();
    await page.getByText('Open the whole address of your invitation again').waitFor();
    await expectAccessible(page);
    // The same tab: only the part after # is another one.
    await page.goto(`${address}#${person.invitation}`);
    await page.getByLabel('E-mail address').fill(`not.${person.email}`);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByLabel('Repeat it').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Your password is set.').waitFor();
    await signInAs(page, person.email);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`${petstore.url}/console`);
  });

  browserTest('staff sign in first, programs second', async () => {
    const { petstore, browser } = group;
    const person = await addPerson(petstore, { role: 'viewer' });
    await using opened = await openPage(browser, petstore.url);
    const { page } = opened;
    await page.goto(`${petstore.url}/console/categories`);
    await page.getByRole('heading', { name: 'Sign in to Petstore' }).waitFor();
    await expectAccessible(page);
    await signInAs(page, person.email, 'a wrong password');
    await page.getByRole('alert').getByText('The e-mail address or the password').waitFor();
    await page.getByRole('button', { name: 'Sign in with an API key' }).click();
    await page.getByLabel('API key').waitFor();
    await page.getByRole('button', { name: 'Sign in with an e-mail address' }).click();
    await signInAs(page, person.email);
    await page.getByRole('heading', { level: 1, name: 'Categories' }).waitFor();
    expect(await page.getByRole('link', { name: 'People' }).count()).toBe(0);
  });

  browserTest('a manager adds, changes, invites and removes', async () => {
    const { petstore, browser } = group;
    await using opened = await openConsole(browser, petstore, { path: '/console/people' });
    const { page } = opened;
    await page.getByRole('button', { name: 'Add person' }).first().click();
    const form = page.getByRole('dialog', { name: 'Add person' });
    await form.getByLabel('Name').fill('Ana');
    await form.getByLabel('E-mail address').fill('ana@example.org');
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Add person' }).click();
    const shown = page.getByRole('dialog', { name: 'The invitation of Ana' });
    await shown.getByText(`${petstore.url}/console/invitation#petstore_invite_`).waitFor();
    await form.waitFor({ state: 'detached' });
    await expectAccessible(page);
    await shown.getByRole('button', { name: 'Copy' }).click();
    await shown.getByText('Copied.').waitFor();
    await shown.getByRole('button', { name: 'Done' }).click();
    await shown.waitFor({ state: 'detached' });

    const row = page.getByRole('row', { name: /^Ana/ });
    await row.getByText('Invited').waitFor();
    await expectAccessible(page);
    const choose = async (action: string) => {
      await page.getByRole('button', { name: /^Actions for Ana/ }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await choose('Change');
    const change = page.getByRole('dialog', { name: 'Change Ana' });
    await change.getByLabel('Name').fill('Ana B.');
    await change.getByLabel('Role').selectOption('manager');
    await change.getByRole('button', { name: 'Save' }).click();
    await change.waitFor({ state: 'detached' });
    await row.getByText('Manager').waitFor();
    await choose('Invite again');
    const question = page.getByRole('dialog', { name: 'Invite Ana B. again?' });
    await question.getByRole('button', { name: 'Invite', exact: true }).click();
    const again = page.getByRole('dialog', { name: 'The invitation of Ana B.' });
    await again.getByRole('button', { name: 'Copy' }).click();
    await again.getByText('Copied.').waitFor();
    await again.getByRole('button', { name: 'Done' }).click();
    await again.waitFor({ state: 'detached' });
    await choose('Remove');
    const sure = page.getByRole('dialog', { name: 'Remove Ana B.?' });
    await expectAccessible(page);
    await sure.getByRole('button', { name: 'Remove' }).click();
    await message(page, 'Ana B. is removed.');
    await row.getByText('Removed').waitFor();
  });

  browserTest('one sees where one is signed in, and changes the password', async () => {
    const { petstore, browser } = group;
    const person = await addPerson(petstore, { name: 'Kim' });
    await using opened = await openAccount(browser, petstore, person.email);
    const { page } = opened;
    const other = await signedIn(petstore, person);
    await page.reload();
    await page.getByText('You are Kim.').waitFor();
    await page.getByText('Now, in this browser').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^End the sign-in of/ }).click();
    await message(page, 'That browser is signed out.');
    petstore.clock.advance(1_000);
    expect((await other.get('/v1/pets')).status).toBe(401);

    await page.getByRole('button', { name: 'Change password' }).click();
    const form = page.getByRole('dialog', { name: 'Change password' });
    const fill = async (current: string, password: string) => {
      await form.getByLabel('Current password').fill(current);
      await form.getByLabel('New password').fill(password);
      await form.getByLabel('Repeat it').fill(password);
      await page.keyboard.press('Enter');
    };
    await fill('a wrong password', 'another good password');
    await form.getByText('The current password is wrong.').waitFor();
    await untilFocused(page, 'name', 'current');
    await fill(PASSWORD, 'too short');
    await form.getByText('New password is too short: it needs 12 characters.').waitFor();
    await untilFocused(page, 'name', 'password');
    await expectAccessible(page);
    await fill(PASSWORD, 'another good password');
    await message(page, 'The password is changed');
    await form.waitFor({ state: 'detached' });
    await signedIn(petstore, person, 'another good password');
  });
});

describeInBrowser('the last manager', { isolated: true }, (group) => {
  browserTest('is asked before they give it up, and kept', async () => {
    const { petstore, browser } = group;
    const kim = await addPerson(petstore, { name: 'Kim', role: 'manager' });
    await using opened = await openPage(browser, petstore.url);
    const { page } = opened;
    await page.goto(`${petstore.url}/console/people`);
    await signInAs(page, kim.email);
    const choose = async (action: string) => {
      await page.getByRole('button', { name: 'Actions for Kim' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await choose('Change');
    const change = page.getByRole('dialog', { name: 'Change Kim' });
    await change.getByLabel('Role').selectOption('viewer');
    await change.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Give it up' }).click();
    await change.getByText('Kim is the last manager who can sign in').waitFor();
    await change.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await choose('Remove');
    const sure = page.getByRole('dialog', { name: 'Remove Kim?' });
    await sure.getByText('This is you. You are signed out at once').waitFor();
    await sure.getByRole('button', { name: 'Remove' }).click();
    await message(page, 'Kim is the last manager who can sign in');
    await page.reload();
    await page.getByRole('row', { name: 'Kim' }).getByText('Manager').waitFor();
  });
});
