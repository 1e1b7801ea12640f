import type { Database } from 'bun:sqlite';
import { WITHOUT_PLACE } from '../../domain/animal.ts';
import { animalWords } from '../../domain/animal-words.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { foldName } from '../../domain/name.ts';
import type { NewPet, Pet, PetStatus } from '../../domain/pet.ts';
import { EMPTY_PROFILE } from '../../domain/profile.ts';
import { PET_COLUMNS } from '../records/pet-rows.ts';
import { firstStay } from '../records/stay-rows.ts';

/** Reads and adds animals in SQLite, without the cost of work that is written once for both engines. */
export function createPetRows(database: Database) {
  const byId = database.query<Pet, [bigint]>(`SELECT ${PET_COLUMNS} FROM pets WHERE id = ?`);
  // No RETURNING, which costs a third more: the result holds the id anyway.
  const insertPet = database.query<
    null,
    [string, string, bigint, PetStatus, string | null, number]
  >(
    `INSERT INTO pets (name, name_folded, category_id, status, external_id, was_offered, added_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?4 <> 'sold', ?6)`,
  );
  const insertStay = database.query<null, [bigint, string, string | null, string | null]>(
    'INSERT INTO stays (pet_id, intake_date, outcome_date, outcome_type) VALUES (?, ?, ?, ?)',
  );
  const insertProfile = database.query<null, [bigint, string]>(
    "INSERT INTO profiles (pet_id, public, private) VALUES (?, ?, '{}')",
  );
  const insertAnimal = database.query<
    null,
    [bigint, string, string, bigint, string, string, string, string]
  >(
    `INSERT INTO animals (pet_id, state, status, category_id, published, since, name, location, words)
     VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?)`,
  );

  const insertChange = database.query<
    null,
    [number, bigint | null, bigint | null, bigint, string, bigint, string]
  >(
    `INSERT INTO changes (type, at, key_id, import_id, record_id, name, category_id, status)
     VALUES ('pet.created', ?, ?, ?, ?, ?, ?, ?)`,
  );

  function insert(pet: NewPet, externalId: string | undefined, stamp: ChangeStamp): bigint {
    const { name, categoryId, status } = pet;
    const { at, keyId, importId = null } = stamp;
    const folded = foldName(name);
    const added = insertPet.run(name, folded, categoryId, status, externalId ?? null, at);
    // The types do not know that a connection with safe integers gives a bigint here.
    const id = BigInt(added.lastInsertRowid);
    const { day, outcome, state, profile } = firstStay(pet, at);
    insertStay.run(id, day, outcome && day, outcome);
    insertProfile.run(id, profile);
    const words = animalWords({ id, name }, EMPTY_PROFILE, externalId ?? null);
    insertAnimal.run(id, state, status, categoryId, day, folded, WITHOUT_PLACE, words);
    insertChange.run(at, keyId, importId, id, name, categoryId, status);
    return id;
  }

  return { find: (id: bigint): Pet | undefined => byId.get(id) ?? undefined, insert };
}
