import { changedFields, changedText } from '../../domain/audit.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { isListed, placeOf, waitingSince } from '../../domain/listing.ts';
import { childAgeOf, companionsOf, wordsOf } from '../../domain/listing-filter.ts';
import { foldName } from '../../domain/name.ts';
import {
  changedProfile,
  EMPTY_PROFILE,
  isSameProfile,
  PROFILE_FIELD_NAMES,
  type Profile,
  type ProfileChange,
  type ProfileFieldName,
  type ProfileStorage,
} from '../../domain/profile.ts';
import {
  givenInOrder,
  integerList,
  isIn,
  methodsOf,
  type Sql,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { indexAnimals } from './animal-rows.ts';
import { noteParts } from './notes.ts';
import { LOCKED_PET, PET_COLUMNS } from './pet-rows.ts';
import { knownText, type ProfileRow, profiledOf, profileOf } from './profile-rows.ts';
import { classifyStays, moveIntakes } from './stay-rows.ts';

const FIND = sql`SELECT public, private FROM pets LEFT JOIN profiles ON pet_id = id
    WHERE id = $1`.as(profileOf);
const SOME = sql`SELECT pet_id AS id, public, private FROM profiles WHERE pet_id ${isIn('$1')}`.as(
  ({ id, ...row }: ProfileRow & { readonly id: bigint }) => [id, profileOf(row)] as const,
);
const namesIn = (column: keyof ProfileRow): Sql => ({
  sqlite: `SELECT DISTINCT key AS name FROM profiles, json_each(${column})`,
  postgres: `SELECT DISTINCT json_object_keys(CAST(${column} AS json)) AS name FROM profiles`,
});
/** The names of the fields that are known of any animal. */
const USED = sql`${namesIn('public')} UNION ${namesIn('private')}`.value<ProfileFieldName>();
const PROFILE_CELLS = 'pet_id bigint, public text, private text';
const SAVE = sql`INSERT INTO profiles (pet_id, public, private)
  ${givenInOrder(PROFILE_CELLS, 'pet_id')}
  ON CONFLICT (pet_id) DO UPDATE SET public = excluded.public, private = excluded.private`;

/** An animal that has a profile, and when it was added. */
const PROFILED = sql`SELECT ${PET_COLUMNS}, added_at AS "addedAt", public, private
    FROM pets JOIN profiles ON pet_id = id
    WHERE id ${isIn('$1')}`.as(profiledOf<{ readonly addedAt: bigint }>);
const LISTING_CELLS =
  'pet_id bigint, status text, category_id bigint, species text, sex text, size text, birth_date text, ' +
  'age_group text, dogs bigint, cats bigint, child_age bigint, since text, name text, place bigint, words text, ' +
  'breed text, breed_name text, listed_at bigint, shown_at bigint';
const LISTING_COLUMNS = LISTING_CELLS.replaceAll(/ (?:bigint|text)/g, '');
/** An animal that is listed already keeps its `listed_at`. */
const LIST = sql`INSERT INTO listings (${LISTING_COLUMNS}) ${givenInOrder(LISTING_CELLS, 'pet_id')}
  ON CONFLICT (pet_id) DO UPDATE SET ${LISTING_COLUMNS.split(', ')
    .slice(1)
    .filter((column) => column !== 'listed_at' && column !== 'shown_at')
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`;
const SHOWN = sql`UPDATE listings SET shown_at = $2 WHERE pet_id ${isIn('$1')}`;
const UNLIST = sql`DELETE FROM listings WHERE pet_id ${isIn('$1')}`;

/** The row of a listed animal. */
function listingRow({ pet, profile, addedAt }: ReturnType<typeof PROFILED.resultOf>, at: number) {
  const { id, name, categoryId, status } = pet;
  const { species, sex, size, birthDate, ageGroup, breed, secondBreed } = profile;
  const companions = companionsOf(profile);
  return {
    petId: id,
    status,
    categoryId,
    species,
    sex,
    size,
    birthDate,
    ageGroup,
    dogs: Number(companions.includes('dogs')),
    cats: Number(companions.includes('cats')),
    childAge: childAgeOf(profile),
    since: waitingSince(profile, Number(addedAt)),
    name: foldName(name),
    place: placeOf(id),
    words: wordsOf(name, breed, secondBreed, profile.headline, profile.description).join(' '),
    breed: wordsOf(breed, secondBreed).join(' '),
    breedName: breed,
    listedAt: at,
    shownAt: at,
  };
}

/** Lists and unlists locked animals after a change at a time, and keeps the list of staff. */
export function* relist(ids: readonly bigint[], at: number): Work<void> {
  yield* indexAnimals(ids);
  const found = yield* PROFILED.all(integerList(ids));
  const listed = found.filter(({ pet, profile }) => isListed(pet, profile));
  const unlisted = found.filter((animal) => !listed.includes(animal));
  if (unlisted.length > 0) yield* UNLIST.changes(integerList(unlisted.map(({ pet }) => pet.id)));
  if (listed.length > 0) yield* LIST.forRows(listed.map((animal) => listingRow(animal, at)));
}

/** Notes that what the public sees of animals has changed. */
export function noteShown(ids: readonly bigint[], at: number): Work<void> {
  return SHOWN.run(integerList(ids), at);
}

/** Returns the profiles of those of these animals that have one. */
export function* profilesOf(ids: readonly bigint[]): Work<ReadonlyMap<bigint, Profile>> {
  return new Map(yield* SOME.all(integerList(ids)));
}

const HERE = { status: 'available' } as const;

/** A change of the profile of a locked animal. */
interface ProfileUpdate {
  readonly petId: bigint;
  readonly change: ProfileChange;
}

/**
 * Changes the profiles of locked animals, each named once. Returns the ids of those whose profile has
 * changed. Throws what `changedProfile` throws.
 */
export function* saveProfiles(
  updates: readonly ProfileUpdate[],
  stamp: ChangeStamp,
): Work<readonly bigint[]> {
  const ids = updates.map(({ petId }) => petId);
  const known = yield* profilesOf(ids);
  const moves = new Map<bigint, { date: string; birthDate: string | null }>();
  const classified = new Map<bigint, Profile>();
  const updated = updates.flatMap(({ petId, change }) => {
    const before = known.get(petId) ?? EMPTY_PROFILE;
    const after = changedProfile(before, change, stamp.at);
    if (isSameProfile(before, after)) return [];
    const { inCareSince, birthDate } = after;
    if (change.inCareSince != null && inCareSince !== before.inCareSince) {
      moves.set(petId, { date: change.inCareSince, birthDate });
    }
    if (after.species !== before.species || birthDate !== before.birthDate) {
      classified.set(petId, after);
    }
    const row = { petId, public: knownText(after, true), private: knownText(after, false) };
    const isShown = row.public !== knownText(before, true);
    // The care, a private field, also decides whether the public sees it.
    const isPrivate = !isShown && isListed(HERE, before) === isListed(HERE, after);
    return { row, isShown, isPrivate, changed: changedText(changedFields(before, after)) };
  });
  if (updated.length === 0) return [];
  yield* moveIntakes(moves);
  yield* classifyStays(classified);
  yield* SAVE.forRows(updated.map(({ row }) => row));
  const parts = updated.map(({ row, changed, isPrivate }) => ({
    petId: row.petId,
    data: row.public,
    ...{ changed, isPrivate },
  }));
  yield* noteParts('profile.updated', parts, stamp);
  const changed = updated.map(({ row }) => row.petId);
  yield* relist(changed, stamp.at);
  const shown = updated.filter(({ isShown }) => isShown).map(({ row }) => row.petId);
  if (shown.length > 0) yield* noteShown(shown, stamp.at);
  return changed;
}

/** Profiles. */
export function createProfileStorage(transactions: Transactions): ProfileStorage {
  const { reads, writes } = methodsOf<ProfileStorage>(transactions);
  return {
    ...reads({
      find: (petId) => FIND.one(petId),
      findAll: profilesOf,
      *knownFields() {
        const used = yield* USED.all();
        return PROFILE_FIELD_NAMES.filter((name) => used.includes(name));
      },
    }),
    ...writes({
      *update(petId, change, stamp, precondition) {
        if ((yield* LOCKED_PET.one(petId)) === undefined) return undefined;
        precondition((yield* FIND.one(petId)) ?? EMPTY_PROFILE);
        yield* saveProfiles([{ petId, change }], stamp);
        return yield* FIND.one(petId);
      },
    }),
  };
}
