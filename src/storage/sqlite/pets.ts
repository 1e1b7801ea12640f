import type { Database } from 'bun:sqlite';
import type { Edit, Precondition } from '../../domain/edit.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type {
  ExportedPet,
  Pet,
  PetChange,
  PetFilter,
  PetStatus,
  PetStorage,
} from '../../domain/pet.ts';
import { PET_COLUMNS } from '../pet-row.ts';
import { attempt } from './connection.ts';
import type { History } from './history.ts';
import { createImporter } from './import.ts';
import type { PetRows } from './pet-rows.ts';
import type { Write } from './writer.ts';

type Bindable = string | bigint | number;

/** Below every id, so that a first page needs no query of its own. */
const BEFORE_ALL = 0n;

/** Animals in SQLite. */
export function createPetStorage(
  database: Database,
  rows: PetRows,
  history: History,
  write: Write,
): PetStorage {
  const count = database.query<{ n: bigint }, []>('SELECT count(*) AS n FROM pets');
  const remove = database.query<null, [bigint]>('DELETE FROM pets WHERE id = ?');
  const importBatch = createImporter(database, rows);

  const anyExternalId = database.query<{ id: bigint }, []>(
    'SELECT id FROM pets WHERE external_id IS NOT NULL LIMIT 1',
  );

  function list(filter: PetFilter, page: PageRequest): Page<Pet> {
    const { where, values } = conditionsOf(filter, page);
    const sql = `SELECT ${PET_COLUMNS} FROM pets WHERE ${where} ORDER BY id LIMIT ?`;
    const found = database.query<Pet, Bindable[]>(sql).all(...values, page.limit + 1);
    return pageOf(found, page.limit);
  }

  function update(
    id: bigint,
    change: PetChange,
    edit: Edit,
    precondition: Precondition<Pet>,
  ): Pet | undefined {
    const known = rows.find(id);
    if (known === undefined) return undefined;
    precondition(known);
    const pet = {
      id,
      name: change.name ?? known.name,
      categoryId: change.categoryId ?? known.categoryId,
      status: change.status ?? known.status,
    };
    rows.save(pet, known, edit);
    return pet;
  }

  function removePet(id: bigint, precondition: Precondition<Pet>): boolean {
    const known = rows.find(id);
    if (known === undefined) return false;
    precondition(known);
    rows.requireFree(id);
    remove.run(id);
    return true;
  }

  function exportPage(status: PetStatus | undefined, page: PageRequest): Page<ExportedPet> {
    const { where, values } = conditionsOf({ status }, page);
    const sql = `SELECT ${PET_COLUMNS}, external_id AS externalId FROM pets
      WHERE ${where} ORDER BY id LIMIT ?`;
    const found = database
      .query<Pet & { externalId: string | null }, Bindable[]>(sql)
      .all(...values, page.limit + 1)
      .map((row) => ({ ...row, externalId: row.externalId ?? undefined }));
    return pageOf(found, page.limit);
  }

  return {
    list: (filter, page) => attempt(() => list(filter, page)),
    find: (id) => attempt(() => rows.find(id)),
    create: (pet, edit) => write(() => ({ id: rows.insert(pet, undefined, edit), ...pet })),
    update: (id, change, edit, precondition) => write(() => update(id, change, edit, precondition)),
    remove: (id, precondition) => write(() => removePet(id, precondition)),
    history: (id, page) =>
      attempt(() => (rows.find(id) === undefined ? undefined : history.page(id, page))),
    count: () => attempt(() => Number(count.get()?.n ?? 0n)),
    hasExternalIds: () => attempt(() => anyExternalId.get() !== null),
    exportPage: (status, page) => attempt(() => exportPage(status, page)),
    importBatch: (batch, edit, dryRun) => write(() => importBatch(batch, edit, dryRun)),
  };
}

/** The condition of a page of a list, and its values. */
function conditionsOf(
  filter: PetFilter,
  page: PageRequest,
): { readonly where: string; readonly values: Bindable[] } {
  const conditions = ['id > ?'];
  const values: Bindable[] = [page.afterId ?? BEFORE_ALL];
  if (filter.status !== undefined) {
    conditions.push('status = ?');
    values.push(filter.status);
  }
  if (filter.categoryId !== undefined) {
    conditions.push('category_id = ?');
    values.push(filter.categoryId);
  }
  if (filter.ids !== undefined) {
    conditions.push('id IN (SELECT value FROM json_each(?))');
    values.push(`[${filter.ids.join(',')}]`);
  }
  if (filter.nameFolded !== undefined) {
    conditions.push('instr(name_folded, ?) > 0');
    values.push(filter.nameFolded);
  }
  return { where: conditions.join(' AND '), values };
}
