import type { Database } from 'bun:sqlite';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { foldCase } from '../../domain/name.ts';
import { petUnderOrder } from '../../domain/order.ts';
import { isSamePet, type NewPet, type Pet, type PetStatus } from '../../domain/pet.ts';
import { ORDER_IS_OPEN } from '../rows/order.ts';
import { PET_COLUMNS } from '../rows/pet.ts';
import type { NoteChange } from './change-writer.ts';
import type { History } from './history.ts';
import type { NameIndex } from './name-index.ts';

/**
 * The rows of animals, inside a transaction. Only this module writes `pets`, so that an animal, its
 * folded name, its history and the change log always agree.
 */
export interface PetRows {
  find(id: bigint): Pet | undefined;
  insert(pet: NewPet, externalId: string | undefined, stamp: ChangeStamp): bigint;
  /**
   * Replaces `known` by `pet`, if they differ. Throws `conflict` if its status changes while an open
   * order holds it.
   */
  save(pet: Pet, known: Pet, stamp: ChangeStamp): void;
  /** Sets the status that an order implies; does nothing if the animal was removed. */
  setStatus(id: bigint, status: PetStatus, stamp: ChangeStamp): void;
  /** Removes an animal with its history. Throws `conflict` if an open order holds it. */
  remove(known: Pet, stamp: ChangeStamp): void;
  /** True while an open order holds the animal. */
  isHeld(id: bigint): boolean;
}

/** What changes together with the row of an animal. */
export interface PetRowParts {
  readonly history: History;
  readonly names: NameIndex;
  readonly noteChange: NoteChange;
}

/** The rows of animals in SQLite. */
export function createPetRows(
  database: Database,
  { history, names, noteChange }: PetRowParts,
): PetRows {
  const byId = database.query<Pet, [bigint]>(`SELECT ${PET_COLUMNS} FROM pets WHERE id = ?`);
  // No RETURNING, which costs a third more: the result holds the id anyway.
  const insert = database.query<
    null,
    [string, string, bigint, PetStatus, string | null, number, bigint | null]
  >(
    `INSERT INTO pets
       (name, name_folded, category_id, status, external_id, first_status, added_at, added_by)
     VALUES (?1, ?2, ?3, ?4, ?5, ?4, ?6, ?7)`,
  );
  const update = database.query<null, [string, string, bigint, PetStatus, bigint]>(
    'UPDATE pets SET name = ?, name_folded = ?, category_id = ?, status = ? WHERE id = ?',
  );
  const updateStatus = database.query<null, [PetStatus, bigint]>(
    'UPDATE pets SET status = ? WHERE id = ?',
  );
  const openOrder = database.query<{ id: bigint }, [bigint]>(
    `SELECT id FROM orders WHERE pet_id = ? AND ${ORDER_IS_OPEN}`,
  );

  const remove = database.query<null, [bigint]>('DELETE FROM pets WHERE id = ?');

  function requireFree(id: bigint): void {
    const order = openOrder.get(id);
    if (order !== null) throw petUnderOrder(id, order.id);
  }

  return {
    find: (id) => byId.get(id) ?? undefined,
    insert(pet, externalId, stamp) {
      const { name, categoryId, status } = pet;
      const { at, keyId } = stamp;
      const folded = foldCase(name);
      const inserted = insert.run(name, folded, categoryId, status, externalId ?? null, at, keyId);
      // The types do not know that a connection with safe integers gives a bigint here.
      const id = BigInt(inserted.lastInsertRowid);
      names.noteAdded(id);
      noteChange({ type: 'pet.created', pet: { id, name, categoryId, status } }, stamp);
      return id;
    },
    save(pet, known, stamp) {
      if (isSamePet(pet, known)) return;
      if (pet.status !== known.status) requireFree(pet.id);
      update.run(pet.name, foldCase(pet.name), pet.categoryId, pet.status, pet.id);
      if (pet.status !== known.status) history.note(pet.id, pet.status, stamp);
      noteChange({ type: 'pet.updated', pet }, stamp);
    },
    setStatus(id, status, stamp) {
      const known = byId.get(id);
      if (known === null || known.status === status) return;
      updateStatus.run(status, id);
      history.note(id, status, stamp);
      noteChange({ type: 'pet.updated', pet: { ...known, status } }, stamp);
    },
    remove(known, stamp) {
      requireFree(known.id);
      remove.run(known.id);
      noteChange({ type: 'pet.deleted', pet: known }, stamp);
    },
    isHeld: (id) => openOrder.get(id) !== null,
  };
}
