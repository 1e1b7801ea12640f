import { WITHOUT_PLACE } from '../../domain/animal.ts';
import { animalWords } from '../../domain/animal-words.ts';
import { foldName } from '../../domain/name.ts';
import type { Pet } from '../../domain/pet.ts';
import { EMPTY_PROFILE } from '../../domain/profile.ts';
import { type Addition, PET_COLUMNS } from '../records/pet-rows.ts';
import { firstStay } from '../records/stay-rows.ts';
import { given, integerList, isIn } from '../statements.ts';
import type { Session } from './connection.ts';

/** Reads the animals with these ids, in their order; undefined for one that does not exist. */
export async function findPets(
  session: Session,
  ids: readonly bigint[],
): Promise<(Pet | undefined)[]> {
  const found = await session.query<Pet>(
    `SELECT ${PET_COLUMNS} FROM pets WHERE id ${isIn('$1').postgres}`,
    integerList(ids),
  );
  const byId = new Map(found.map((pet) => [pet.id, pet]));
  return ids.map((id) => byId.get(id));
}

const ADDED = given(
  'n int, name text, folded text, category bigint, status text, external text, at bigint, key bigint, import bigint, ' +
    'day text, outcome text, state text, profile text, words text',
).postgres;

/** Adds animals in one statement; returns them with their ids, in their order. */
export async function insertPets(session: Session, additions: readonly Addition[]): Promise<Pet[]> {
  const rows = additions.map(({ pet: { name, categoryId, status }, externalId, stamp }, n) => ({
    ...{ n, ...firstStay({ status }, stamp.at) },
    words: animalWords({ name }, EMPTY_PROFILE, externalId ?? null),
    name,
    folded: foldName(name),
    category: String(categoryId),
    status,
    external: externalId,
    at: stamp.at,
    key: stamp.keyId === null ? null : String(stamp.keyId),
    import: stamp.importId === undefined ? null : String(stamp.importId),
  }));
  // The ids are drawn in the order of the animals, and tell which row is whose.
  const drawn = await session.query<{ n: number; id: bigint }>(
    `WITH given AS MATERIALIZED (
       SELECT nextval((SELECT CAST(pg_get_serial_sequence('pets', 'id') AS regclass))) AS id, animal.*
       FROM (SELECT * FROM ${ADDED} ORDER BY n) AS animal
     ), pet AS (
       INSERT INTO pets
         (id, name, name_folded, category_id, status, external_id, was_offered, added_at)
       OVERRIDING SYSTEM VALUE
       SELECT id, name, folded, category, status, external, CAST(status <> 'sold' AS integer), at FROM given
     ), stay AS (
       INSERT INTO stays (pet_id, intake_date, outcome_date, outcome_type)
       SELECT id, day, CASE WHEN outcome IS NOT NULL THEN day END, outcome FROM given ORDER BY id
     ), profile AS (
       INSERT INTO profiles (pet_id, public, private) SELECT id, profile, '{}' FROM given
     ), animal AS (
       INSERT INTO animals (pet_id, state, status, category_id, published, since, name, location, words)
       SELECT id, state, status, category, 0, day, folded, '${WITHOUT_PLACE}', btrim(words || ' ' || id) FROM given
     ), noted AS (
       INSERT INTO unnumbered_changes
         (type, at, key_id, import_id, record_id, name, category_id, status)
       SELECT 'pet.created', at, key, import, id, name, category, status FROM given ORDER BY id
     )
     SELECT n, id FROM given`,
    JSON.stringify(rows),
  );
  const ids = new Map(drawn.map(({ n, id }) => [n, id]));
  return additions.map(({ pet }, n) => {
    const id = ids.get(n);
    if (id === undefined) throw new Error('an animal was added without an id');
    return { id, ...pet };
  });
}
