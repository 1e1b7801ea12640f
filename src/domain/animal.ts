import type { AnimalWords } from './animal-words.ts';
import type { Pet, PetStatus } from './pet.ts';
import type { Photo } from './photo.ts';
import type { Profile, Species } from './profile.ts';
import type { Stay } from './stay.ts';

/** What staff see of an animal in a list. */
export interface Animal {
  readonly pet: Pet;
  readonly profile: Profile;
  /** The first one. */
  readonly photo: Photo | undefined;
  /** The newest one. */
  readonly stay: Stay | undefined;
  readonly externalId: string | undefined;
  readonly isRemoved: boolean;
}

export const ANIMAL_SORTS = ['newest', 'name', 'waiting', 'location'] as const;
export type AnimalSort = (typeof ANIMAL_SORTS)[number];

/** Whether an animal is here, has left, or was removed within 30 days. */
const ANIMAL_STATES = ['here', 'left', 'removed'] as const;
export type AnimalState = (typeof ANIMAL_STATES)[number];

/** A filter of animals. All conditions that are present must hold. */
export interface AnimalFilter {
  /** Any of these. */
  readonly states: readonly AnimalState[];
  readonly status?: readonly PetStatus[] | undefined;
  readonly categoryId?: readonly bigint[] | undefined;
  readonly species?: readonly Species[] | undefined;
  readonly care?: readonly NonNullable<Profile['care']>[] | undefined;
  readonly published?: boolean | undefined;
  readonly hasPhoto?: boolean | undefined;
  /** Only animals that the public sees. */
  readonly listed?: true | undefined;
  /** A date: only animals in care since then or longer. */
  readonly inCareSince?: string | undefined;
  /** A date: only animals whose care ends by then. */
  readonly careUntil?: string | undefined;
  /** Words by `wordsSought`. */
  readonly words?: AnimalWords | undefined;
}

/** Where a page starts: after the animal that had this key in its order. */
export interface AnimalPosition {
  /** A date or a folded text; '' for `newest`. */
  readonly key: string;
  readonly petId: bigint;
}

/** A page of animals to read. */
export interface AnimalRequest {
  readonly filter: AnimalFilter;
  readonly sort: AnimalSort;
  readonly after: AnimalPosition | undefined;
  readonly limit: number;
}

export interface AnimalPage {
  readonly items: readonly Animal[];
  /** Where the next page starts; undefined after the last one. */
  readonly next: AnimalPosition | undefined;
  /** How many animals the list has; undefined if it was not needed for the page. */
  readonly count: number | undefined;
}

/** The storage contract of the list that staff work with. */
export interface AnimalStorage {
  list(request: AnimalRequest): Promise<AnimalPage>;
  /** Counts the animals that pass a filter. */
  count(filter: AnimalFilter): Promise<number>;
  /** Counts the animals that could be adopted on a date: available, and not held. */
  countAdoptable(date: string): Promise<number>;
}

/** Comes after every folded text: animals without a place are last. */
export const WITHOUT_PLACE = '\u{10FFFD}';
