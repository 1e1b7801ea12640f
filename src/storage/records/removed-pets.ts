import { RESTORABLE_MS, type RemovedPetStorage } from '../../domain/audit.ts';
import { Failure } from '../../domain/failure.ts';
import { forUpdate, methodsOf, onPostgres, sql, type Transactions } from '../statements.ts';
import { reopenStay } from './followed-stays.ts';
import { noted } from './notes.ts';
import { LOCKED_PET, PET, PHOTO_COLUMNS } from './pet-rows.ts';
import { relist } from './profiles.ts';

const REMOVED = sql`SELECT pet_id AS id FROM removed_pets
    WHERE pet_id = $1 AND removed_at > $2 ${forUpdate}`.value<bigint>();
/** The database gives ids; these were given before. */
const givenIds = onPostgres('OVERRIDING SYSTEM VALUE');
/** An import may have added the animal again meanwhile: then the new one keeps the external id. */
const PET_BACK = sql`INSERT INTO pets
      (id, name, name_folded, category_id, status, external_id, was_offered, added_at) ${givenIds}
    SELECT pet_id, name, name_folded, category_id, status,
      CASE WHEN NOT EXISTS (SELECT 1 FROM pets AS other WHERE other.external_id = removed_pets.external_id)
        THEN external_id END,
      was_offered, added_at
    FROM removed_pets WHERE pet_id = $1 RETURNING ${PET.columns}`.as(PET);
const PROFILE_BACK = sql`INSERT INTO profiles (pet_id, public, private)
  SELECT pet_id, public, private FROM removed_pets WHERE pet_id = $1 AND public IS NOT NULL`;
const PHOTOS_BACK = sql`INSERT INTO photos (id, ${PHOTO_COLUMNS}) ${givenIds}
  SELECT photo_id, ${PHOTO_COLUMNS} FROM removed_photos WHERE pet_id = $1`;
const FORGET = sql`DELETE FROM removed_pets WHERE pet_id = $1`;
const EXPIRE = sql`DELETE FROM removed_pets WHERE pet_id IN (
    SELECT pet_id FROM removed_pets WHERE removed_at <= $1 ORDER BY removed_at LIMIT $2
  )`;

/** Animals that were removed, and can be brought back. */
export function createRemovedPetStorage(transactions: Transactions): RemovedPetStorage {
  return methodsOf<RemovedPetStorage>(transactions).writes({
    *restore(petId, stamp) {
      const removed = yield* REMOVED.one(petId, stamp.at - RESTORABLE_MS);
      if ((yield* LOCKED_PET.one(petId)) !== undefined) {
        throw new Failure('conflict', `The animal ${petId} is there: it was not removed.`);
      }
      if (removed === undefined) return undefined;
      const pet = yield* noted('pet.restored', stamp, null, PET_BACK, petId);
      for (const statement of [PROFILE_BACK, PHOTOS_BACK, FORGET]) yield* statement.run(petId);
      if (pet.status !== 'sold') yield* reopenStay(petId, stamp);
      yield* relist([petId], stamp.at);
      return pet;
    },
    removeExpired: (time, most) => EXPIRE.changes(time, most),
  });
}
