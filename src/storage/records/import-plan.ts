import { foldCase } from '../../domain/name.ts';
import type {
  BatchOptions,
  ImportedChange,
  ImportedPet,
  ImportOutcome,
  NewPet,
  Pet,
} from '../../domain/pet.ts';
import { PROFILE_FIELD_NAMES, type Profile, type ProfileChange } from '../../domain/profile.ts';

/** The queries of a plan, in the transaction that carries it out. */
export interface ImportLookup {
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
export interface RememberedRow {
  readonly externalId: string;
  readonly fingerprint: string;
}

/** The effect of a batch, computed before anything is written. */
export interface ImportPlan {
  readonly created: readonly ImportedPet[];
  readonly remembered: readonly RememberedRow[];
  readonly outcome: ImportOutcome;
}

/** Decides what to do with each row of a batch. */
export function planImport(
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

/** Characters of a fingerprint for what a row says of the animal; the others are for its profile. */
const HALF = 32;

/**
 * A hash of what a row says. The category counts as the file names it, so a row stays the same when the
 * category is renamed or removed here. A row that says nothing of the profile is the same as one that
 * never did.
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

function isSame({ name, category, status }: ImportedPet, pet: Pet, lookup: ImportLookup): boolean {
  const id = 'id' in category ? category.id : lookup.categoryId(foldCase(category.name));
  return pet.name === name && pet.status === status && pet.categoryId === id;
}

/**
 * Returns what a row changes in a profile, by the rules of `changedProfile`: an age group gives way to the
 * birth date that somebody has entered, and another birth date is exact unless the row says otherwise.
 */
export function changeIn(said: ProfileChange = {}, profile: Profile): ProfileChange {
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
export function petIn(ids: ReadonlyMap<string, bigint>, row: ImportedPet): NewPet {
  const { name, category, status } = row;
  const categoryId = 'id' in category ? category.id : ids.get(foldCase(category.name));
  if (categoryId === undefined) throw new Error('the category of a row was not created');
  return { name, categoryId, status };
}
