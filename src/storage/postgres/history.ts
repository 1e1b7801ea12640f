import type { Edit } from '../../domain/edit.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type { PetStatus, StatusChange } from '../../domain/pet.ts';
import type { Session } from './connection.ts';

/** Notes a status that an animal came to have, inside the transaction that changes it. */
export async function noteStatus(
  session: Session,
  petId: bigint,
  status: PetStatus,
  edit: Edit,
): Promise<void> {
  await session.run(
    'INSERT INTO status_changes (pet_id, status, changed_at, key_id) VALUES ($1, $2, $3, $4)',
    petId,
    status,
    BigInt(edit.at),
    edit.keyId,
  );
}

/** A change, or nothing but NULLs for an animal without one on this page. */
type HistoryRow =
  | { id: bigint; status: PetStatus; changed_at: bigint; key_id: bigint | null }
  | { id: null };

/** The statuses that an animal had; undefined where there is no such animal. */
export async function historyPage(
  session: Session,
  petId: bigint,
  { afterId, limit }: PageRequest,
): Promise<Page<StatusChange> | undefined> {
  // One statement, so that an animal that is removed meanwhile is there with its history or not at all.
  const rows = await session.query<HistoryRow>(
    `SELECT change.id, change.status, change.changed_at, change.key_id
     FROM pets LEFT JOIN LATERAL (
       SELECT id, status, changed_at, key_id FROM status_changes
       WHERE pet_id = pets.id AND id > $2 ORDER BY id LIMIT $3
     ) AS change ON true
     WHERE pets.id = $1 ORDER BY change.id`,
    petId,
    afterId ?? 0n,
    limit + 1,
  );
  if (rows.length === 0) return undefined;
  const changes = rows.flatMap((row): StatusChange[] => {
    if (row.id === null) return [];
    const { id, status, changed_at, key_id } = row;
    return [{ id, status, changedAt: Number(changed_at), keyId: key_id }];
  });
  return pageOf(changes, limit);
}
