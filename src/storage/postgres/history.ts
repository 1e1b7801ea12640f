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

/** The statuses that an animal had. */
export async function historyPage(
  session: Session,
  petId: bigint,
  { afterId, limit }: PageRequest,
): Promise<Page<StatusChange>> {
  const rows = await session.query<{
    id: bigint;
    status: PetStatus;
    changed_at: bigint;
    key_id: bigint | null;
  }>(
    `SELECT id, status, changed_at, key_id FROM status_changes
     WHERE pet_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
    petId,
    afterId ?? 0n,
    limit + 1,
  );
  const changes = rows.map((row) => ({
    id: row.id,
    status: row.status,
    changedAt: Number(row.changed_at),
    keyId: row.key_id,
  }));
  return pageOf(changes, limit);
}
