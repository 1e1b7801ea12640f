import { wordsOf } from './listing-filter.ts';
import type { Pet } from './pet.ts';
import type { Profile } from './profile.ts';

/** The words of a search: a word of the animal starts with each of `words`, or one with `joined`. */
export interface AnimalWords {
  readonly words: readonly string[];
  /** A number that was typed with spaces, as on the papers of a microchip. */
  readonly joined: string | undefined;
}

/** Returns the folded words of an animal that staff can search for, separated by spaces. */
export function animalWords(
  pet: Pick<Pet, 'name'> & Partial<Pick<Pet, 'id'>>,
  {
    breed,
    secondBreed,
    microchip,
    location,
  }: Pick<Profile, 'breed' | 'secondBreed' | 'microchip' | 'location'>,
  externalId: string | null,
): string {
  const id = pet.id === undefined ? null : String(pet.id);
  return wordsOf(pet.name, id, breed, secondBreed, microchip, location, externalId).join(' ');
}

/** Returns whether a search matches the words of `animalWords`. */
export function areFound({ words, joined }: AnimalWords, known: string): boolean {
  const text = ` ${known}`;
  const starts = (word: string) => text.includes(` ${word}`);
  return words.every(starts) || (joined !== undefined && starts(joined));
}

const ONLY_NUMBER = /^\d+$/;

/** Returns what to search for; undefined for a text without words. */
export function wordsSought(text: string): AnimalWords | undefined {
  const words = wordsOf(text);
  if (words.length === 0) return undefined;
  const parts = text.trim().split(/\s+/);
  const isNumber = parts.length > 1 && parts.every((part) => ONLY_NUMBER.test(part));
  return { words, joined: isNumber ? parts.join('') : undefined };
}
