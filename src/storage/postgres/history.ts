import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type { Pet, PetStatus, StatusChange } from '../../domain/pet.ts';
import type { Session } from './connection.ts';
import { records } from './json.ts';

/** Records changed statuses of animals, in the transaction that has locked their rows. */
export async function noteStatuses(
  session: Session,
  changed: readonly Pick<Pet, 'id' | 'status'>[],
  stamp: ChangeStamp,
): Promise<void> {
  await session.run(
    `INSERT INTO status_changes (pet_id, number, status, changed_at, key_id)
     SELECT id, coalesce(max(number), 1) + 1, given.status, $2, $3
     FROM ${records('$1', 'id bigint, status text')} LEFT JOIN status_changes ON pet_id = id
     GROUP BY id, given.status`,
    JSON.stringify(changed.map(({ id, status }) => ({ id: String(id), status }))),
    BigInt(stamp.at),
    stamp.keyId,
  );
}

/** A change, or only NULLs for an animal without changes on this page. */
type HistoryRow =
  | { number: bigint; status: PetStatus; changed_at: bigint; key_id: bigint | null }
  | { number: null };

/** Lists the statuses that an animal had, or returns undefined if it does not exist. */
export async function historyPage(
  session: Session,
  petId: bigint,
  { afterId, limit }: PageRequest,
): Promise<Page<StatusChange> | undefined> {
  // One statement, so that an animal removed meanwhile is found with its history or not at all.
  const rows = await session.query<HistoryRow>(
    `SELECT change.number, change.status, change.changed_at, change.key_id
     FROM pets LEFT JOIN LATERAL (
       SELECT 1 AS number, first_status AS status, added_at AS changed_at, added_by AS key_id
       WHERE 1 > $2
       UNION ALL
       SELECT number, status, changed_at, key_id FROM status_changes
       WHERE pet_id = pets.id AND number > $2
       ORDER BY number LIMIT $3
     ) AS change ON true
     WHERE pets.id = $1 ORDER BY change.number`,
    petId,
    afterId ?? 0n,
    limit + 1,
  );
  if (rows.length === 0) return undefined;
  const changes = rows.flatMap((row): StatusChange[] => {
    if (row.number === null) return [];
    const { number, status, changed_at, key_id } = row;
    return [{ id: number, status, changedAt: Number(changed_at), keyId: key_id }];
  });
  return pageOf(changes, limit);
}
