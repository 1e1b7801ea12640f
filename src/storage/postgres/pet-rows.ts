import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { foldCase } from '../../domain/name.ts';
import { petUnderOrder } from '../../domain/order.ts';
import type { NewPet, Pet, PetStatus } from '../../domain/pet.ts';
import { PET_COLUMNS } from '../rows/pet.ts';
import type { Session } from './connection.ts';
import { noteStatuses } from './history.ts';
import { integerList, integers, records } from './json.ts';

/** The animals with these ids, as they are at this moment; undefined in place of one that is not there. */
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

/** An animal that nobody else changes, removes or orders until the transaction ends. */
export async function lockPet(session: Session, id: bigint): Promise<Pet | undefined> {
  const text = `SELECT ${PET_COLUMNS} FROM pets WHERE id = $1 FOR UPDATE`;
  const [pet] = await session.query<Pet>(text, id);
  return pet;
}

/** An animal that is added, and who adds it when. */
export interface Addition {
  readonly pet: NewPet;
  readonly edit: ChangeStamp;
}

const GIVEN = 'n int, name text, folded text, category bigint, status text, at bigint, key bigint';

/** Adds animals in one statement; gives them with their ids. */
export async function insertPets(session: Session, additions: readonly Addition[]): Promise<Pet[]> {
  const rows = additions.map(({ pet: { name, categoryId, status }, edit: stamp }, n) => ({
    ...{ n, name, folded: foldCase(name), category: String(categoryId), status },
    ...{ at: stamp.at, key: stamp.keyId === null ? null : String(stamp.keyId) },
  }));
  // The ids are drawn in the order in which the animals came, and say whose is which.
  const drawn = await session.query<{ n: number; id: bigint }>(
    `WITH given AS MATERIALIZED (
       SELECT nextval((SELECT CAST(pg_get_serial_sequence('pets', 'id') AS regclass))) AS id, animal.*
       FROM (SELECT * FROM ${records('$1', GIVEN)} ORDER BY n) AS animal
     ), pet AS (
       INSERT INTO pets
         (id, name, name_folded, category_id, status, first_status, added_at, added_by)
       OVERRIDING SYSTEM VALUE
       SELECT id, name, folded, category, status, status, at, key FROM given
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

/**
 * Writes a locked animal over what was known of it. Throws `conflict` for another status while an
 * open order holds it.
 */
export async function savePet(
  session: Session,
  pet: Pet,
  known: Pet,
  stamp: ChangeStamp,
): Promise<void> {
  const movesOn = pet.status !== known.status;
  if (movesOn) await requireFree(session, pet.id);
  await session.run(
    'UPDATE pets SET name = $1, name_folded = $2, category_id = $3, status = $4 WHERE id = $5',
    pet.name,
    foldCase(pet.name),
    pet.categoryId,
    pet.status,
    pet.id,
  );
  if (movesOn) await noteStatuses(session, [pet], stamp);
}

/** Follows an order: the status of an animal that is still there. */
export async function setStatus(
  session: Session,
  id: bigint,
  status: PetStatus,
  stamp: ChangeStamp,
): Promise<void> {
  const moved = await session.query(
    'UPDATE pets SET status = $1 WHERE id = $2 AND status <> $1 RETURNING id',
    status,
    id,
  );
  if (moved.length > 0) await noteStatuses(session, [{ id, status }], stamp);
}

/** Throws `conflict` where an open order holds the animal. */
export async function requireFree(session: Session, id: bigint): Promise<void> {
  const [order] = await session.query<{ id: bigint }>(
    `SELECT id FROM orders WHERE pet_id = $1 AND status IN ('placed', 'approved')`,
    id,
  );
  if (order !== undefined) throw petUnderOrder(id, order.id);
}
