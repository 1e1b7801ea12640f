import { DAY_MS } from '../../domain/clock.ts';
import { foldCase } from '../../domain/name.ts';
import type {
  BatchOptions,
  ImportedChange,
  ImportedPet,
  ImportOutcome,
  NewPet,
  Pet,
} from '../../domain/pet.ts';
import {
  EMPTY_PROFILE,
  PROFILE_FIELD_NAMES,
  type Profile,
  type ProfileChange,
} from '../../domain/profile.ts';
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
import { fingerprintOf, HALF } from './import-fingerprint.ts';
import { PET_COLUMNS } from './pet-lists.ts';
import { type ImportBatch, ORDER_IS_OPEN, type RecordWrites } from './pets.ts';
import { profilesOf, saveProfiles } from './profiles.ts';
import { leave, replaceStays } from './stays.ts';

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
/** An animal that is added again has no photos. */
const FORGET_PHOTOS = sql`UPDATE imported_rows SET photos = NULL
  WHERE photos IS NOT NULL AND external_id ${isTextIn('$1')}`;
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
    const idOf = ({ externalId }: ImportedPet) => known.get(externalId ?? '')?.id;
    if (options.dryRun) return { ...outcome, ids: batch.map(idOf) };
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
      .filter(({ isPetChanged, row }) => isPetChanged && row.outcome === undefined)
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
    for (const [n, id] of addedIds.entries()) {
      yield* replaceStays(writes, id, created[n]?.stays ?? [], stamp);
    }
    const leaving = outcome.changes.filter(({ row }) => row.outcome !== undefined);
    for (const { before, row } of leaving) yield* leave(writes, before, row.outcome, stamp);
    if (remembered.length > 0) yield* runForRows(REMEMBER, remembered);
    const again = created.flatMap(({ externalId = '' }) =>
      fingerprints.has(externalId) ? externalId : [],
    );
    if (again.length > 0) yield* run(FORGET_PHOTOS, JSON.stringify(again));
    if (outcome.removed > 0) {
      const added = new Set(created.map(({ externalId }) => externalId));
      const removed = externalIds.filter((id) => !known.has(id) && !added.has(id));
      yield* run(SEEN_AGAIN, JSON.stringify(removed), stamp.at);
    }
    const added = new Map(created.map((row, n) => [row, addedIds[n]]));
    return { ...outcome, ids: batch.map((row) => added.get(row) ?? idOf(row)) };
  };
}

function* found<Result>(statement: Query<Result>, texts: Iterable<string>): Work<Result[]> {
  const list = [...texts];
  return list.length === 0 ? [] : yield* all(statement, JSON.stringify(list));
}

/** The queries of a plan, in the transaction that carries it out. */
interface ImportLookup {
  /** The category with this folded name. */
  categoryId(folded: string): bigint | undefined;
  /** The animal imported from the row with this external id, if it still exists. */
  pet(externalId: string): Pet | undefined;
  /** The fingerprint of the row with this external id when it was last imported. */
  fingerprint(externalId: string): string | undefined;
  profile(petId: bigint): Profile;
  /** True while an open order holds the animal. */
  isHeld(petId: bigint): boolean;
}

/** A row that a later import will recognise. */
interface RememberedRow {
  readonly externalId: string;
  readonly fingerprint: string;
}

/** The effect of a batch, computed before anything is written. */
interface ImportPlan {
  readonly created: readonly ImportedPet[];
  readonly remembered: readonly RememberedRow[];
  readonly outcome: Omit<ImportOutcome, 'ids'>;
}

/** Decides what to do with each row of a batch. */
function planImport(
  batch: readonly ImportedPet[],
  lookup: ImportLookup,
  { overwrite = false }: BatchOptions,
): ImportPlan {
  const created: ImportedPet[] = [];
  const changes: ImportedChange[] = [];
  const remembered: RememberedRow[] = [];
  const held: string[] = [];
  const counts = { unchanged: 0, kept: 0, removed: 0 };

  function take(row: ImportedPet, before: Pet | undefined, isRepeat: Repeats): void {
    if (before === undefined) {
      if (isRepeat.pet) counts.removed++;
      else created.push(row);
      return;
    }
    const isOther = !isSame(row, before, lookup);
    const profile = changeIn(row.profile, lookup.profile(before.id));
    const isOtherProfile = Object.keys(profile).length > 0;
    const isPetChanged = isOther && !isRepeat.pet;
    const isProfileChanged = isOtherProfile && !isRepeat.profile;
    if (isPetChanged || isProfileChanged) {
      changes.push({ before, row, isPetChanged, profile: isProfileChanged ? profile : {} });
    } else if (isOther || isOtherProfile) {
      counts.kept++;
    } else {
      counts.unchanged++;
    }
  }

  for (const row of batch) {
    const { externalId } = row;
    if (externalId === undefined) {
      take(row, undefined, { pet: false, profile: false });
      continue;
    }
    const before = lookup.pet(externalId);
    const known = lookup.fingerprint(externalId);
    const fingerprint = fingerprintOf(row, known);
    const isRepeat = overwrite
      ? { pet: false, profile: false }
      : {
          pet: known?.slice(0, HALF) === fingerprint.slice(0, HALF),
          profile: known?.slice(HALF) === fingerprint.slice(HALF),
        };
    if (row.outcome !== undefined && before !== undefined) {
      if (before.status === 'sold' || isRepeat.pet) counts.unchanged++;
      else changes.push({ before, row, isPetChanged: true, profile: {} });
      if (known !== fingerprint) remembered.push({ externalId, fingerprint });
      continue;
    }
    const isMoved = before !== undefined && before.status !== row.status;
    if (isMoved && !isRepeat.pet && lookup.isHeld(before.id)) {
      // It is not remembered, so that the next import tries again.
      held.push(externalId);
      continue;
    }
    take(row, before, isRepeat);
    if (known !== fingerprint) remembered.push({ externalId, fingerprint });
  }
  const changed = changes.filter(({ isPetChanged }) => isPetChanged);
  const written = [...created, ...changed.map(({ row }) => row)];
  const categoriesCreated = newCategories(written, lookup);
  const outcome = { created: created.length, changes, ...counts, held, categoriesCreated };
  return { created, remembered, outcome };
}

/** Whether a row says the same as at the last import: of the animal, and of its profile. */
interface Repeats {
  readonly pet: boolean;
  readonly profile: boolean;
}

function isSame({ name, category, status }: ImportedPet, pet: Pet, lookup: ImportLookup): boolean {
  const id = 'id' in category ? category.id : lookup.categoryId(foldCase(category.name));
  return pet.name === name && pet.status === status && pet.categoryId === id;
}

/**
 * Returns what a row changes in a profile, by the rules of `changedProfile`: an age group gives way to the
 * birth date that somebody has entered, and another birth date is exact unless the row says otherwise.
 */
function changeIn(said: ProfileChange = {}, profile: Profile): ProfileChange {
  const { ageGroup, ...others } = said;
  const isOtherDate = said.birthDate !== undefined && said.birthDate !== profile.birthDate;
  const all: ProfileChange = {
    ...(isOtherDate && { birthDatePrecision: 'day' }),
    ...(profile.birthDate === null ? said : others),
  };
  const different = PROFILE_FIELD_NAMES.filter(
    (name) => all[name] !== undefined && !Bun.deepEquals(all[name], profile[name]),
  );
  return Object.fromEntries(different.map((name) => [name, all[name]]));
}

/** The names of categories that rows need and nobody has created, each once. */
function newCategories(rows: readonly ImportedPet[], lookup: ImportLookup): string[] {
  const names = new Map<string, string>();
  for (const { category } of rows) {
    if ('id' in category) continue;
    const folded = foldCase(category.name);
    if (names.has(folded) || lookup.categoryId(folded) !== undefined) continue;
    names.set(folded, category.name);
  }
  return [...names.values()];
}

/** The animal that a row makes, once its category is among `ids`, which go by folded name. */
function petIn(ids: ReadonlyMap<string, bigint>, row: ImportedPet): NewPet {
  const { name, category, status } = row;
  const categoryId = 'id' in category ? category.id : ids.get(foldCase(category.name));
  if (categoryId === undefined) throw new Error('the category of a row was not created');
  return { name, categoryId, status };
}
