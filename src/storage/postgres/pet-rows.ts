import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { foldCase } from '../../domain/name.ts';
import { petUnderOrder } from '../../domain/order.ts';
import { isSamePet, type NewPet, type Pet, type PetStatus } from '../../domain/pet.ts';
import { ORDER_IS_OPEN } from '../rows/order.ts';
import { PET_COLUMNS } from '../rows/pet.ts';
import { noteRows, noting, stampValues } from './change-notes.ts';
import type { Session } from './connection.ts';
import { noteStatuses } from './history.ts';
import { integerList, integers, records } from './json.ts';

// Every write of an animal by a request or an import is here, so that its folded name, its history
// and the change log always match it.

/** The columns that the log records, for RETURNING. */
const LOGGED = 'pets.id, pets.name, pets.category_id, pets.status';

/** Reads the animals with these ids, in their order; undefined for one that does not exist. */
export async function findPets(
  session: Session,
  ids: readonly bigint[],
): Promise<(Pet | undefined)[]> {
  const found = await session.query<Pet>(
    `SELECT ${PET_COLUMNS} FROM pets WHERE id = ANY(${integers('$1')})`,
    integerList(ids),
  );
  const byId = new Map(found.map((pet) => [pet.id, pet]));
  return ids.map((id) => byId.get(id));
}

/** Reads an animal that nobody else can change, remove or order until the transaction ends. */
export async function lockPet(session: Session, id: bigint): Promise<Pet | undefined> {
  const text = `SELECT ${PET_COLUMNS} FROM pets WHERE id = $1 FOR UPDATE`;
  const [pet] = await session.query<Pet>(text, id);
  return pet;
}

/** An animal to add. */
export interface Addition {
  readonly pet: NewPet;
  readonly externalId?: string | undefined;
  readonly stamp: ChangeStamp;
}

const ADDED =
  'n int, name text, folded text, category bigint, status text, external text, at bigint, key bigint';

/** The ids are given in the order of the animals, and so are the entries in the log. */
const noteAdded = noteRows(
  'pet.created',
  '(SELECT *, category AS category_id FROM given) AS added ORDER BY id',
  { at: 'at', keyId: 'key' },
);

/** Adds animals in one statement; returns them with their ids, in their order. */
export async function insertPets(session: Session, additions: readonly Addition[]): Promise<Pet[]> {
  if (additions.length === 0) return [];
  const rows = additions.map(({ pet: { name, categoryId, status }, externalId, stamp }, n) => ({
    ...{ n, name, folded: foldCase(name), category: String(categoryId), status },
    external: externalId,
    ...{ at: stamp.at, key: stamp.keyId === null ? null : String(stamp.keyId) },
  }));
  // The ids are drawn in the order of the animals, and tell which row is whose.
  const drawn = await session.query<{ n: number; id: bigint }>(
    `WITH given AS MATERIALIZED (
       SELECT nextval((SELECT CAST(pg_get_serial_sequence('pets', 'id') AS regclass))) AS id, animal.*
       FROM (SELECT * FROM ${records('$1', ADDED)} ORDER BY n) AS animal
     ), pet AS (
       INSERT INTO pets
         (id, name, name_folded, category_id, status, external_id, first_status, added_at, added_by)
       OVERRIDING SYSTEM VALUE
       SELECT id, name, folded, category, status, external, status, at, key FROM given
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

/** Saves a locked animal, if it differs. Throws `conflict` if its status changes while an open order holds it. */
export async function savePet(
  session: Session,
  pet: Pet,
  before: Pet,
  stamp: ChangeStamp,
): Promise<void> {
  if (isSamePet(pet, before)) return;
  const isMoved = pet.status !== before.status;
  if (isMoved) await requireFree(session, pet.id);
  await session.run(
    noting(
      'pet.updated',
      5,
      `UPDATE pets SET name = $1, name_folded = $2, category_id = $3, status = $4 WHERE id = $5
       RETURNING ${LOGGED}`,
    ),
    pet.name,
    foldCase(pet.name),
    pet.categoryId,
    pet.status,
    pet.id,
    ...stampValues(stamp),
  );
  if (isMoved) await noteStatuses(session, [pet], stamp);
}

/** A locked animal to save, and the same animal as it was read. */
export interface PetUpdate {
  readonly before: Pet;
  readonly pet: Pet;
}

const SAVED = 'n int, id bigint, name text, folded text, category bigint, status text';

/** Saves locked animals in one statement. The caller has checked that no order prevents it. */
export async function savePets(
  session: Session,
  updates: readonly PetUpdate[],
  stamp: ChangeStamp,
): Promise<void> {
  if (updates.length === 0) return;
  const rows = updates.map(({ pet: { id, name, categoryId, status } }, n) => {
    const category = String(categoryId);
    return { n, id: String(id), name, folded: foldCase(name), category, status };
  });
  await session.run(
    noting(
      'pet.updated',
      1,
      `UPDATE pets SET name = given.name, name_folded = given.folded,
         category_id = given.category, status = given.status
       FROM ${records('$1', SAVED)} WHERE pets.id = given.id RETURNING ${LOGGED}, n`,
      'n',
    ),
    JSON.stringify(rows),
    ...stampValues(stamp),
  );
  const moved = updates.flatMap(({ pet, before }) => (pet.status === before.status ? [] : pet));
  if (moved.length > 0) await noteStatuses(session, moved, stamp);
}

/** Sets the status of an animal as its order demands, if the animal still exists. */
export async function setStatus(
  session: Session,
  id: bigint,
  status: PetStatus,
  stamp: ChangeStamp,
): Promise<void> {
  const moved = await session.query(
    noting(
      'pet.updated',
      2,
      `UPDATE pets SET status = $1 WHERE id = $2 AND status <> $1 RETURNING ${LOGGED}`,
    ),
    status,
    id,
    ...stampValues(stamp),
  );
  if (moved.length > 0) await noteStatuses(session, [{ id, status }], stamp);
}

/** Removes a locked animal. Throws `conflict` if an open order holds it. */
export async function removePet(session: Session, id: bigint, stamp: ChangeStamp): Promise<void> {
  await requireFree(session, id);
  const text = noting('pet.deleted', 1, `DELETE FROM pets WHERE id = $1 RETURNING ${LOGGED}`);
  await session.run(text, id, ...stampValues(stamp));
}

/** Returns the ids of those animals that an open order holds. */
export async function findHeld(
  session: Session,
  ids: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  if (ids.length === 0) return new Set();
  const rows = await session.query<{ id: bigint }>(
    `SELECT pet_id AS id FROM orders WHERE ${ORDER_IS_OPEN} AND pet_id = ANY(${integers('$1')})`,
    integerList(ids),
  );
  return new Set(rows.map(({ id }) => id));
}

async function requireFree(session: Session, id: bigint): Promise<void> {
  const [order] = await session.query<{ id: bigint }>(
    `SELECT id FROM orders WHERE pet_id = $1 AND ${ORDER_IS_OPEN}`,
    id,
  );
  if (order !== undefined) throw petUnderOrder(id, order.id);
}
