import { WITHOUT_PLACE } from '../../domain/animal.ts';
import { animalWords } from '../../domain/animal-words.ts';
import { changedPetText } from '../../domain/audit.ts';
import type { NotedPart, PartChangeType } from '../../domain/change-log.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { foldName } from '../../domain/name.ts';
import type { Pet } from '../../domain/pet.ts';
import { EMPTY_PROFILE } from '../../domain/profile.ts';
import { withStays } from '../records/followed-stays.ts';
import { PET_COLUMNS } from '../records/pet-lists.ts';
import type { Addition, PetUpdate, RecordWrites } from '../records/pets.ts';
import { firstStay } from '../records/stay-rows.ts';
import { given, integerList, isIn } from '../statements.ts';
import { noteRows, noting, stampValues } from './change-notes.ts';
import type { Session } from './connection.ts';
import { inSession, noteAudit, noted } from './transactions.ts';

// Every write of an animal by a request or an import is here, so that its folded name
// and the change log always match it.

/** The columns that the log records, for RETURNING. */
const LOGGED = 'pets.id, pets.name, pets.category_id, pets.status';

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

/** The ids are given in the order of the animals, and so are the entries in the log. */
const noteAdded = noteRows(
  'pet.created',
  '(SELECT *, category AS category_id FROM given) AS added ORDER BY id',
  { at: 'at', keyId: 'key', importId: 'import', changed: 'NULL' },
);

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
     ), noted AS (${noteAdded})
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

const SAVED = given(
  'n int, id bigint, name text, folded text, category bigint, status text, changed text',
).postgres;

/** Saves locked animals in one statement. */
async function savePets(
  session: Session,
  updates: readonly PetUpdate[],
  stamp: ChangeStamp,
): Promise<void> {
  const rows = updates.map(({ before, pet }, n) => {
    const { id, name, categoryId, status } = pet;
    const changed = changedPetText(before, pet);
    const category = String(categoryId);
    return { n, id: String(id), name, folded: foldName(name), category, status, changed };
  });
  await session.run(
    noting(
      'pet.updated',
      1,
      `UPDATE pets SET name = given.name, name_folded = given.folded,
         category_id = given.category, status = given.status,
         was_offered = greatest(was_offered, CAST(given.status <> 'sold' AS integer))
       FROM ${SAVED} WHERE pets.id = given.id RETURNING ${LOGGED}, n, given.changed`,
      { order: 'n', changed: 'changed' },
    ),
    JSON.stringify(rows),
    ...stampValues(stamp),
  );
}

/** The writes of records. */
export const WRITES: RecordWrites = withStays({
  noted,
  noteAudit,
  addAll: (additions) =>
    inSession(async (session) => (await insertPets(session, additions)).map(({ id }) => id)),
  saveAll: (updates, stamp) => inSession((session) => savePets(session, updates, stamp)),
  noteParts: (type, parts, stamp) => inSession((session) => noteParts(session, type, parts, stamp)),
});

/** Notes changes of what belongs to locked animals, in one statement. */
async function noteParts(
  session: Session,
  type: PartChangeType,
  parts: readonly NotedPart[],
  stamp: ChangeStamp,
): Promise<void> {
  await session.run(
    `INSERT INTO unnumbered_changes (type, at, key_id, import_id, pet_id, data, changed, subject_id)
     SELECT $2, $3, $4, $5, pet, data, changed, subject
     FROM ${given('n int, pet bigint, data text, changed text, subject bigint').postgres} ORDER BY n`,
    JSON.stringify(
      parts.map(({ petId, data, changed, isPrivate }, n) => {
        const pet = petId?.toString();
        return isPrivate ? { n, pet, changed, subject: pet } : { n, pet, data, changed };
      }),
    ),
    type,
    ...stampValues(stamp),
  );
}
