import { nameProblem, normalized } from '../domain/name.ts';
import { PROFILE_FIELDS, type ProfileChange } from '../domain/profile.ts';
import { meaningsOf, saysUnknown, wordIn } from './words.ts';

const SPLIT = /[^\p{L}]+/u;
/** Words for the sexes, in the languages of files that were seen. */
const SEXES = meaningsOf<'female' | 'male'>({
  male: `
    male, m, boy, tom, gelding, männlich, männl, männchen, rüde, kater, hengst, wallach, macho, stallion, colt,
    rooster, boar, ram, mâle, mle, samec, samiec, kocour, 수컷, 수, maschio, reu, mannelijk`,
  female: `
    female, f, girl, w, weiblich, weibl, weibchen, hündin, kätzin, katze, stute, hembra, femelle, mare, filly,
    hen, sow, ewe, samice, samica, suka, fena, kočka, poes, teefje, 암컷, 암, femmina, fêmea, teef, vrouwelijk,
    spayed`,
});
/** The same for what was done. */
const NEUTERED = meaningsOf<'yes' | 'no'>({
  yes: `
    gelding, wallach, altered, fixed, sterilized, sterilised, desexed, kastriert, kastrierter, kastrierte,
    sterilisiert, sterilisierte, esterilizado, esterilizada, castrado, castrada, stérilisé, stérilisée, castré,
    castrée, kastrovaný, kastrovaná, 중성화, neutered, castrated, kastr, sterilizzato, sterilizzata, castrato,
    castrata, gecastreerd, gesteriliseerd, spayed`,
  no: 'intact, unaltered, entire, unneutered, unspayed, unkastriert, unkastrierter, unkastrierte, entero, entera',
});

/** Returns what a word says; undefined for one that nobody knows. */
function saidBy(word: string) {
  const [sex, neutered] = [SEXES.get(word), NEUTERED.get(word)];
  if (sex === undefined && neutered === undefined) return undefined;
  return { sex, neutered: neutered && neutered === 'yes' };
}

/** Letters that say what was done beside the one for the sex. */
const DONE: Readonly<Record<string, string>> = { n: 'male', c: 'male', s: 'female', k: '' };

/** `Neutered Male` is two fields, and `Neutered` alone too: females are spayed. */
export function readSex(text: string): ProfileChange | undefined {
  // Chameleon and Korean files have letters for what is not known.
  if (/^[uq]$/i.test(text)) return {};
  const joined = normalized(text, 'NFC')
    .toLowerCase()
    .replaceAll('♂', ' male ')
    .replaceAll('♀', ' female ')
    .replace(/^(?:mn|nm|cm|mc)$/, 'm n')
    .replace(/^([mwf])k$/, '$1 k')
    .replace(/^([mf])\/i$/, '$1 intact')
    .replace(/^(?:fs|sf)$/, 'f s');
  const whole = joined.replaceAll(/\b(?:nicht|not|no|non|un) (?=\p{L}{4})/gu, 'not');
  const words = whole.split(SPLIT).filter((word) => word !== '');
  const said: { sex?: 'female' | 'male'; neutered?: boolean } = {};
  const letters: string[] = [];
  for (const word of words) {
    if (words.length > 1 && word in DONE) {
      letters.push(word);
      continue;
    }
    const negated = word.startsWith('not') ? saidBy(word.slice(3)) : undefined;
    const isNot = negated !== undefined;
    const meant = negated ?? saidBy(word);
    if (meant === undefined || (isNot && meant.neutered === undefined)) return undefined;
    const neutered = isNot ? false : meant.neutered;
    const isOther = (one: unknown, other: unknown) =>
      one !== undefined && other !== undefined && one !== other;
    if (isOther(said.sex, meant.sex) || isOther(said.neutered, neutered)) return undefined;
    if (meant.sex !== undefined) said.sex = meant.sex;
    if (neutered !== undefined) said.neutered = neutered;
  }
  for (const letter of letters) {
    if (said.sex === undefined || !['', said.sex].includes(DONE[letter] ?? '-')) return undefined;
    if (said.neutered === false) return undefined;
    said.neutered = true;
  }
  if (words.length === 1 && ['neutered', 'castrated'].includes(words[0] ?? '')) said.sex = 'male';
  return words.length === 0 ? undefined : said;
}

/** What single letters say in a column of sexes. */
export type SexLetters = ReadonlyMap<string, ProfileChange>;

const LETTERS: SexLetters = new Map([
  ['N', { sex: 'male', neutered: true }],
  ['S', { sex: 'female', neutered: true }],
]);

/**
 * Returns what the letters N and S say in a column with these values. Chameleon writes them for neutered males and
 * spayed females: where both occur, and no words, nobody means anything else by them.
 */
export function sexLettersIn(values: Iterable<string>): SexLetters {
  const all = new Set([...values].map((value) => value.toUpperCase()));
  const isSure = all.has('N') && all.has('S') && [...all].every((one) => /^[MFNSUX]?$/.test(one));
  return isSure ? LETTERS : new Map();
}

/** Reads a sex as `readSex` does, in a column of such letters. */
export function readSexIn(text: string, letters: SexLetters): ProfileChange | undefined {
  return letters.get(text.toUpperCase()) ?? readSex(text);
}

/** Words for a mix, in the languages of the words for sexes. */
const MIX_WORD =
  'mix(?:ed)?(?:[ -]breed)?|mischling(?:shund)?|cross[ -]?breed|cross(?:ed)?|(?:mestizo|mestiza|cruce|criollo)(?: de)?|croisée?|meticci[oa]|kruising|vira-lata|srd|corniaud|mieszaniec|kříženec|křízenec|믹스견|믹스|x[ -]?breed|x';
const MIX = new RegExp(
  `(?:^|(?<=[\\s,(-]))(?:${MIX_WORD})(?=$|[\\s,)-])|^(?:${MIX_WORD})$|(?<=\\p{L})-?(?:mischling|mix)$`,
  'giu',
);
const isSize = (text: string) => wordIn('size', PROFILE_FIELDS.size.words, text) !== undefined;
/** A breed whose name has the sign that separates breeds. */
const BLACK_AND_TAN = /Black\/Tan (?=Coonhound|Hound)/gi;
const SLASH = '\u2044';

/** `Labrador Retriever Mix` is a breed and a mix, `Labrador/Poodle` two breeds. */
export function readBreed(text: string): ProfileChange | undefined {
  const parts = text
    .replaceAll(BLACK_AND_TAN, (name) => name.replace('/', SLASH))
    .split(/\/| x (?=\p{L})/iu)
    .map((part) => part.replaceAll(SLASH, '/').trim());
  const named = parts
    .map((part) =>
      part
        .replaceAll(MIX, ' ')
        .replaceAll(/\(\s*\)/g, '')
        .replaceAll(/\s+/g, ' ')
        .replaceAll(' ,', ',')
        .replace(/^[\s,&-]+|[\s,&-]+$/g, ''),
    )
    // What is left of `Mixed-Breed Large` is no breed.
    .filter(
      (part) => part !== '' && !saysUnknown(part) && !isSize(part.replace(/^\((.*)\)$/, '$1')),
    );
  const [breed, secondBreed] = named;
  const isMixed = parts.some((part) => part.replaceAll(MIX, '') !== part) || named.length > 1;
  const { max } = PROFILE_FIELDS.breed;
  const isWrong = (name: string | undefined) =>
    name !== undefined && nameProblem(name, max) !== undefined;
  if (isWrong(breed) || isWrong(secondBreed) || (breed === undefined && !isMixed)) return undefined;
  return {
    ...(breed !== undefined && { breed }),
    ...(secondBreed !== undefined && secondBreed !== breed && { secondBreed }),
    ...(isMixed && { mixed: true }),
  };
}
