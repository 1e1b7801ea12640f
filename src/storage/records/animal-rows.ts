import { type AnimalState, WITHOUT_PLACE } from '../../domain/animal.ts';
import { animalWords } from '../../domain/animal-words.ts';
import { foldName } from '../../domain/name.ts';
import type { Pet } from '../../domain/pet.ts';
import { dateText } from '../../domain/profile.ts';
import { givenInOrder, integerList, isIn, sql, type Work } from '../statements.ts';
import { type ProfileRow, profiledOf } from './profile-rows.ts';

const ANIMAL_CELLS =
  'pet_id bigint, state text, status text, category_id bigint, species text, care text, care_until text, ' +
  'published bigint, since text, name text, location text, words text';
const ANIMAL_COLUMNS = ANIMAL_CELLS.replaceAll(/ (?:bigint|text)/g, '');
const SAVE = sql`INSERT INTO animals (${ANIMAL_COLUMNS}) ${givenInOrder(ANIMAL_CELLS, 'pet_id')}
  ON CONFLICT (pet_id) DO UPDATE SET ${ANIMAL_COLUMNS.split(', ')
    .slice(1)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`;

export type SourceRow = Pet &
  ProfileRow & { readonly addedAt: bigint; readonly externalId: string | null };
const SOURCE =
  'name, category_id AS "categoryId", status, external_id AS "externalId", added_at AS "addedAt", public, private';
export const PRESENT_ANIMALS = sql`SELECT id, ${SOURCE}
  FROM pets LEFT JOIN profiles ON pet_id = id WHERE id ${isIn('$1')}`;
export const REMOVED_ANIMALS = sql`SELECT pet_id AS id, ${SOURCE}
  FROM removed_pets WHERE pet_id ${isIn('$1')}`;
const PRESENT = PRESENT_ANIMALS.as((row: SourceRow) =>
  animalRow(row, row.status === 'sold' ? 'left' : 'here'),
);
const REMOVED = REMOVED_ANIMALS.as((row: SourceRow) => animalRow(row, 'removed'));

function animalRow(row: SourceRow, state: AnimalState) {
  const { pet, profile, externalId, addedAt } = profiledOf(row);
  const { id, name, status, categoryId } = pet;
  const { species, care, careUntil, published, inCareSince, location } = profile;
  return {
    ...{ petId: id, state, status, categoryId, species, care, careUntil },
    published: Number(published),
    since: inCareSince ?? dateText(Number(addedAt)),
    name: foldName(name),
    location: location === null ? WITHOUT_PLACE : foldName(location),
    words: animalWords({ id, name }, profile, externalId),
  };
}

/** Writes the rows of animals after a change. */
export function* indexAnimals(ids: readonly bigint[]): Work<void> {
  const rows = yield* PRESENT.all(integerList(ids));
  if (rows.length > 0) yield* SAVE.forRows(rows);
}

/** Writes the rows of animals that were removed. */
export function* indexRemoved(ids: readonly bigint[]): Work<void> {
  const rows = yield* REMOVED.all(integerList(ids));
  if (rows.length > 0) yield* SAVE.forRows(rows);
}
