import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { repairDoubleEncoding } from '../../src/import/double-encoding.ts';
import { createWorkspace } from './workspace.ts';

/** Reads UTF-8 as another encoding, like a misconfigured program. */
function encodeTwice(text: string, encoding: 'windows-1252' | 'latin1'): string {
  const bytes = new TextEncoder().encode(text);
  // The web's "latin1" is windows-1252; real Latin-1 maps each byte to the same code point.
  if (encoding === 'latin1') return String.fromCharCode(...bytes);
  return new TextDecoder(encoding).decode(bytes);
}

const encoding = fc.constantFrom('windows-1252', 'latin1');
const charactersFrom = (first: number, last: number) =>
  fc.integer({ min: first, max: last }).map((code) => String.fromCodePoint(code));
const european = fc.oneof(
  { weight: 3, arbitrary: charactersFrom(0x20, 0x7e) },
  charactersFrom(0xa0, 0x17f),
  fc.constantFrom('’', '“', '”', '–', '…', '€', '™', 'e\u0301', '🐶'),
);
const foreign = fc.oneof(
  fc.constantFrom(' ', '-', '.', '1'),
  charactersFrom(0x0391, 0x03a1),
  charactersFrom(0x0410, 0x044f),
  charactersFrom(0x05d0, 0x05ea),
  charactersFrom(0x3041, 0x3096),
  charactersFrom(0x4e00, 0x9fff),
);

/** The few letters that continuation bytes decode to. */
const LATER_BYTES = 'ƒŠŒŽšœžŸªºµ';
const letter = fc
  .oneof(charactersFrom(0x41, 0x5a), charactersFrom(0x61, 0x7a), charactersFrom(0xc0, 0x24f))
  .filter((character) => /\p{L}/u.test(character));
const rightName = fc
  .array(fc.oneof({ weight: 4, arbitrary: letter }, fc.constantFrom(' ', "'", '-', '.')))
  .map((characters) => characters.join(''))
  // The repair looks for a letter like Ã before one of these.
  .filter((name) => !new RegExp(`[À-ô][${LATER_BYTES}]`).test(name));

describe('repairDoubleEncoding', () => {
  test.each([
    ['PadmÃ©', 'Padmé'],
    ['MuÃ±eca', 'Muñeca'],
    ['Oâ€™Malley', 'O’Malley'],
    ['VoilÃ\u00a0', 'Voilà'],
    ['Ã‰mile', 'Émile'],
    ['Ã\u0089mile', 'Émile'],
    ['ÃŽle', 'Île'],
    ['Å\u0081ucja', 'Łucja'],
    ['ÐœÐ°ÑˆÐ°', 'Маша'],
    ['Rex ðŸ\u0090¶', 'Rex 🐶'],
  ])('repairs %s', (wrong, right) => expect(repairDoubleEncoding(wrong)).toBe(right));

  test.each([
    ...['', 'Rex', 'Padmé', 'Chloë', 'Žižek', 'ÑANDÚ', 'José-María', 'Émile “le” chat', 'Ægir'],
    ...['Strauß’ Hund', 'CAFÉ™', 'Zoë’s', '« André »', 'Łódź', 'São', 'Ünal', 'Маша', 'ポチ', '🐶'],
    ...['Ã', 'Ã©Ã', 'PadmÃ© é', 'PadmÃ© 猫', '\ud800Ã©', 'Renée’', 'Škoda', 'Groß–', 'Â'],
  ])('leaves %p unchanged', (name) => expect(repairDoubleEncoding(name)).toBe(name));

  test('restores any European name, with either encoding', () => {
    const name = fc.array(european).map((characters) => characters.join(''));
    fc.assert(
      fc.property(name, encoding, (right, through) => {
        expect(repairDoubleEncoding(encodeTwice(right, through))).toBe(right);
      }),
    );
  });

  test('restores any name in one other script', () => {
    const name = fc.array(foreign, { minLength: 1 }).map((characters) => characters.join(''));
    fc.assert(
      fc.property(name, encoding, (right, through) => {
        expect(repairDoubleEncoding(encodeTwice(right, through))).toBe(right);
      }),
    );
  });

  test('leaves every correct European name unchanged', () => {
    fc.assert(
      fc.property(rightName, (name) => {
        expect(repairDoubleEncoding(name)).toBe(name);
      }),
      { numRuns: 2_000 },
    );
  });

  test('leaves names unchanged that cannot be double-encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const repaired = repairDoubleEncoding(name);
        const ways = [encodeTwice(repaired, 'latin1'), encodeTwice(repaired, 'windows-1252')];
        if (repaired !== name) expect(ways).toContain(name);
      }),
      { numRuns: 2_000 },
    );
  });
});

test('--repair-encoding repairs names and categories', async () => {
  using workspace = createWorkspace();
  const content = 'name,kind,breed\nVoilÃ\u00a0,ChÃ¢t,x\n,ChÃ¢t,BÃ©b\nRenée,Chât,x\n';
  const flags = ['--name', 'name', '--category', 'kind', '--unnamed', 'Ã© {breed}'];
  await workspace.importCsv(content, ...flags, '--repair-encoding');
  const names = async () => (await workspace.animals()).map(({ name }) => name);
  expect(await names()).toEqual(['Voilà', 'Ã© Béb', 'Renée']);
  expect([...workspace.categories().values()]).toEqual(['Chât']);
  await workspace.importCsv(content, ...flags);
  expect((await names()).slice(3)).toEqual(['VoilÃ', 'Ã© BÃ©b', 'Renée']);
});
