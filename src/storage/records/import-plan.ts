import { foldCase } from '../../domain/name.ts';
import type {
  BatchOptions,
  ImportedChange,
  ImportedPet,
  ImportOutcome,
  NewPet,
  Pet,
} from '../../domain/pet.ts';

/** The queries of a plan, in the transaction that carries it out. */
export interface ImportLookup {
  /** The category with this folded name. */
  categoryId(folded: string): bigint | undefined;
  /** The animal imported from the row with this external id, if it still exists. */
  pet(externalId: string): Pet | undefined;
  /** The fingerprint of the row with this external id when it was last imported. */
  fingerprint(externalId: string): string | undefined;
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

  function take(row: ImportedPet, before: Pet | undefined, isRepeat: boolean): void {
    if (before === undefined) {
      if (isRepeat) counts.removed++;
      else created.push(row);
    } else if (isSame(row, before, lookup)) {
      counts.unchanged++;
    } else if (isRepeat) {
      counts.kept++;
    } else {
      changes.push({ before, row });
    }
  }

  for (const row of batch) {
    const { externalId } = row;
    if (externalId === undefined) {
      take(row, undefined, false);
      continue;
    }
    const before = lookup.pet(externalId);
    const fingerprint = fingerprintOf(row);
    const isKnown = lookup.fingerprint(externalId) === fingerprint;
    const isRepeat = isKnown && !overwrite;
    const isMoved = before !== undefined && before.status !== row.status;
    if (isMoved && !isRepeat && lookup.isHeld(before.id)) {
      // It is not remembered, so that the next import tries again.
      held.push(externalId);
      continue;
    }
    take(row, before, isRepeat);
    if (!isKnown) remembered.push({ externalId, fingerprint });
  }
  const written = [...created, ...changes.map(({ row }) => row)];
  const categoriesCreated = newCategories(written, lookup);
  const outcome = { created: created.length, changes, ...counts, held, categoriesCreated };
  return { created, remembered, outcome };
}

/**
 * A hash of what a row says of its animal. The category counts as the file names it, so a row stays
 * the same when the category is renamed or removed here.
 */
function fingerprintOf({ name, category, status }: ImportedPet): string {
  const named = 'id' in category ? { id: String(category.id) } : { name: foldCase(category.name) };
  const hash = new Bun.CryptoHasher('sha256');
  return hash.update(JSON.stringify([name, status, named])).digest('hex');
}

function isSame({ name, category, status }: ImportedPet, pet: Pet, lookup: ImportLookup): boolean {
  const id = 'id' in category ? category.id : lookup.categoryId(foldCase(category.name));
  return pet.name === name && pet.status === status && pet.categoryId === id;
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
