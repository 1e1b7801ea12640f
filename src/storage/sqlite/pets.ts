import type { Database } from 'bun:sqlite';
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
import type { Access } from './access.ts';
import type { History } from './history.ts';
import type { ImportBatch } from './import.ts';
import type { NameIndex } from './name-index.ts';
import { createNameSearch } from './name-search.ts';
import { type Bindable, conditionsAfter } from './pet-conditions.ts';
import type { PetRows } from './pet-rows.ts';

/** Below every id: the first page uses the same query as the others. */
const BEFORE_ALL = 0n;

/** The parts that store animals. */
export interface PetParts {
  readonly rows: PetRows;
  readonly history: History;
  readonly names: NameIndex;
  readonly importBatch: ImportBatch;
}

/** Animals in SQLite. */
export function createPetStorage(
  database: Database,
  { rows, history, names, importBatch }: PetParts,
  { read, write }: Access,
): PetStorage {
  const count = database.query<{ n: bigint }, []>('SELECT count(*) AS n FROM pets');
  const search = createNameSearch(database, names);

  const anyExternalId = database.query<{ id: bigint }, []>(
    'SELECT id FROM pets WHERE external_id IS NOT NULL LIMIT 1',
  );

  const findImported = database.query<Pet, [string]>(
    `SELECT ${PET_COLUMNS} FROM pets
     WHERE external_id IN (SELECT value FROM json_each(?)) ORDER BY id`,
  );

  function list({ nameFolded, ...filter }: PetFilter, page: PageRequest): Page<Pet> {
    if (nameFolded !== undefined) return search({ ...filter, nameFolded }, page);
    const { where, values } = conditionsAfter(page.afterId ?? BEFORE_ALL, filter);
    const sql = `SELECT ${PET_COLUMNS} FROM pets WHERE ${where} ORDER BY id LIMIT ?`;
    const found = database.query<Pet, Bindable[]>(sql).all(...values, page.limit + 1);
    return pageOf(found, page.limit);
  }

  function update(
    id: bigint,
    change: PetChange,
    stamp: ChangeStamp,
    precondition: Precondition<Pet>,
  ): Pet | undefined {
    const known = rows.find(id);
    if (known === undefined) return undefined;
    precondition(known);
    const pet = changedPet(known, change);
    rows.save(pet, known, stamp);
    return pet;
  }

  function removePet(id: bigint, stamp: ChangeStamp, precondition: Precondition<Pet>): boolean {
    const known = rows.find(id);
    if (known === undefined) return false;
    precondition(known);
    rows.remove(known, stamp);
    return true;
  }

  function exportPage(status: PetStatus | undefined, page: PageRequest): Page<ExportedPet> {
    const { where, values } = conditionsAfter(page.afterId ?? BEFORE_ALL, { status });
    const sql = `SELECT ${PET_COLUMNS}, external_id AS externalId FROM pets
      WHERE ${where} ORDER BY id LIMIT ?`;
    const found = database
      .query<Pet & { externalId: string | null }, Bindable[]>(sql)
      .all(...values, page.limit + 1)
      .map((row) => ({ ...row, externalId: row.externalId ?? undefined }));
    return pageOf(found, page.limit);
  }

  return {
    list: (filter, page) => read(() => list(filter, page)),
    find: (id) => read(() => rows.find(id)),
    create: (pet, stamp) => write(() => ({ id: rows.insert(pet, undefined, stamp), ...pet })),
    update: (id, change, stamp, precondition) =>
      write(() => update(id, change, stamp, precondition)),
    remove: (id, stamp, precondition) => write(() => removePet(id, stamp, precondition)),
    history: (id, page) =>
      read(() => (rows.find(id) === undefined ? undefined : history.page(id, page))),
    count: () => read(() => Number(count.get()?.n ?? 0n)),
    hasExternalIds: () => read(() => anyExternalId.get() !== null),
    findImported: (externalIds) => read(() => findImported.all(JSON.stringify(externalIds))),
    exportPage: (status, page) => read(() => exportPage(status, page)),
    importBatch: (batch, stamp, options) => write(() => importBatch(batch, stamp, options)),
  };
}
