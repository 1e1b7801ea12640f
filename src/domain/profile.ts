import type { ChangeStamp, Precondition } from './change-stamp.ts';
import { HOUR_MS } from './clock.ts';
import { Failure } from './failure.ts';

export const SPECIES = [
  'dog',
  'cat',
  'rabbit',
  'small_mammal',
  'bird',
  'horse',
  'farm',
  'reptile',
  'fish',
  'other',
] as const;
export const SEXES = ['female', 'male'] as const;
export const AGE_GROUPS = ['baby', 'young', 'adult', 'senior'] as const;
export const SIZES = ['small', 'medium', 'large', 'xlarge'] as const;
/** The kinds of care during which an animal cannot be adopted. */
export const HELD_CARES = ['quarantine', 'medical', 'hold'] as const;
export const CARES = ['shelter', 'foster', ...HELD_CARES] as const;

export type Species = (typeof SPECIES)[number];
export type Sex = (typeof SEXES)[number];
export type AgeGroup = (typeof AGE_GROUPS)[number];
export type Size = (typeof SIZES)[number];

/** What it costs to adopt an animal. */
export type Fee = {
  /** In the minor unit of the currency, such as cents; 0 if it is waived. */
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
};

/** The kinds of fields, with the values that each holds. */
export type ProfileField =
  | { readonly kind: 'word'; readonly words: readonly string[] }
  /** Text of one line, or of several: see name.ts. */
  | { readonly kind: 'line' | 'lines'; readonly max: number }
  | { readonly kind: 'flag' }
  /** A calendar date. */
  | { readonly kind: 'date' }
  | { readonly kind: 'whole'; readonly min: number; readonly max: number }
  /** Several lines of text, at most `items` of them. */
  | { readonly kind: 'list'; readonly items: number; readonly max: number }
  | { readonly kind: 'fee' }
  /** An https address. */
  | { readonly kind: 'address'; readonly max: number }
  | {
      readonly kind: 'code';
      readonly pattern: RegExp;
      readonly min: number;
      readonly max: number;
      /** What it must be, as the end of a sentence. */
      readonly rule: string;
    };

const word = <const T extends readonly string[]>(words: T) => ({ kind: 'word', words }) as const;
const line = (max: number) => ({ kind: 'line', max }) as const;
const lines = (max: number) => ({ kind: 'lines', max }) as const;
const flag = { kind: 'flag' } as const;
const date = { kind: 'date' } as const;

/** What anybody may know of an animal, in the order in which it is shown. */
export const PUBLIC_FIELDS = {
  species: word(SPECIES),
  breed: line(100),
  secondBreed: line(100),
  mixed: flag,
  sex: word(SEXES),
  birthDate: date,
  birthDatePrecision: word(['day', 'month', 'year']),
  ageGroup: word(AGE_GROUPS),
  size: word(SIZES),
  weightGrams: { kind: 'whole', min: 1, max: 2_000_000 },
  coat: word(['hairless', 'short', 'medium', 'long', 'wire', 'curly']),
  colours: { kind: 'list', items: 3, max: 50 },
  headline: line(80),
  description: lines(4_000),
  goodWithDogs: word(['yes', 'no', 'selective']),
  goodWithCats: word(['yes', 'no', 'selective']),
  goodWithChildren: word(['yes', 'over_5', 'over_12', 'no']),
  houseTrained: flag,
  neutered: flag,
  vaccinated: flag,
  specialNeeds: flag,
  specialNeedsNote: lines(500),
  energy: word(['low', 'medium', 'high']),
  fee: { kind: 'fee' },
  inCareSince: date,
  videoUrl: { kind: 'address', max: 500 },
  published: flag,
} as const satisfies Readonly<Record<string, ProfileField>>;

/** Fields for staff only: callers with the scope `write`. They appear in no event and on no public page. */
export const PRIVATE_FIELDS = {
  microchip: {
    kind: 'code',
    pattern: /^[0-9A-Z]{9,15}$/,
    min: 9,
    max: 15,
    rule: '9 to 15 of 0-9 and A-Z',
  },
  care: word(CARES),
  /** The last day of `care`: the only date that may be after today. */
  careUntil: date,
  location: line(100),
  medicalNotes: lines(4_000),
  behaviourNotes: lines(4_000),
} as const satisfies Readonly<Record<string, ProfileField>>;

/** All fields of a profile. */
export const PROFILE_FIELDS = { ...PUBLIC_FIELDS, ...PRIVATE_FIELDS };

/** An https address (RFC 3986), in ASCII. */
export const ADDRESS_PATTERN = '^https://[!-~]+$';

type ValueOf<F> = F extends { readonly words: readonly (infer W)[] }
  ? W
  : F extends { readonly kind: 'flag' }
    ? boolean
    : F extends { readonly kind: 'whole' }
      ? number
      : F extends { readonly kind: 'list' }
        ? readonly string[]
        : F extends { readonly kind: 'fee' }
          ? Fee
          : string;

/** The values of fields, each of which may not be known. */
export type Values<Fields> = { readonly [Name in keyof Fields]: ValueOf<Fields[Name]> | null };

/** The public part of a profile. Null is unknown, which is never no. */
export type PublicProfile = Omit<Values<typeof PUBLIC_FIELDS>, 'published'> & {
  readonly published: boolean;
};

/**
 * What is known of an animal besides its own fields. `read` sees the public part; `write` sees and
 * changes all of it. An age group follows from the birth date where there is one.
 */
export type Profile = PublicProfile & Values<typeof PRIVATE_FIELDS>;

export type ProfileFieldName = keyof Profile;

/** A change of a profile: undefined leaves a value as it is, null makes it unknown. */
export type ProfileChange = { readonly [Name in keyof Profile]?: Profile[Name] | null | undefined };

const isName = (name: string): name is ProfileFieldName => Object.hasOwn(PROFILE_FIELDS, name);

/** Returns whether only staff may know a field. */
export function isPrivateField(name: string): boolean {
  return Object.hasOwn(PRIVATE_FIELDS, name);
}

/** Returns whether a field is public. */
export function isPublicField(name: string): boolean {
  return Object.hasOwn(PUBLIC_FIELDS, name);
}

/** The names of all fields, in the order in which they are shown. */
export const PROFILE_FIELD_NAMES = Object.keys(PROFILE_FIELDS).filter(isName);

/** A profile of which nothing is known. */
export const EMPTY_PROFILE = {
  ...Object.fromEntries(PROFILE_FIELD_NAMES.map((name) => [name, null])),
  published: false,
} as unknown as Profile; // Every field is in PROFILE_FIELD_NAMES.

/** An animal is in the first group whose number of years it has not reached; from the last on, it is a senior. */
const GROUP_YEARS = [
  ['baby', 1],
  ['young', 3],
  ['adult', 8],
] as const;

/**
 * The latest birth dates of each age group on a day (UTC): an animal is in the first group whose date
 * is before its birth date, or else a senior.
 */
export function groupBounds(at: number): readonly (readonly [AgeGroup, string])[] {
  // A list asks for each of its animals.
  if (lastBounds.at !== at) lastBounds = { at, bounds: boundsAt(at) };
  return lastBounds.bounds;
}
let lastBounds = { at: Number.NaN, bounds: boundsAt(0) };

function boundsAt(at: number) {
  const today = new Date(at);
  return GROUP_YEARS.map(([group, years]) => {
    const day = new Date(today);
    day.setUTCFullYear(today.getUTCFullYear() - years);
    return [group, dateText(day.getTime())] as const;
  });
}

/** Returns the age group of an animal born on this date. */
export function ageGroupAt(birthDate: string, at: number): AgeGroup {
  return groupBounds(at).find(([, bound]) => birthDate > bound)?.[0] ?? 'senior';
}

/** The date of a time, in UTC: `2026-11-23`. */
export function dateText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The time zone that is furthest ahead of UTC, where it may already be tomorrow. */
const LATEST_ZONE_MS = 14 * HOUR_MS;

/** Returns whether a date is after today everywhere on Earth. */
export function isInFuture(date: string, at: number): boolean {
  return date > dateText(at + LATEST_ZONE_MS);
}

/** Returns the profile as it is seen at a time: with the age group that follows from the birth date. */
export function profileAt(profile: Profile, at: number): Profile {
  const { birthDate } = profile;
  return birthDate === null ? profile : { ...profile, ageGroup: ageGroupAt(birthDate, at) };
}

/**
 * Returns the profile with a change applied at a time. Throws `invalid_body` for a date in the
 * future, or `conflict` for an age group beside a birth date, or a precision without one.
 */
export function changedProfile(profile: Profile, change: ProfileChange, at: number): Profile {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  // Every stay has a first day.
  const inCareSince = change.inCareSince ?? profile.inCareSince;
  const next: Profile = { ...profile, ...Object.fromEntries(given), inCareSince };
  for (const name of ['birthDate', 'inCareSince'] as const) {
    const value = change[name];
    if (value != null && isInFuture(value, at)) {
      throw new Failure('invalid_body', `${name} must not be after today.`);
    }
  }
  const { birthDate } = next;
  if (birthDate === null) {
    if (change.birthDatePrecision != null) throw needsBirthDate();
    return { ...next, birthDatePrecision: null };
  }
  if (change.ageGroup != null && change.ageGroup !== ageGroupAt(birthDate, at)) {
    throw new Failure(
      'conflict',
      'ageGroup follows from birthDate: change that, or set it to null first.',
    );
  }
  return { ...next, ageGroup: null, birthDatePrecision: next.birthDatePrecision ?? 'day' };
}

/** The failure of a precision for an animal whose birth date is not known. */
export function needsBirthDate(): Failure {
  return new Failure('conflict', 'birthDatePrecision needs a birthDate.');
}

/** Returns whether two profiles are the same. */
export function isSameProfile(one: Profile, other: Profile): boolean {
  return PROFILE_FIELD_NAMES.every(
    (name) => JSON.stringify(one[name]) === JSON.stringify(other[name]),
  );
}

/** The storage contract of profiles. */
export interface ProfileStorage {
  /** Returns the profile of an animal; undefined if the animal does not exist. */
  find(petId: bigint): Promise<Profile | undefined>;
  /** Returns the profiles of these animals; those without one are left out. */
  findAll(petIds: readonly bigint[]): Promise<ReadonlyMap<bigint, Profile>>;
  /** Returns the fields that are known of any animal, in their order. */
  knownFields(): Promise<readonly ProfileFieldName[]>;
  /**
   * Changes the profile of an animal. Returns undefined if the animal does not exist. Throws what the
   * precondition and `changedProfile` throw.
   */
  update(
    petId: bigint,
    change: ProfileChange,
    stamp: ChangeStamp,
    precondition: Precondition<Profile>,
  ): Promise<Profile | undefined>;
}
