import type { Edit } from '../../domain/edit.ts';
import { foldCase } from '../../domain/name.ts';
import { heldByOrder } from '../../domain/order.ts';
import type { NewPet, Pet, PetStatus } from '../../domain/pet.ts';
import { PET_COLUMNS } from '../pet-row.ts';
import type { Session } from './connection.ts';
import { noteStatus } from './history.ts';

/** An animal, as it is at this moment. */
export async function findPet(session: Session, id: bigint): Promise<Pet | undefined> {
  const [pet] = await session.query<Pet>(`SELECT ${PET_COLUMNS} FROM pets WHERE id = $1`, id);
  return pet;
}

/** An animal that nobody else changes, removes or orders until the transaction ends. */
export async function lockPet(session: Session, id: bigint): Promise<Pet | undefined> {
  const text = `SELECT ${PET_COLUMNS} FROM pets WHERE id = $1 FOR UPDATE`;
  const [pet] = await session.query<Pet>(text, id);
  return pet;
}

/** Adds an animal and the beginning of its history; gives its id. */
export async function insertPet(session: Session, pet: NewPet, edit: Edit): Promise<bigint> {
  const { name, categoryId, status } = pet;
  // One statement, one way to the server and back.
  const [row] = await session.query<{ id: bigint }>(
    `WITH pet AS (
       INSERT INTO pets (name, name_folded, category_id, status) VALUES ($1, $2, $3, $4)
       RETURNING id, status
     )
     INSERT INTO status_changes (pet_id, status, changed_at, key_id)
     SELECT id, status, $5, $6 FROM pet RETURNING pet_id AS id`,
    name,
    foldCase(name),
    categoryId,
    status,
    BigInt(edit.at),
    edit.keyId,
  );
  if (row === undefined) throw new Error('INSERT … RETURNING gave no row');
  return row.id;
}

/**
 * Writes a locked animal over what was known of it. Throws `conflict` for another status while an
 * open order holds it.
 */
export async function savePet(session: Session, pet: Pet, known: Pet, edit: Edit): Promise<void> {
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
  if (movesOn) await noteStatus(session, pet.id, pet.status, edit);
}

/** Follows an order: the status of an animal that is still there. */
export async function setStatus(
  session: Session,
  id: bigint,
  status: PetStatus,
  edit: Edit,
): Promise<void> {
  await session.run(
    `WITH moved AS (
       UPDATE pets SET status = $1 WHERE id = $2 AND status <> $1 RETURNING id, status
     )
     INSERT INTO status_changes (pet_id, status, changed_at, key_id)
     SELECT id, status, $3, $4 FROM moved`,
    status,
    id,
    BigInt(edit.at),
    edit.keyId,
  );
}

/** Throws `conflict` where an open order holds the animal. */
export async function requireFree(session: Session, id: bigint): Promise<void> {
  const [order] = await session.query<{ id: bigint }>(
    `SELECT id FROM orders WHERE pet_id = $1 AND status IN ('placed', 'approved')`,
    id,
  );
  if (order !== undefined) throw heldByOrder(id, order.id);
}
