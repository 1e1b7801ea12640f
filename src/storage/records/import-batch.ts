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
  forUpdate,
  givenInOrder,
  integerList,
  isIn,
  isTextIn,
  type Query,
  sql,
  type Work,
} from '../statements.ts';
import { INSERT_CATEGORY } from './categories.ts';
import { savePets } from './followed-stays.ts';
import { noted } from './notes.ts';
import { type AddAnimals, ORDER_IS_OPEN, PET_COLUMNS } from './pet-rows.ts';
import type { ImportBatch } from './pets.ts';
import { profilesOf, saveProfiles } from './profiles.ts';
import { leave, replaceStays } from './stays.ts';

const CATEGORIES =
  sql`SELECT id, name_folded AS name FROM categories WHERE name_folded ${isTextIn('$1')}`.as(
    (row: { readonly id: bigint; readonly name: string }) => [row.name, row.id] as const,
  );
const importedOf = ({ externalId, ...pet }: Pet & { readonly externalId: string }) =>
  [externalId, pet] as const;
const IMPORTED = sql`SELECT ${PET_COLUMNS}, external_id AS "externalId" FROM pets
  WHERE external_id ${isTextIn('$1')} ORDER BY id`;
const PETS = IMPORTED.as(importedOf);
/** In a fixed order, so that two imports at once cannot deadlock. */
const LOCKED_PETS = sql`${IMPORTED} ${forUpdate}`.as(importedOf);
const FINGERPRINTS =
  sql`SELECT external_id, fingerprint FROM imported_rows WHERE external_id ${isTextIn('$1')}`.as(
    (row: { readonly external_id: string; readonly fingerprint: string }) =>
      [row.external_id, row.fingerprint] as const,
  );
const HELD = sql`SELECT pet_id AS id FROM orders
    WHERE ${ORDER_IS_OPEN} AND pet_id ${isIn('$1')}`.value<bigint>();
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
export function createImportBatch(addAll: AddAnimals): ImportBatch {
  return function* (batch, stamp, options = {}) {
    const names = batch.flatMap(({ category }) =>
      'name' in category ? foldCase(category.name) : [],
    );
    const ids = new Map(yield* found(CATEGORIES, new Set(names)));
    const externalIds = batch.flatMap(({ externalId }) => externalId ?? []);
    const pets = new Map(yield* found(options.dryRun ? PETS : LOCKED_PETS, externalIds));
    const fingerprints = new Map(yield* found(FINGERPRINTS, externalIds));
    const petIds = [...pets.values()].map(({ id }) => id);
    const hasProfiles = petIds.length > 0 && batch.some(({ profile }) => profile !== undefined);
    const profiles = hasProfiles ? yield* profilesOf(petIds) : new Map<bigint, Profile>();
    const held = new Set(petIds.length === 0 ? [] : yield* HELD.all(integerList(petIds)));
    const known = { ids, pets, fingerprints, profiles, held };
    const { created, remembered, outcome } = planImport(batch, known, options);
    const idOf = ({ externalId }: ImportedPet) => pets.get(externalId ?? '')?.id;
    if (options.dryRun) return { ...outcome, ids: batch.map(idOf) };
    for (const name of outcome.categoriesCreated) {
      const folded = foldCase(name);
      const added = INSERT_CATEGORY;
      const { id } = yield* noted('category.created', stamp, null, added, name, folded);
      ids.set(folded, id);
    }
    const additions = created.map((row) => ({
      pet: petIn(ids, row),
      externalId: row.externalId,
      stamp,
    }));
    const addedIds = additions.length > 0 ? yield* addAll(additions) : [];
    const updates = outcome.changes
      .filter(({ isPetChanged, row }) => isPetChanged && row.outcome === undefined)
      .map(({ before, row }) => ({ before, pet: { id: before.id, ...petIn(ids, row) } }));
    if (updates.length > 0) yield* savePets(updates, stamp);
    const profileUpdates = [
      ...addedIds.map((petId, n) => ({
        petId,
        change: changeIn(created[n]?.profile, EMPTY_PROFILE),
      })),
      ...outcome.changes.map(({ before, profile }) => ({ petId: before.id, change: profile })),
    ].filter(({ change }) => Object.keys(change).length > 0);
    if (profileUpdates.length > 0) yield* saveProfiles(profileUpdates, stamp);
    for (const [n, id] of addedIds.entries()) {
      yield* replaceStays(id, created[n]?.stays ?? [], stamp);
    }
    const leaving = outcome.changes.filter(({ row }) => row.outcome !== undefined);
    for (const { before, row } of leaving) yield* leave(before, row.outcome, stamp);
    if (remembered.length > 0) yield* REMEMBER.forRows(remembered);
    const again = created.flatMap(({ externalId = '' }) =>
      fingerprints.has(externalId) ? externalId : [],
    );
    if (again.length > 0) yield* FORGET_PHOTOS.run(JSON.stringify(again));
    if (outcome.removed > 0) {
      const added = new Set(created.map(({ externalId }) => externalId));
      const removed = externalIds.filter((id) => !pets.has(id) && !added.has(id));
      yield* SEEN_AGAIN.run(JSON.stringify(removed), stamp.at);
    }
    const added = new Map(created.map((row, n) => [row, addedIds[n]]));
    return { ...outcome, ids: batch.map((row) => added.get(row) ?? idOf(row)) };
  };
}

function* found<Result>(statement: Query<Result>, texts: Iterable<string>): Work<Result[]> {
  const list = [...texts];
  return list.length === 0 ? [] : yield* statement.all(JSON.stringify(list));
}

/** What is known in the transaction that carries out a plan. */
interface Known {
  /** Categories by folded name. */
  readonly ids: ReadonlyMap<string, bigint>;
  /** Animals that still exist, and fingerprints of rows at their last import, by external id. */
  readonly pets: ReadonlyMap<string, Pet>;
  readonly fingerprints: ReadonlyMap<string, string>;
  readonly profiles: ReadonlyMap<bigint, Profile>;
  /** Animals that an open order holds. */
  readonly held: ReadonlySet<bigint>;
}

/** Decides what to do with each row of a batch, before anything is written. */
function planImport(
  batch: readonly ImportedPet[],
  known: Known,
  { overwrite = false }: BatchOptions,
) {
  const created: ImportedPet[] = [];
  const changes: ImportedChange[] = [];
  /** Rows that a later import will recognise. */
  const remembered: { readonly externalId: string; readonly fingerprint: string }[] = [];
  const held: string[] = [];
  const counts = { unchanged: 0, kept: 0, removed: 0 };

  function take(row: ImportedPet, before: Pet | undefined, isRepeat: Repeats): void {
    if (before === undefined) {
      if (isRepeat.pet) counts.removed++;
      else created.push(row);
      return;
    }
    const isOther = !isSame(row, before, known);
    const profile = changeIn(row.profile, known.profiles.get(before.id) ?? EMPTY_PROFILE);
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
      take(row, undefined, NO_REPEATS);
      continue;
    }
    const before = known.pets.get(externalId);
    const last = known.fingerprints.get(externalId);
    const fingerprint = fingerprintOf(row, last);
    const isRepeat = overwrite
      ? NO_REPEATS
      : {
          pet: last?.slice(0, HALF) === fingerprint.slice(0, HALF),
          profile: last?.slice(HALF) === fingerprint.slice(HALF),
        };
    if (row.outcome !== undefined && before !== undefined) {
      if (before.status === 'sold' || isRepeat.pet) counts.unchanged++;
      else changes.push({ before, row, isPetChanged: true, profile: {} });
      if (last !== fingerprint) remembered.push({ externalId, fingerprint });
      continue;
    }
    const isMoved = before !== undefined && before.status !== row.status;
    if (isMoved && !isRepeat.pet && known.held.has(before.id)) {
      // It is not remembered, so that the next import tries again.
      held.push(externalId);
      continue;
    }
    take(row, before, isRepeat);
    if (last !== fingerprint) remembered.push({ externalId, fingerprint });
  }
  const changed = changes.filter(({ isPetChanged }) => isPetChanged);
  const written = [...created, ...changed.map(({ row }) => row)];
  const categoriesCreated = newCategories(written, known);
  const outcome: Omit<ImportOutcome, 'ids'> = {
    ...{ created: created.length, changes, ...counts, held, categoriesCreated },
  };
  return { created, remembered, outcome };
}

/** Characters of a fingerprint for what a row says of the animal; the others are for its profile. */
const HALF = 32;

/**
 * A hash of what a row says. The category counts as the file names it, so a row stays the same when the
 * category is renamed or removed here. A row that says nothing of the profile never did.
 */
function fingerprintOf(
  { name, category, status, profile }: ImportedPet,
  known: string | undefined,
): string {
  const named = 'id' in category ? { id: String(category.id) } : { name: foldCase(category.name) };
  const pet = hashOf([name, status, named]);
  if (profile !== undefined) return pet.slice(0, HALF) + hashOf(profile).slice(HALF);
  return known?.startsWith(pet.slice(0, HALF)) ? known : pet;
}

function hashOf(value: unknown): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Whether a row says the same as at the last import: of the animal, and of its profile. */
interface Repeats {
  readonly pet: boolean;
  readonly profile: boolean;
}
const NO_REPEATS: Repeats = { pet: false, profile: false };

function isSame({ name, category, status }: ImportedPet, pet: Pet, { ids }: Known): boolean {
  const id = 'id' in category ? category.id : ids.get(foldCase(category.name));
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
function newCategories(rows: readonly ImportedPet[], { ids }: Known): string[] {
  const names = new Map<string, string>();
  for (const { category } of rows) {
    if ('id' in category) continue;
    const folded = foldCase(category.name);
    if (names.has(folded) || ids.has(folded)) continue;
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
