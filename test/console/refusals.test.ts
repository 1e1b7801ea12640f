import { describe, expect, test } from 'bun:test';
import { reasonText } from '../../src/console/pages/import/reasons.ts';
import { problemText, refusalText } from '../../src/console/refusals.ts';
import { categoryInUse, nameTaken, tooManyCategories } from '../../src/domain/category.ts';
import { tooManyChannels } from '../../src/domain/channel.ts';
import { alreadyOrdered, noSuchOwner } from '../../src/domain/enquiry.ts';
import { diskFull, Failure } from '../../src/domain/failure.ts';
import { lastAdmin, requireActive } from '../../src/domain/key-lifecycle.ts';
import { nameProblem } from '../../src/domain/name.ts';
import {
  invalidTransition,
  petNotAvailable,
  petNotFound,
  petUnderOrder,
} from '../../src/domain/order.ts';
import { passwordProblem } from '../../src/domain/password.ts';
import {
  emailProblem,
  emailTaken,
  lastManager,
  personRemoved,
  wrongSignIn,
} from '../../src/domain/person.ts';
import { refuseTelephoneFormat, tooManyPhotos } from '../../src/domain/photo.ts';
import { EMPTY_PROFILE } from '../../src/domain/profile.ts';
import { isHere, overlaps, requireNotHeld } from '../../src/domain/stay.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { openConsole } from '../support/console.ts';
import { addEnquiry, addListed } from '../support/enquiries.ts';
import { addPerson } from '../support/people.ts';

/** Returns the failure that a check throws. */
function thrownBy(check: () => unknown): Failure {
  try {
    check();
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error('it refuses nothing');
}

const held = { ...EMPTY_PROFILE, care: 'quarantine', careUntil: '2026-12-24' } as const;
const key = { id: 7n, revokedAt: 1, expiresAt: null } as Parameters<typeof requireActive>[0];

/** What people can cause in the console. */
const REFUSED: readonly Failure[] = [
  ...[petNotFound(7n), petNotAvailable(7n, 'pending'), petUnderOrder(7n, 8n)],
  ...[invalidTransition(7n, 'cancelled', 'approved'), invalidTransition(7n, 'placed', 'completed')],
  ...[isHere(7n), overlaps(7n), tooManyPhotos(7n), alreadyOrdered(7n, 8n), noSuchOwner(7n)],
  ...[categoryInUse(7n, 1), categoryInUse(7n, 2_000), nameTaken({ id: 7n, name: 'Dogs' })],
  ...[tooManyCategories(1_000), tooManyChannels(), personRemoved(7n)],
  ...[lastAdmin(7n), diskFull(undefined)],
  thrownBy(() => refuseTelephoneFormat('image/heic')),
  thrownBy(() => requireNotHeld(7n, held, '2026-12-01')),
  thrownBy(() => requireNotHeld(7n, { ...held, careUntil: null }, '2026-12-01')),
  thrownBy(() => requireActive(key, 2)),
];

/** These are plain already. */
const PLAIN = [emailTaken(), lastManager({ name: 'Maria' }), wrongSignIn()];

describe('a refusal of the service', () => {
  test.each(PLAIN.map((failure) => [failure.message]))('stays as it is: %s', (said) => {
    expect(refusalText(said)).toBe(said);
  });

  test.each(REFUSED.map((failure) => [failure.message]))('is said in plain words: %s', (said) => {
    const text = refusalText(said);
    expect(text).not.toBe(said);
    // Ids, words of the interface and settings of the operator help nobody.
    expect(text).not.toMatch(/\b[78]\b|\b(?:order|null|scope|refer)\b|PETSTORE_MAX/i);
    expect(text).toMatch(/^[A-Z].*\.$/);
  });

  test('of a value says what the field is called', () => {
    for (const text of ['', ' ', 'x\u0000', '\ud800', 'x'.repeat(256)]) {
      const said = refusalText(`goodWithDogs ${String(nameProblem(text, 255))}`);
      expect(said).toMatch(/^With dogs (?:is|has) .*\.$/);
    }
    expect(refusalText(`email ${emailProblem('x')}`, 'E-mail')).toBe(
      'E-mail is not an e-mail address.',
    );
    const own = { name: 'Maria', email: 'maria@example.org' };
    for (const password of ['short', 'x'.repeat(600), 'aaaaaaaaaaaa', own.email]) {
      const said = refusalText(`password ${passwordProblem(password, own)}.`, 'The password');
      expect(said).toMatch(/^(?:The|This|A) password (?:is too|must not be your) .*\.$/);
    }
    expect(refusalText('from must be before to.')).toBe(
      'The first date has to be before the second one.',
    );
    // What no pattern knows is shown as it is, with the name on the screen.
    expect(refusalText('birthDate must be blue.')).toBe('Born must be blue.');
    expect(refusalText('Something else.')).toBe('Something else.');
  });
});

describe('a trouble with another server', () => {
  test.each([
    ['getConnection: connect ECONNREFUSED 127.0.0.1:9.', 'The server cannot be reached.'],
    ['getaddrinfo ENOTFOUND ftp.example.org', 'No server has this name. Check the address.'],
    ['the mail server fails: it takes too long', 'The server did not answer in time.'],
    ['Timeout (control socket).', 'The server did not answer in time.'],
    ['put: Permission denied /in/animals.csv', 'The folder is missing, or we may not write to it.'],
    ['550 No such directory.', 'The folder is missing, or we may not write to it.'],
    ['self-signed certificate.', 'The certificate of the server is not trusted.'],
    ['Odd thing.', 'It did not work. For those who run the service: Odd thing.'],
  ])('is said in plain words: %s', (said, expected) => {
    expect(problemText(said)).toBe(expected);
  });

  test.each([
    ['the row has no name', 'The row has no name.'],
    ['the row has 5 columns where the header has 3', /5 cells, and the first line has 3/],
    ['status "gone" must be one of available', 'What the status “gone” means is not chosen.'],
    ['name must have at most 255 characters', 'Name is too long: at most 255 characters.'],
    ['a.csv is empty; its first line must name the columns.', 'The file is empty.'],
  ])('so is why a row is rejected: %s', (said, expected) => {
    expect(reasonText(said)).toMatch(expected);
  });
});

describeInBrowser('refusals in German', {}, (group) => {
  browserTest('are in German', async () => {
    const { petstore, browser } = group;
    const { storage, admin } = petstore;
    const maria = await addPerson(petstore, { name: 'Maria', role: 'manager' });
    const kim = await addPerson(petstore, { name: 'Kim' });
    const petId = await addListed(storage, 'Luna');
    const enquiryId = await addEnquiry(storage, { petId, name: 'Robin' });
    const german = { locale: 'de-DE', as: maria };
    await using opened = await openConsole(browser, petstore, {
      ...german,
      path: '/console/people',
    });
    const { page } = opened;
    await page.getByRole('button', { name: 'Person hinzufügen' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Uwe');
    await dialog.getByRole('textbox', { name: 'E-Mail' }).fill(kim.email);
    await dialog.getByRole('button', { name: 'Person hinzufügen' }).click();
    await dialog.getByText('Eine andere Person hat diese E-Mail-Adresse.').waitFor();

    // Between the moment when the page was drawn and the click.
    await page.goto(`${petstore.url}/console/enquiries`);
    const enquiry = page.getByRole('article', { name: 'Robin' });
    await enquiry.getByRole('button', { name: /Niemand ist zuständig$/ }).click();
    await admin.delete(`/v1/people/${kim.id}`);
    await page.getByRole('menuitemradio', { name: 'Kim' }).click();
    await page.getByText('Diese Person kann nicht mehr für Anfragen zuständig sein.').waitFor();
    await page.route('**/v1/events**', (route) => route.abort());
    await admin.post(`/v1/enquiries/${enquiryId}/order`, {});
    const start = enquiry.getByRole('button', { name: 'Vermittlung beginnen: Luna an Robin' });
    await start.click();
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: 'Vermittlung beginnen' }).click();
    await page.getByText('Aus dieser Anfrage wurde schon eine Vermittlung.').waitFor();
  });
});
