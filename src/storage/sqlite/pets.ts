import type { Database } from 'bun:sqlite';
import { foldCase } from '../../domain/name.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type {
  ExportedPet,
  NewPet,
  Pet,
  PetFilter,
  PetStatus,
  PetStorage,
} from '../../domain/pet.ts';
import { attempt } from './connection.ts';
import { createImporter } from './import.ts';

type Bindable = string | bigint | number;

/** The columns of a Pet under its member names, so that a row is a Pet. */
const PET = 'id, name, category_id AS categoryId, status';

/** Below every id, so that a first page needs no query of its own. */
const BEFORE_ALL = 0n;

/** Animals in SQLite. */
export function createPetStorage(database: Database): PetStorage {
  const find = database.query<Pet, [bigint]>(`SELECT ${PET} FROM pets WHERE id = ?`);
  const insert = database.query<{ id: bigint }, [string, string, bigint, PetStatus]>(
    'INSERT INTO pets (name, name_folded, category_id, status) VALUES (?, ?, ?, ?) RETURNING id',
  );
  const count = database.query<{ n: bigint }, []>('SELECT count(*) AS n FROM pets');

  const anyExternalId = database.query<{ id: bigint }, []>(
    'SELECT id FROM pets WHERE external_id IS NOT NULL LIMIT 1',
  );

  function list(filter: PetFilter, page: PageRequest): Page<Pet> {
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
    const sql = `SELECT ${PET} FROM pets WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT ?`;
    const rows = database.query<Pet, Bindable[]>(sql).all(...values, page.limit + 1);
    return pageOf(rows, page.limit);
  }

  function create(pet: NewPet): Pet {
    const row = insert.get(pet.name, foldCase(pet.name), pet.categoryId, pet.status);
    if (row === null) throw new Error('INSERT … RETURNING gave no row');
    return { id: row.id, name: pet.name, categoryId: pet.categoryId, status: pet.status };
  }

  function exportPage(status: PetStatus | undefined, page: PageRequest): Page<ExportedPet> {
    const values: Bindable[] = [page.afterId ?? BEFORE_ALL];
    if (status !== undefined) values.push(status);
    const sql = `SELECT ${PET}, external_id AS externalId FROM pets
      WHERE id > ?${status === undefined ? '' : ' AND status = ?'} ORDER BY id LIMIT ?`;
    const rows = database
      .query<Pet & { externalId: string | null }, Bindable[]>(sql)
      .all(...values, page.limit + 1)
      .map((row) => ({ ...row, externalId: row.externalId ?? undefined }));
    return pageOf(rows, page.limit);
  }

  const importBatch = createImporter(database);

  return {
    list: (filter, page) => attempt(() => list(filter, page)),
    find: (id) => attempt(() => find.get(id) ?? undefined),
    create: (pet) => attempt(() => create(pet)),
    count: () => attempt(() => Number(count.get()?.n ?? 0n)),
    hasExternalIds: () => attempt(() => anyExternalId.get() !== null),
    exportPage: (status, page) => attempt(() => exportPage(status, page)),
    importBatch: (batch, dryRun) => attempt(() => importBatch(batch, dryRun)),
  };
}
