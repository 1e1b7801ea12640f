import { type AnimalState, WITHOUT_PLACE } from '../../domain/animal.ts';
import { animalWords } from '../../domain/animal-words.ts';
import { foldName } from '../../domain/name.ts';
import type { Pet } from '../../domain/pet.ts';
import { dateText } from '../../domain/profile.ts';
import {
  all,
  givenInOrder,
  integerList,
  isIn,
  query,
  runForRows,
  sql,
  type Work,
} from '../statements.ts';
import { type ProfileRow, profileOf } from './profile-rows.ts';

const ANIMAL_CELLS =
  'pet_id bigint, state text, status text, category_id bigint, species text, care text, care_until text, ' +
  'published bigint, since text, name text, location text, words text';
export const ANIMAL_COLUMNS = ANIMAL_CELLS.replaceAll(/ (?:bigint|text)/g, '');
const SAVE = sql`INSERT INTO animals (${ANIMAL_COLUMNS}) ${givenInOrder(ANIMAL_CELLS, 'pet_id')}
  ON CONFLICT (pet_id) DO UPDATE SET ${ANIMAL_COLUMNS.split(', ')
    .slice(1)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`;

interface SourceRow extends Pet, ProfileRow {
  readonly addedAt: bigint;
  readonly externalId: string | null;
}
/** The columns that a row is made from. */
const SOURCE =
  'name, category_id AS "categoryId", status, external_id AS "externalId", added_at AS "addedAt", public, private';
const PRESENT = query(
  (row: SourceRow) => animalRow(row, row.status === 'sold' ? 'left' : 'here'),
  sql`SELECT id, ${SOURCE} FROM pets LEFT JOIN profiles ON pet_id = id WHERE id ${isIn('$1')}`,
);
const REMOVED = query(
  (row: SourceRow) => animalRow(row, 'removed'),
  sql`SELECT pet_id AS id, ${SOURCE} FROM removed_pets WHERE pet_id ${isIn('$1')}`,
);

function animalRow(row: SourceRow, state: AnimalState) {
  const { id, name, status, categoryId, externalId, addedAt } = row;
  const profile = profileOf(row);
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
  const rows = yield* all(PRESENT, integerList(ids));
  if (rows.length > 0) yield* runForRows(SAVE, rows);
}

/** Writes the rows of animals that were removed. */
export function* indexRemoved(ids: readonly bigint[]): Work<void> {
  const rows = yield* all(REMOVED, integerList(ids));
  if (rows.length > 0) yield* runForRows(SAVE, rows);
}
