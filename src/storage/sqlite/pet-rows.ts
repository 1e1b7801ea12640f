import type { Database } from 'bun:sqlite';
import { WITHOUT_PLACE } from '../../domain/animal.ts';
import { animalWords } from '../../domain/animal-words.ts';
import { changedPetText } from '../../domain/audit.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { foldName } from '../../domain/name.ts';
import type { NewPet, Pet, PetStatus } from '../../domain/pet.ts';
import { EMPTY_PROFILE } from '../../domain/profile.ts';
import { PET_COLUMNS } from '../records/pet-lists.ts';
import type { EngineWrites, PetUpdate } from '../records/pets.ts';
import { firstStay } from '../records/stay-rows.ts';
import { EngineStep } from '../statements.ts';
import type { NoteChange } from './change-writer.ts';

/**
 * The rows of animals in SQLite, inside a transaction. Only this module adds and changes them, so that an animal, its folded
 * name and the change log always agree.
 */
export function createPetRows(database: Database, noteChange: NoteChange) {
  const byId = database.query<Pet, [bigint]>(`SELECT ${PET_COLUMNS} FROM pets WHERE id = ?`);
  // No RETURNING, which costs a third more: the result holds the id anyway.
  const insertPet = database.query<
    null,
    [string, string, bigint, PetStatus, string | null, number]
  >(
    `INSERT INTO pets (name, name_folded, category_id, status, external_id, was_offered, added_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?4 <> 'sold', ?6)`,
  );
  const update = database.query<null, [string, string, bigint, PetStatus, bigint]>(
    `UPDATE pets SET name = ?1, name_folded = ?2, category_id = ?3, status = ?4,
       was_offered = max(was_offered, ?4 <> 'sold')
     WHERE id = ?5`,
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

  function insert(pet: NewPet, externalId: string | undefined, stamp: ChangeStamp): bigint {
    const { name, categoryId, status } = pet;
    const { at } = stamp;
    const folded = foldName(name);
    const added = insertPet.run(name, folded, categoryId, status, externalId ?? null, at);
    // The types do not know that a connection with safe integers gives a bigint here.
    const id = BigInt(added.lastInsertRowid);
    const { day, outcome, state, profile } = firstStay(pet, at);
    insertStay.run(id, day, outcome && day, outcome);
    insertProfile.run(id, profile);
    const words = animalWords({ id, name }, EMPTY_PROFILE, externalId ?? null);
    insertAnimal.run(id, state, status, categoryId, day, folded, WITHOUT_PLACE, words);
    noteChange({ type: 'pet.created', pet: { id, name, categoryId, status } }, stamp);
    return id;
  }

  function save({ before, pet }: PetUpdate, stamp: ChangeStamp): void {
    const { id, name, categoryId, status } = pet;
    update.run(name, foldName(name), categoryId, status, id);
    noteChange({ type: 'pet.updated', pet }, stamp, changedPetText(before, pet));
  }

  const writes: Omit<EngineWrites, 'noted' | 'noteAudit'> = {
    addAll: (additions) =>
      new EngineStep(() =>
        additions.map(({ pet, externalId, stamp }) => insert(pet, externalId, stamp)),
      ),
    saveAll: (updates, stamp) =>
      new EngineStep(() => {
        for (const each of updates) save(each, stamp);
      }),
    noteParts: (type, parts, stamp) =>
      new EngineStep(() => {
        for (const { changed, isPrivate = false, ...part } of parts) {
          noteChange({ type, part, isPrivate }, stamp, changed);
        }
      }),
  };

  return { find: (id: bigint): Pet | undefined => byId.get(id) ?? undefined, insert, writes };
}
