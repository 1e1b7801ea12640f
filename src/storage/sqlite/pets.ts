import type { Database } from 'bun:sqlite';
import { INT64_MAX } from '../../domain/int64.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type { Pet, PetFilter, PetStorage } from '../../domain/pet.ts';
import {
  createPetRecords,
  type ImportBatch,
  PET_COLUMNS,
  type RecordWrites,
} from '../records/pets.ts';
import type { Transactions } from '../statements.ts';
import type { Access } from './access.ts';
import type { NameIndex } from './name-index.ts';
import { createNameSearch } from './name-search.ts';
import { type Bindable, conditionsAfter } from './pet-conditions.ts';
import type { PetRows } from './pet-rows.ts';

/** The parts that store animals. */
export interface PetParts {
  readonly rows: PetRows;
  readonly names: NameIndex;
  readonly writes: RecordWrites;
  readonly importBatch: ImportBatch;
}

/** Animals in SQLite. */
export function createPetStorage(
  database: Database,
  { rows, names, writes, importBatch }: PetParts,
  { read, search, write }: Access,
  transactions: Transactions,
): PetStorage {
  const byName = createNameSearch(database, names);

  function list(filter: PetFilter, page: PageRequest): Page<Pet> {
    const { isDescending = false } = page;
    // 0 is below every id: the first page uses the same query as the others.
    const afterId = page.afterId ?? (isDescending ? INT64_MAX : 0n);
    const { where, values } = conditionsAfter(afterId, filter, isDescending);
    const order = isDescending ? 'ORDER BY id DESC' : 'ORDER BY id';
    const sql = `SELECT ${PET_COLUMNS} FROM pets WHERE ${where} ${order} LIMIT +?`;
    const found = database.query<Pet, Bindable[]>(sql).all(...values, page.limit + 1);
    return pageOf(found, page.limit);
  }

  return {
    ...createPetRecords(transactions, writes, importBatch, transactions),
    list: ({ nameFolded, ...filter }, page) =>
      nameFolded === undefined
        ? read(() => list(filter, page))
        : search(() => byName({ ...filter, nameFolded }, page)),
    find: (id) => read(() => rows.find(id)),
    create: (pet, stamp) => write(() => ({ id: rows.insert(pet, undefined, stamp), ...pet })),
  };
}
