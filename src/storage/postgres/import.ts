import type { Edit } from '../../domain/edit.ts';
import { foldCase } from '../../domain/name.ts';
import type { ImportedPet, ImportOutcome, NewPet, Pet } from '../../domain/pet.ts';
import { isSame, PET_COLUMNS } from '../pet-row.ts';
import type { Session } from './connection.ts';
import { noteStatuses } from './history.ts';
import { integerList, integers, records, texts } from './json.ts';

/** Stands for the id of a category that a dry run would create: no category has it. */
const NOT_YET = 0n;

interface CreatedPet extends NewPet {
  readonly externalId: string | undefined;
}

/** What a batch comes to, before anything of it is written. */
interface Plan {
  readonly created: CreatedPet[];
  readonly changed: Pet[];
  /** Those of the changed ones that have another status. */
  readonly moved: Pet[];
  readonly held: string[];
  unchanged: number;
}

/** Takes a batch of animals inside a transaction, in a few statements however long it is. */
export async function importBatch(
  session: Session,
  batch: readonly ImportedPet[],
  edit: Edit,
  dryRun: boolean,
): Promise<ImportOutcome> {
  const categories = await takeCategories(session, batch, dryRun);
  const animals = batch.map(({ name, category, status, externalId }) => {
    const given = 'id' in category ? category.id : categories.ids.get(foldCase(category.name));
    return { name, categoryId: given ?? NOT_YET, status, externalId };
  });
  const plan = await planOf(session, animals, dryRun);
  if (!dryRun) {
    await insertAll(session, plan.created, edit);
    await updateAll(session, plan.changed, plan.moved, edit);
  }
  return {
    created: plan.created.length,
    changed: plan.changed.length,
    unchanged: plan.unchanged,
    categoriesCreated: categories.created,
    held: plan.held,
  };
}

/** The ids of the categories that a batch names, by folded name; creates those that are new. */
async function takeCategories(
  session: Session,
  batch: readonly ImportedPet[],
  dryRun: boolean,
): Promise<{ readonly ids: ReadonlyMap<string, bigint>; readonly created: readonly string[] }> {
  const named = new Map<string, string>();
  for (const { category } of batch) {
    if ('id' in category) continue;
    const folded = foldCase(category.name);
    if (!named.has(folded)) named.set(folded, category.name);
  }
  if (named.size === 0) return { ids: new Map(), created: [] };
  const known = await session.query<{ id: bigint; name_folded: string }>(
    `SELECT id, name_folded FROM categories WHERE name_folded IN (${texts('$1')})`,
    JSON.stringify([...named.keys()]),
  );
  const ids = new Map(known.map((row) => [row.name_folded, row.id]));
  const missing = [...named].filter(([folded]) => !ids.has(folded));
  if (!dryRun && missing.length > 0) {
    const rows = missing.map(([folded, name], n) => ({ n, name, folded }));
    const inserted = await session.query<{ id: bigint; name_folded: string }>(
      `INSERT INTO categories (name, name_folded)
       SELECT name, folded FROM ${records('$1', 'n int, name text, folded text')} ORDER BY n
       RETURNING id, name_folded`,
      JSON.stringify(rows),
    );
    for (const row of inserted) ids.set(row.name_folded, row.id);
  }
  return { ids, created: missing.map(([, name]) => name) };
}

async function planOf(
  session: Session,
  animals: readonly CreatedPet[],
  dryRun: boolean,
): Promise<Plan> {
  const known = await findKnown(session, animals, dryRun);
  const open = await findHeld(session, [...known.values()]);
  const plan: Plan = { created: [], changed: [], moved: [], held: [], unchanged: 0 };
  for (const animal of animals) {
    const before = animal.externalId === undefined ? undefined : known.get(animal.externalId);
    if (before === undefined) {
      plan.created.push(animal);
    } else if (isSame(animal, before)) {
      plan.unchanged++;
    } else if (animal.status !== before.status && open.has(before.id)) {
      plan.held.push(animal.externalId ?? '');
    } else {
      const { name, categoryId, status } = animal;
      const pet = { id: before.id, name, categoryId, status };
      plan.changed.push(pet);
      if (status !== before.status) plan.moved.push(pet);
    }
  }
  return plan;
}

/** The animals of earlier imports, by external id; locked in one order unless in a dry run. */
async function findKnown(
  session: Session,
  animals: readonly CreatedPet[],
  dryRun: boolean,
): Promise<ReadonlyMap<string, Pet>> {
  const externalIds = animals.flatMap(({ externalId }) => externalId ?? []);
  if (externalIds.length === 0) return new Map();
  const rows = await session.query<Pet & { externalId: string }>(
    `SELECT ${PET_COLUMNS}, external_id AS "externalId" FROM pets
     WHERE external_id IN (${texts('$1')}) ORDER BY id ${dryRun ? '' : 'FOR UPDATE'}`,
    JSON.stringify(externalIds),
  );
  return new Map(rows.map(({ externalId, ...pet }) => [externalId, pet]));
}

/** Which of these animals an open order holds. */
async function findHeld(session: Session, pets: readonly Pet[]): Promise<ReadonlySet<bigint>> {
  if (pets.length === 0) return new Set();
  const rows = await session.query<{ id: bigint }>(
    `SELECT pet_id AS id FROM orders WHERE status IN ('placed', 'approved')
     AND pet_id = ANY(${integers('$1')})`,
    integerList(pets.map(({ id }) => id)),
  );
  return new Set(rows.map(({ id }) => id));
}

async function insertAll(session: Session, pets: readonly CreatedPet[], edit: Edit): Promise<void> {
  if (pets.length === 0) return;
  const rows = pets.map(({ name, categoryId, status, externalId }, n) => {
    const category = String(categoryId);
    return { n, name, folded: foldCase(name), category, status, external: externalId };
  });
  const columns = 'n int, name text, folded text, category bigint, status text, external text';
  await session.run(
    `INSERT INTO pets
       (name, name_folded, category_id, status, external_id, first_status, added_at, added_by)
     SELECT name, folded, category, status, external, status, $2, $3
     FROM ${records('$1', columns)} ORDER BY n`,
    JSON.stringify(rows),
    BigInt(edit.at),
    edit.keyId,
  );
}

async function updateAll(
  session: Session,
  changed: readonly Pet[],
  moved: readonly Pet[],
  edit: Edit,
): Promise<void> {
  if (changed.length === 0) return;
  const rows = changed.map(({ id, name, categoryId, status }) => {
    const category = String(categoryId);
    return { id: String(id), name, folded: foldCase(name), category, status };
  });
  const columns = 'id bigint, name text, folded text, category bigint, status text';
  await session.run(
    `UPDATE pets SET name = given.name, name_folded = given.folded,
       category_id = given.category, status = given.status
     FROM ${records('$1', columns)} WHERE pets.id = given.id`,
    JSON.stringify(rows),
  );
  await noteStatuses(session, moved, edit);
}
