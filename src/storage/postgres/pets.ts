import type { ChangeStamp, Precondition } from '../../domain/change-stamp.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import {
  changedPet,
  type ExportedPet,
  type Pet,
  type PetChange,
  type PetFilter,
  type PetStatus,
  type PetStorage,
} from '../../domain/pet.ts';
import { PET_COLUMNS } from '../rows/pet.ts';
import type { Session } from './connection.ts';
import { historyPage } from './history.ts';
import { findImported, importBatch } from './import.ts';
import { searchByName } from './name-search.ts';
import { petConditions } from './pet-conditions.ts';
import { findPets, insertPets, lockPet, removePet, savePet } from './pet-rows.ts';
import type { Access } from './writer.ts';

/** Animals in PostgreSQL. */
export function createPetStorage(access: Access): PetStorage {
  const { read, write, writeLong } = access;
  const find = access.readTogether(findPets);
  const add = access.writeTogether(insertPets);
  return {
    list: (filter, page) => read((session) => list(session, filter, page)),
    find,
    create: (pet, stamp) => add({ pet, stamp }),
    update: (id, change, stamp, precondition) =>
      write((session) => update(session, id, change, stamp, precondition)),
    remove: (id, stamp, precondition) =>
      write((session) => remove(session, id, stamp, precondition)),
    history: (id, page) => read((session) => historyPage(session, id, page)),
    // Reads the whole table, for commands.
    count: () => writeLong(count),
    hasExternalIds: () => writeLong(hasExternalIds),
    findImported: (externalIds) => read((session) => findImported(session, externalIds)),
    exportPage: (status, page) => read((session) => exportPage(session, status, page)),
    importBatch: (batch, stamp, options) =>
      writeLong((session) => importBatch(session, batch, stamp, options)),
  };
}

async function list(
  session: Session,
  { nameFolded, ...filter }: PetFilter,
  page: PageRequest,
): Promise<Page<Pet>> {
  if (nameFolded !== undefined) return searchByName(session, { ...filter, nameFolded }, page);
  const { where, values, next } = petConditions(page.afterId, filter);
  const found = await session.query<Pet>(
    `SELECT ${PET_COLUMNS} FROM pets WHERE ${where} ORDER BY id LIMIT ${next}`,
    ...values,
    page.limit + 1,
  );
  return pageOf(found, page.limit);
}

async function update(
  session: Session,
  id: bigint,
  change: PetChange,
  stamp: ChangeStamp,
  precondition: Precondition<Pet>,
): Promise<Pet | undefined> {
  const known = await lockPet(session, id);
  if (known === undefined) return undefined;
  precondition(known);
  const pet = changedPet(known, change);
  await savePet(session, pet, known, stamp);
  return pet;
}

async function remove(
  session: Session,
  id: bigint,
  stamp: ChangeStamp,
  precondition: Precondition<Pet>,
): Promise<boolean> {
  const known = await lockPet(session, id);
  if (known === undefined) return false;
  precondition(known);
  await removePet(session, id, stamp);
  return true;
}

async function count(session: Session): Promise<number> {
  const [row] = await session.query<{ n: bigint }>('SELECT count(*) AS n FROM pets');
  return Number(row?.n ?? 0n);
}

async function hasExternalIds(session: Session): Promise<boolean> {
  const found = await session.query('SELECT id FROM pets WHERE external_id IS NOT NULL LIMIT 1');
  return found.length > 0;
}

async function exportPage(
  session: Session,
  status: PetStatus | undefined,
  page: PageRequest,
): Promise<Page<ExportedPet>> {
  const { where, values, next } = petConditions(page.afterId, { status });
  const found = await session.query<Pet & { externalId: string | null }>(
    `SELECT ${PET_COLUMNS}, external_id AS "externalId" FROM pets
     WHERE ${where} ORDER BY id LIMIT ${next}`,
    ...values,
    page.limit + 1,
  );
  const pets = found.map((row) => ({ ...row, externalId: row.externalId ?? undefined }));
  return pageOf(pets, page.limit);
}
