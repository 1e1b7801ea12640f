import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { foldCase } from '../../domain/name.ts';
import type { BatchOptions, ImportedPet, ImportOutcome, Pet } from '../../domain/pet.ts';
import { petIn, planImport, type RememberedRow } from '../import-plan.ts';
import { PET_COLUMNS } from '../rows/pet.ts';
import { noting, stampValues } from './change-notes.ts';
import type { Session } from './connection.ts';
import { records, texts } from './json.ts';
import { findHeld, insertPets, savePets } from './pet-rows.ts';

/** Imports a batch of animals inside a transaction, in a fixed number of statements. */
export async function importBatch(
  session: Session,
  batch: readonly ImportedPet[],
  stamp: ChangeStamp,
  options: BatchOptions = {},
): Promise<ImportOutcome> {
  const ids = await findCategories(session, batch);
  const externalIds = batch.flatMap(({ externalId }) => externalId ?? []);
  const known = await findKnown(session, externalIds, options.dryRun ?? false);
  const fingerprints = await findFingerprints(session, externalIds);
  const held = await findHeld(
    session,
    [...known.values()].map(({ id }) => id),
  );
  const { created, remembered, outcome } = planImport(
    batch,
    {
      categoryId: (folded) => ids.get(folded),
      pet: (externalId) => known.get(externalId),
      fingerprint: (externalId) => fingerprints.get(externalId),
      isHeld: (petId) => held.has(petId),
    },
    options,
  );
  if (options.dryRun) return outcome;

  await createCategories(session, outcome.categoriesCreated, stamp, ids);
  await insertPets(
    session,
    created.map((row) => ({ pet: petIn(ids, row), externalId: row.externalId, stamp })),
  );
  const changes = outcome.changes.map(({ before, row }) => ({
    before,
    pet: { id: before.id, ...petIn(ids, row) },
  }));
  await savePets(session, changes, stamp);
  await remember(session, remembered);
  return outcome;
}

/** Finds the existing categories that a batch names; returns their ids by folded name. */
async function findCategories(
  session: Session,
  batch: readonly ImportedPet[],
): Promise<Map<string, bigint>> {
  const named = new Set<string>();
  for (const { category } of batch) if ('name' in category) named.add(foldCase(category.name));
  if (named.size === 0) return new Map();
  const known = await session.query<{ id: bigint; name_folded: string }>(
    `SELECT id, name_folded FROM categories WHERE name_folded IN (${texts('$1')})`,
    JSON.stringify([...named]),
  );
  return new Map(known.map((row) => [row.name_folded, row.id]));
}

/** Creates categories in order, and adds them to `ids`. */
async function createCategories(
  session: Session,
  names: readonly string[],
  stamp: ChangeStamp,
  ids: Map<string, bigint>,
): Promise<void> {
  if (names.length === 0) return;
  const rows = names.map((name, n) => ({ n, name, folded: foldCase(name) }));
  const inserted = await session.query<{ id: bigint; name_folded: string }>(
    noting(
      'category.created',
      1,
      `INSERT INTO categories (name, name_folded)
       SELECT name, folded FROM ${records('$1', 'n int, name text, folded text')} ORDER BY n
       RETURNING id, name, name_folded`,
    ),
    JSON.stringify(rows),
    ...stampValues(stamp),
  );
  for (const row of inserted) ids.set(row.name_folded, row.id);
}

/** Finds animals of earlier imports by external id. Locks them in a fixed order, except in a dry run. */
async function findKnown(
  session: Session,
  externalIds: readonly string[],
  dryRun: boolean,
): Promise<ReadonlyMap<string, Pet>> {
  if (externalIds.length === 0) return new Map();
  const rows = await session.query<Pet & { externalId: string }>(
    `SELECT ${PET_COLUMNS}, external_id AS "externalId" FROM pets
     WHERE external_id IN (${texts('$1')}) ORDER BY id ${dryRun ? '' : 'FOR UPDATE'}`,
    JSON.stringify(externalIds),
  );
  return new Map(rows.map(({ externalId, ...pet }) => [externalId, pet]));
}

/** The animals that imports added under these external ids, ascending by id. */
export async function findImported(
  session: Session,
  externalIds: readonly string[],
): Promise<readonly Pet[]> {
  return await session.query<Pet>(
    `SELECT ${PET_COLUMNS} FROM pets WHERE external_id IN (${texts('$1')}) ORDER BY id`,
    JSON.stringify(externalIds),
  );
}

/** Finds the fingerprints of rows of earlier imports, by external id. */
async function findFingerprints(
  session: Session,
  externalIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (externalIds.length === 0) return new Map();
  const rows = await session.query<{ external_id: string; fingerprint: string }>(
    `SELECT external_id, fingerprint FROM imported_rows WHERE external_id IN (${texts('$1')})`,
    JSON.stringify(externalIds),
  );
  return new Map(rows.map((row) => [row.external_id, row.fingerprint]));
}

/** Sorted, so that two imports at once cannot deadlock. */
async function remember(session: Session, rows: readonly RememberedRow[]): Promise<void> {
  if (rows.length === 0) return;
  await session.run(
    `INSERT INTO imported_rows (external_id, fingerprint)
     SELECT "externalId", fingerprint
     FROM ${records('$1', '"externalId" text, fingerprint text')} ORDER BY "externalId"
     ON CONFLICT (external_id) DO UPDATE SET fingerprint = excluded.fingerprint`,
    JSON.stringify(rows),
  );
}
