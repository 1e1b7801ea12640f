import type { Database } from 'bun:sqlite';
import type { Edit } from '../../domain/edit.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type { PetStatus, StatusChange } from '../../domain/pet.ts';

/** The statuses that animals had. Called inside the transaction that changes the status. */
export interface History {
  note(petId: bigint, status: PetStatus, edit: Edit): void;
  page(petId: bigint, page: PageRequest): Page<StatusChange>;
}

/** The history in SQLite. */
export function createHistory(database: Database): History {
  const insert = database.query<null, [bigint, PetStatus, number, bigint | null]>(
    'INSERT INTO status_changes (pet_id, status, changed_at, key_id) VALUES (?, ?, ?, ?)',
  );
  const list = database.query<
    { id: bigint; status: PetStatus; changed_at: bigint; key_id: bigint | null },
    [bigint, bigint, number]
  >(
    `SELECT id, status, changed_at, key_id FROM status_changes
     WHERE pet_id = ? AND id > ? ORDER BY id LIMIT ?`,
  );

  return {
    note: (petId, status, edit) => void insert.run(petId, status, edit.at, edit.keyId),
    page(petId, { afterId, limit }) {
      const rows = list.all(petId, afterId ?? 0n, limit + 1).map((row) => ({
        id: row.id,
        status: row.status,
        changedAt: Number(row.changed_at),
        keyId: row.key_id,
      }));
      return pageOf(rows, limit);
    },
  };
}
