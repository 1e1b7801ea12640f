import { DAY_MS } from '../../domain/clock.ts';
import { foldCase } from '../../domain/name.ts';
import type { Pet } from '../../domain/pet.ts';
import { EMPTY_PROFILE, type Profile } from '../../domain/profile.ts';
import {
  all,
  forUpdate,
  givenInOrder,
  integerList,
  isIn,
  isTextIn,
  type Query,
  query,
  run,
  runForRows,
  sql,
  type Work,
} from '../statements.ts';
import { INSERT_CATEGORY } from './categories.ts';
import { changeIn, petIn, planImport } from './import-plan.ts';
import { type ImportBatch, ORDER_IS_OPEN, PET_COLUMNS, type RecordWrites } from './pets.ts';
import { profilesOf, saveProfiles } from './profiles.ts';

const CATEGORIES = query(
  (row: { readonly id: bigint; readonly name: string }) => [row.name, row.id] as const,
  sql`SELECT id, name_folded AS name FROM categories WHERE name_folded ${isTextIn('$1')}`,
);
const importedOf = ({ externalId, ...pet }: Pet & { readonly externalId: string }) =>
  [externalId, pet] as const;
const IMPORTED = sql`SELECT ${PET_COLUMNS}, external_id AS "externalId" FROM pets
  WHERE external_id ${isTextIn('$1')} ORDER BY id`;
const PETS = query(importedOf, IMPORTED);
/** In a fixed order, so that two imports at once cannot deadlock. */
const LOCKED_PETS = query(importedOf, sql`${IMPORTED} ${forUpdate}`);
const FINGERPRINTS = query(
  (row: { readonly external_id: string; readonly fingerprint: string }) =>
    [row.external_id, row.fingerprint] as const,
  sql`SELECT external_id, fingerprint FROM imported_rows WHERE external_id ${isTextIn('$1')}`,
);
const HELD = query(
  ({ id }: { readonly id: bigint }) => id,
  sql`SELECT pet_id AS id FROM orders WHERE ${ORDER_IS_OPEN} AND pet_id ${isIn('$1')}`,
);
const REMEMBER = sql`INSERT INTO imported_rows (external_id, fingerprint)
  ${givenInOrder('external_id text, fingerprint text', 'external_id')}
  ON CONFLICT (external_id) DO UPDATE SET fingerprint = excluded.fingerprint, removed_at = NULL`;
/** A row that files still have, although its animal is gone, is not forgotten. Once a day says enough. */
const SEEN_AGAIN = sql`UPDATE imported_rows SET removed_at = CAST($2 AS bigint) WHERE external_id IN (
    SELECT external_id FROM imported_rows
    WHERE external_id ${isTextIn('$1')} AND coalesce(removed_at, 0) < $2 - ${DAY_MS}
    ORDER BY external_id ${forUpdate}
  )`;

/** Returns the import of a batch. The number of its statements does not depend on its rows, but on its new categories. */
export function createImportBatch(writes: RecordWrites): ImportBatch {
  return function* (batch, stamp, options = {}) {
    const names = batch.flatMap(({ category }) =>
      'name' in category ? foldCase(category.name) : [],
    );
    const ids = new Map(yield* found(CATEGORIES, new Set(names)));
    const externalIds = batch.flatMap(({ externalId }) => externalId ?? []);
    const known = new Map(yield* found(options.dryRun ? PETS : LOCKED_PETS, externalIds));
    const fingerprints = new Map(yield* found(FINGERPRINTS, externalIds));
    const petIds = [...known.values()].map(({ id }) => id);
    const hasProfiles = petIds.length > 0 && batch.some(({ profile }) => profile !== undefined);
    const profiles = hasProfiles ? yield* profilesOf(petIds) : new Map<bigint, Profile>();
    const held = new Set(petIds.length === 0 ? [] : yield* all(HELD, integerList(petIds)));
    const { created, remembered, outcome } = planImport(
      batch,
      {
        categoryId: (folded) => ids.get(folded),
        pet: (externalId) => known.get(externalId),
        fingerprint: (externalId) => fingerprints.get(externalId),
        profile: (petId) => profiles.get(petId) ?? EMPTY_PROFILE,
        isHeld: (petId) => held.has(petId),
      },
      options,
    );
    if (options.dryRun) return outcome;

    for (const name of outcome.categoriesCreated) {
      const folded = foldCase(name);
      const { id } = yield* writes.noted(
        ...(['category.created', stamp, null] as const),
        ...[INSERT_CATEGORY, name, folded],
      );
      ids.set(folded, id);
    }
    const additions = created.map((row) => ({
      pet: petIn(ids, row),
      externalId: row.externalId,
      stamp,
    }));
    const addedIds = additions.length > 0 ? yield* writes.addAll(additions) : [];
    const updates = outcome.changes
      .filter(({ isPetChanged }) => isPetChanged)
      .map(({ before, row }) => ({ before, pet: { id: before.id, ...petIn(ids, row) } }));
    if (updates.length > 0) yield* writes.saveAll(updates, stamp);
    const profileUpdates = [
      ...addedIds.map((petId, n) => ({
        petId,
        change: changeIn(created[n]?.profile, EMPTY_PROFILE),
      })),
      ...outcome.changes.map(({ before, profile }) => ({ petId: before.id, change: profile })),
    ].filter(({ change }) => Object.keys(change).length > 0);
    if (profileUpdates.length > 0) yield* saveProfiles(writes, profileUpdates, stamp);
    if (remembered.length > 0) yield* runForRows(REMEMBER, remembered);
    if (outcome.removed > 0) {
      const present = new Set([...known.keys(), ...created.map(({ externalId }) => externalId)]);
      const removed = externalIds.filter((id) => !present.has(id));
      yield* run(SEEN_AGAIN, JSON.stringify(removed), stamp.at);
    }
    return outcome;
  };
}

function* found<Result>(statement: Query<Result>, texts: Iterable<string>): Work<Result[]> {
  const list = [...texts];
  return list.length === 0 ? [] : yield* all(statement, JSON.stringify(list));
}
