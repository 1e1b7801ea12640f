import type { Database } from 'bun:sqlite';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type { PetStatus, StatusChange } from '../../domain/pet.ts';

/** The statuses that animals had. The first of each is in the row of the animal. */
export interface History {
  /** Records a status, inside the transaction that changes it. */
  note(petId: bigint, status: PetStatus, stamp: ChangeStamp): void;
  page(petId: bigint, page: PageRequest): Page<StatusChange>;
}

/** The history in SQLite. */
export function createHistory(database: Database): History {
  const insert = database.query<null, [bigint, PetStatus, number, bigint | null]>(
    `INSERT INTO status_changes (pet_id, number, status, changed_at, key_id)
     SELECT ?1, coalesce(max(number), 1) + 1, ?2, ?3, ?4 FROM status_changes WHERE pet_id = ?1`,
  );
  const list = database.query<
    { number: bigint; status: PetStatus; changed_at: bigint; key_id: bigint | null },
    [bigint, bigint, number]
  >(
    `SELECT 1 AS number, first_status AS status, added_at AS changed_at, added_by AS key_id
     FROM pets WHERE id = ?1 AND 1 > ?2
     UNION ALL
     SELECT number, status, changed_at, key_id FROM status_changes WHERE pet_id = ?1 AND number > ?2
     ORDER BY number LIMIT ?3`,
  );

  return {
    note: (petId, status, stamp) => void insert.run(petId, status, stamp.at, stamp.keyId),
    page(petId, { afterId, limit }) {
      const changes = list
        .all(petId, afterId ?? 0n, limit + 1)
        .map(({ number, status, changed_at, key_id }) => {
          return { id: number, status, changedAt: Number(changed_at), keyId: key_id };
        });
      return pageOf(changes, limit);
    },
  };
}
