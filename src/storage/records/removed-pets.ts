import { RESTORABLE_MS, type RemovedPetStorage } from '../../domain/audit.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { Failure } from '../../domain/failure.ts';
import type { Pet } from '../../domain/pet.ts';
import {
  changes,
  forUpdate,
  one,
  onPostgres,
  query,
  run,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { reopenStay } from './followed-stays.ts';
import { LOCKED_PET, PET, PHOTO_COLUMNS, type RecordWrites } from './pets.ts';
import { relist } from './profiles.ts';

const REMOVED = query(
  ({ id }: { readonly id: bigint }) => id,
  sql`SELECT pet_id AS id FROM removed_pets WHERE pet_id = $1 AND removed_at > $2 ${forUpdate}`,
);
/** The database gives ids; these were given before. */
const givenIds = onPostgres('OVERRIDING SYSTEM VALUE');
/** An import may have added the animal again meanwhile: then the new one keeps the external id. */
const PET_BACK = query(
  PET.of,
  sql`INSERT INTO pets
      (id, name, name_folded, category_id, status, external_id, was_offered, added_at) ${givenIds}
    SELECT pet_id, name, name_folded, category_id, status,
      CASE WHEN NOT EXISTS (SELECT 1 FROM pets AS other WHERE other.external_id = removed_pets.external_id)
        THEN external_id END,
      was_offered, added_at
    FROM removed_pets WHERE pet_id = $1 RETURNING ${PET.columns}`,
);
const PROFILE_BACK = sql`INSERT INTO profiles (pet_id, public, private)
  SELECT pet_id, public, private FROM removed_pets WHERE pet_id = $1 AND public IS NOT NULL`;
const PHOTOS_BACK = sql`INSERT INTO photos (id, ${PHOTO_COLUMNS}) ${givenIds}
  SELECT photo_id, ${PHOTO_COLUMNS} FROM removed_photos WHERE pet_id = $1`;
const FORGET = sql`DELETE FROM removed_pets WHERE pet_id = $1`;
const EXPIRE = sql`DELETE FROM removed_pets WHERE pet_id IN (
    SELECT pet_id FROM removed_pets WHERE removed_at <= $1 ORDER BY removed_at LIMIT $2
  )`;

/** Animals that were removed, and can be brought back. */
export function createRemovedPetStorage(
  { write }: Transactions,
  writes: RecordWrites,
): RemovedPetStorage {
  function* restore(petId: bigint, stamp: ChangeStamp): Work<Pet | undefined> {
    const removed = yield* one(REMOVED, petId, stamp.at - RESTORABLE_MS);
    if ((yield* one(LOCKED_PET, petId)) !== undefined) {
      throw new Failure('conflict', `The animal ${petId} is there: it was not removed.`);
    }
    if (removed === undefined) return undefined;
    const pet = yield* writes.noted('pet.restored', stamp, null, PET_BACK, petId);
    for (const statement of [PROFILE_BACK, PHOTOS_BACK, FORGET]) yield* run(statement, petId);
    if (pet.status !== 'sold') yield* reopenStay(writes, petId, stamp);
    yield* relist([petId], stamp.at);
    return pet;
  }

  return {
    restore: (petId, stamp) => write(() => restore(petId, stamp)),
    removeExpired: (time, most) => write(() => changes(EXPIRE, time, most)),
  };
}
