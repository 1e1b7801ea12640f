import { systemClock } from '../domain/clock.ts';
import type { PhotoService } from '../domain/photo.ts';
import type { Profile, ProfileChange } from '../domain/profile.ts';
import type { Storage } from '../domain/storage.ts';
import type { PhotoSource } from '../import/take-photos.ts';
import { SAMPLE_PICTURES } from './sample-pictures.ts';

type Described = Pick<Profile, 'species' | 'colours'>;

/** What the sample does not say of its animals: made up, as their pictures are. */
const HEADLINES = {
  dog: [
    'Would carry your slippers, if you let her choose which',
    'A calm walker with a weak spot for cheese',
    'Learns in a day what others learn in a week',
    'Best friends with everyone after one biscuit',
    'Looks for a sofa with a person on it',
    'First in the car, last out of the lake',
    'A gentle soul who needs a quiet hallway',
    'Has opinions about squirrels',
  ],
  cat: [
    'Supervises all housework from the highest shelf',
    'Purrs before you touch her',
    'A window with birds is half the rent',
    'Shy for a day, a shadow for life',
    'Plays fetch, but only with paper balls',
    'Sleeps on keyboards, works from home',
  ],
} as const;

/** A value by the number of an animal, so that each start tells the same. */
const turn = <T>(values: readonly T[], n: number): T | undefined => values[n % values.length];

function describe({ species }: Described, n: number): ProfileChange {
  if (species !== 'dog' && species !== 'cat') return {};
  return {
    headline: turn(HEADLINES[species], n * 5),
    goodWithChildren: turn(['yes', 'over_5', null, 'over_12', 'yes', 'no', null] as const, n),
    goodWithDogs: turn(['yes', 'selective', null, 'yes', 'no'] as const, n + 1),
    goodWithCats: turn(['no', 'yes', null, 'selective'] as const, n + 2),
    energy: turn(['medium', 'low', 'high'] as const, n),
    ...(species === 'dog' && {
      size: turn(['medium', 'large', 'small', 'medium'] as const, n * 3),
    }),
  };
}

/** Adds headlines to the listed animals, and whom they get on with. Returns those that can have a picture. */
export async function describeSample({
  listings,
  profiles,
}: Pick<Storage, 'listings' | 'profiles'>) {
  const at = systemClock.now();
  const { items } = await listings.list({
    ...{ filter: {}, sort: 'name', after: undefined, limit: 1_000, at, fairDay: 0 },
  });
  const stamp = { at, keyId: null };
  // At once, so that they share a transaction.
  await Promise.all(
    items.map(({ pet, profile }, n) =>
      profiles.update(pet.id, describe(profile, n), stamp, () => {}),
    ),
  );
  return items;
}

/** The coat in the pictures that is most like a colour of the sample. */
const COATS: readonly (readonly [colour: RegExp, coat: string])[] = [
  [/orange|tortie|torbie|calico/i, 'orange'],
  [/chocolate|brown|sable|seal|tricolor|brindle/i, 'brown'],
  [/tan|red|fawn|buff|yellow/i, 'tan'],
  [/cream|lilac|flame/i, 'cream'],
  [/blue/i, 'blue'],
  [/gray|silver/i, 'grey'],
  [/white/i, 'white'],
  [/black/i, 'black'],
];

/** Returns the pictures that fit an animal, those with its own coat first. */
function picturesFor({ species, colours }: Described) {
  const coat = COATS.find(([colour]) => colour.test(colours?.[0] ?? ''))?.[1];
  const fitting = SAMPLE_PICTURES.filter((picture) => picture.species === species);
  const own = fitting.filter((picture) => picture.coat === coat);
  return own.length > 0 ? own : fitting;
}

/** Gives pictures to the animals, one after the other, until it is told to stop. */
export async function addSamplePhotos(
  { photos }: Pick<Storage, 'photos'>,
  { take }: Pick<PhotoSource, 'take'>,
  animals: Awaited<ReturnType<typeof describeSample>>,
  signal: AbortSignal,
): Promise<void> {
  const taken = new Map<string, Awaited<ReturnType<PhotoService['take']>>>();
  const used = new Map<string, number>();
  for (const { pet, profile } of animals) {
    const [picture] = picturesFor(profile).toSorted(
      (a, b) => (used.get(a.file) ?? 0) - (used.get(b.file) ?? 0),
    );
    if (picture === undefined) continue;
    if (signal.aborted) return;
    const { file } = picture;
    used.set(file, (used.get(file) ?? 0) + 1);
    const photo = taken.get(file) ?? (await take(await Bun.file(file).bytes()));
    taken.set(file, photo);
    const alt = `${pet.name}: a drawn ${picture.species}`;
    await photos.add(pet.id, { ...photo, alt }, { at: systemClock.now(), keyId: null });
  }
}
