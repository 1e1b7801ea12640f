import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { fieldName } from '../../src/console/names.ts';
import de from '../../src/messages/de.json' with { type: 'json' };
import { hashOf } from '../../src/messages/hash.ts';
import { accessibilityViolations, untilTrue } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { openConsole } from '../support/console.ts';
import { addEnquiry, addListed } from '../support/enquiries.ts';
import { addPerson } from '../support/people.ts';
import { keysOf, sources } from './language-keys.ts';

const words: Readonly<Record<string, string>> = de;
const placesOf = (text: string) => (text.match(/\{\d\}/g) ?? []).sort();

/** Texts of the code that nobody reads: selectors, names of keys and events, and words for the grammar of numbers. */
const UNSEEN =
  /^(?:[#.:]|[a-z]+[ ,.][a-z. ,#[\]-]+$|Escape$|Enter$|Files$|TimeoutError$|CapsLock$|dialog |tbody |card |small )/;
const SAID = /(?<![\w`])('[^'\n]*'|`[^`\n]*`|(?<==)"[^"\n]*")/g;

describe('the words of the console', () => {
  test('are all in German, and nothing else is there', () => {
    const keys = keysOf();
    expect([...keys].filter(([key]) => words[key] === undefined)).toEqual([]);
    expect(Object.keys(words).filter((key) => !keys.has(key))).toEqual([]);
    for (const [key, text] of Object.entries(words)) expect(placesOf(text)).toEqual(placesOf(key));
    // Nothing is glued to a text: another language has another order, and other quotes.
    expect(
      Object.keys(words).filter((key) => /^[\s,.:”]|[\s,“]$|^(?:and|by|of)$/.test(key)),
    ).toEqual([]);
    // The build names each by its hash.
    expect(new Set([...keys.keys()].map(hashOf)).size).toBe(keys.size);
  });

  test('name every field that the history shows', () => {
    const guide = readFileSync(join(import.meta.dir, '../../docs/guides/history.md'), 'utf8');
    const rows = [...guide.matchAll(/^\| `[a-z]+\.[a-z]+` \|.*$/gm)].map(([row]) => row);
    const fields = new Set(
      rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => `${name}`)),
    );
    expect(fields.size).toBeGreaterThan(30);
    // Where a photo is, and what stays in sight, has sentences of its own.
    const unnamed = [...fields].filter((name) => words[fieldName(name)] === undefined);
    expect(unnamed).toEqual(['position', 'focus']);
  });

  test('are marked wherever a sentence is written', () => {
    const unmarked = sources.flatMap(({ name, text }) =>
      /icon\.tsx|(?:words|names)\.ts/.test(name)
        ? []
        : text.split('\n').flatMap((line) => {
            if (/^\s*(?:\/\/|\*|\/\*|import )|\bcount\(/.test(line)) return [];
            return [...line.matchAll(SAID)].flatMap(([, quoted = '']) => {
              const said = quoted.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, '');
              const isSentence =
                (/[a-z]{3}/.test(said) && /^[A-Z“]\S* |^[A-Z][a-z]+[.…!?]$/.test(said)) ||
                (/^`[a-z]+ \$\{/.test(quoted) && !/key|class|kind/.test(line));
              const isNamed = `${line} `.includes(`${quoted}: `);
              return isSentence && !isNamed && !UNSEEN.test(said) ? [`${name}: ${said}`] : [];
            });
          }),
    );
    expect(unmarked).toEqual([]);
  });
});

/** Words that English has and German has not. */
const ENGLISH =
  /\b(?:the|and|of|is|are|not|this|that|with|here|has|have|you|your|from|show|add|edit|remove|save|close|animals?|adoptions?|everything|search|for|to|yet|by|since|earlier|unknown|available|adopted|known|none|place|breed|care|yes|no)\b/i;

/** What a person sees or hears of a page that is not German. */
const TEXTS = `[...new Set([...document.querySelectorAll('body *:not(noscript)')].flatMap((element) => [
  ...[...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()),
  ...['aria-label', 'placeholder', 'title', 'alt'].map((name) => element.getAttribute(name) ?? ''),
]))]`;

describeInBrowser('the console in German', {}, (group) => {
  const foreign = async (page: Page) =>
    (await page.evaluate<string[]>(TEXTS)).filter(
      (text) => ENGLISH.test(text) && !/(?:^| )the \w+ client/.test(text),
    );

  browserTest('by the browser, on every page and in dialogs; changed in the account', async () => {
    const { petstore, browser } = group;
    const petId = await addListed(petstore.storage, 'Luna');
    await addListed(petstore.storage, 'Rex');
    await addEnquiry(petstore.storage, { petId, name: 'Kim', message: 'Guten Tag!' });
    await addPerson(petstore, { name: 'Maria' });
    await petstore.writer.post('/v1/categories', { name: 'Hunde' });
    const order = { petId: 2, adopter: 'Anna', contact: '+49 30 123456' };
    await petstore.writer.post('/v1/store/orders', order);
    await using opened = await openConsole(browser, petstore, { locale: 'de-DE', name: 'Robin' });
    const { page, complaints } = opened;
    const found: string[] = [];
    for (const path of [
      ...['', '/animals', '/animals?open=add', '/animals?q=nichts', `/animals/${petId}`],
      ...[`/animals/${petId}?edit=about`, `/animals/${petId}?edit=private`, '/adoptions'],
      ...['/adoptions?view=list', '/adoptions?order=1', '/adoptions?place=new', '/enquiries'],
      ...['/categories', '/import', '/shop', '/year', '/activity', '/keys', '/people'],
      ...['/webhooks', '/account', '/nirgends', '/animals/999'],
    ]) {
      await page.goto(`${petstore.url}/console${path}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
      await untilTrue(page, "!document.querySelector('.loading')");
      found.push(...(await foreign(page)).map((text) => `${path}: ${text}`));
    }
    expect(found).toEqual([]);
    await page.goto(`${petstore.url}/console/account`);
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Sprache' }).selectOption('English');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expect(complaints.filter((one) => !one.includes('404'))).toEqual([]);
  });

  browserTest('of a person is kept in the account, for every browser', async () => {
    const { petstore, browser } = group;
    const maria = await addPerson(petstore, { name: 'Maria' });
    const german = { locale: 'de-DE', path: '/console/account', as: maria };
    await using first = await openConsole(browser, petstore, german);
    await first.page.getByRole('combobox', { name: 'Sprache' }).selectOption('English');
    await first.page.getByRole('heading', { name: 'Your account' }).waitFor();
    await using other = await openConsole(browser, petstore, german);
    await other.page.getByRole('heading', { name: 'Your account' }).waitFor();
    const chosen = other.page.getByRole('combobox', { name: 'Language' });
    expect(await chosen.locator('option:checked').innerText()).toBe('English');
    await chosen.selectOption('Follow the browser');
    await other.page.getByRole('heading', { name: 'Ihr Konto' }).waitFor();
    await first.page.reload();
    await first.page.getByRole('heading', { name: 'Ihr Konto' }).waitFor();
    // A key has no account: what was chosen stays in the browser.
    await using program = await openConsole(browser, petstore, { path: '/console/account' });
    await program.page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch');
    await program.page.getByRole('combobox', { name: 'Sprache' }).waitFor();
    for (const { complaints } of [first, other, program]) expect(complaints).toEqual([]);
  });
});
