import { foldName } from './name.ts';
import type { PetStatus } from './pet.ts';
import type { AgeGroup, PublicProfile, Sex, Size, Species } from './profile.ts';

/** Statuses with which an animal may be listed. */
export const LISTED_STATUSES = ['available', 'pending'] as const satisfies readonly PetStatus[];
export type ListedStatus = (typeof LISTED_STATUSES)[number];

/** Companions that an animal may get on with. */
export const COMPANIONS = ['dogs', 'cats', 'children'] as const;
export type Companion = (typeof COMPANIONS)[number];

/** Returns the companions that an animal is known to get on with; only with some, or above an age, does not count. */
export function companionsOf(profile: PublicProfile): Companion[] {
  const { goodWithDogs, goodWithCats, goodWithChildren } = profile;
  const holds: Record<Companion, boolean> = {
    dogs: goodWithDogs === 'yes',
    cats: goodWithCats === 'yes',
    children: goodWithChildren === 'yes',
  };
  return COMPANIONS.filter((companion) => holds[companion]);
}

/** The age of the youngest child in the household: under 5, from 5, or from 12 years. */
export const CHILD_AGES = ['under_5', '5', '12'] as const;
type ChildAge = (typeof CHILD_AGES)[number];

/** The lowest age in years of each of these. */
export const CHILD_YEARS: Readonly<Record<ChildAge, number>> = { under_5: 0, '5': 5, '12': 12 };

/** Returns the lowest age of children, in years, that an animal suits; null if it is not known to suit any. */
export function childAgeOf({ goodWithChildren }: Pick<PublicProfile, 'goodWithChildren'>) {
  const ages = { yes: 0, over_5: 5, over_12: 12, no: null };
  return goodWithChildren === null ? null : ages[goodWithChildren];
}

/** Returns the ages of children that an animal suits which suits those from this age on. */
export function childAgesFrom(years: number | null): readonly ChildAge[] {
  return years === null ? [] : CHILD_AGES.filter((age) => CHILD_YEARS[age] >= years);
}

/** A kind of animal. All properties that are present must hold. */
export interface AnimalKind {
  readonly species?: Species;
  readonly ageGroup?: AgeGroup;
  readonly sex?: Sex;
  readonly size?: Size;
}

/** A word that is asked for. */
export interface AskedWord {
  /** Folded by `wordsOf`. A word of the listing starts with it. */
  readonly text: string;
  /** What it also means: `kitten` is a cat that is a baby. */
  readonly kinds?: readonly AnimalKind[];
}

/** A filter of listings. All conditions that are present must hold; of a list of values, any. */
export interface ListingFilter {
  readonly species?: readonly Species[] | undefined;
  readonly sex?: readonly Sex[] | undefined;
  readonly ageGroup?: readonly AgeGroup[] | undefined;
  readonly size?: readonly Size[] | undefined;
  readonly status?: readonly ListedStatus[] | undefined;
  readonly categoryId?: readonly bigint[] | undefined;
  /** All of them. */
  readonly goodWith?: readonly Companion[] | undefined;
  /** The ages of youngest children: any of them. */
  readonly children?: readonly ChildAge[] | undefined;
  /** Folded words by `wordsOf`: a word of a breed starts with each. */
  readonly breed?: readonly string[] | undefined;
  readonly words?: readonly AskedWord[] | undefined;
}

/** Separates words. Words are cut to a length that both engines can index. */
const NOT_IN_WORDS = /[^\p{L}\p{M}\p{N}]+/u;
const WORD_MAX = 40;

/** Returns the folded words of texts, each once. */
export function wordsOf(...texts: readonly (string | null)[]): string[] {
  const all = texts.flatMap((text) => (text === null ? [] : foldName(text).split(NOT_IN_WORDS)));
  return [...new Set(all.filter(Boolean).map((word) => [...word].slice(0, WORD_MAX).join('')))];
}

/** The kinds of animals that words mean, besides being found in texts. */
export type Dictionary = ReadonlyMap<string, readonly AnimalKind[]>;

/** Returns the words that are asked for. One that another starts with says nothing more. */
export function wordsAsked(text: string, dictionary: Dictionary = new Map()): AskedWord[] {
  const words = wordsOf(text);
  const telling = words.filter(
    (word) => !words.some((other) => other !== word && other.startsWith(word)),
  );
  return telling.map((word) => {
    const kinds = dictionary.get(word);
    return kinds === undefined ? { text: word } : { text: word, kinds };
  });
}
