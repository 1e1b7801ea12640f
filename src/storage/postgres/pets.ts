import type { PetStorage } from '../../domain/pet.ts';
import { createPetRecords, type ImportBatch, petList } from '../records/pets.ts';
import type { Transactions } from '../statements.ts';
import { searchByName } from './name-search.ts';
import { findPets, insertPets, WRITES } from './pet-rows.ts';
import { createTransactions } from './transactions.ts';
import type { Access } from './writer.ts';

/** Animals in PostgreSQL. */
export function createPetStorage(
  access: Access,
  transactions: Transactions,
  importBatch: ImportBatch,
): PetStorage {
  const { writeLong } = access;
  const find = access.readTogether(findPets);
  const add = access.writeTogether(insertPets);
  const long = createTransactions({ read: writeLong, write: writeLong });
  return {
    ...createPetRecords(transactions, WRITES, importBatch, long),
    list: ({ nameFolded, ...filter }, page) =>
      nameFolded === undefined
        ? transactions.read(() => petList(filter, page))
        : access.read((session) => searchByName(session, { ...filter, nameFolded }, page)),
    find,
    create: (pet, stamp) => add({ pet, stamp }),
  };
}
