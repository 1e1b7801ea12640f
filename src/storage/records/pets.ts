import type { NotedPart, PartChangeType } from '../../domain/change-log.ts';
import type { ChangeStamp, Precondition } from '../../domain/change-stamp.ts';
import { isOpen, ORDER_STATUSES, petUnderOrder } from '../../domain/order.ts';
import {
  type BroughtPet,
  changedPet,
  type ExportedPet,
  type ImportOutcome,
  isSamePet,
  type NewPet,
  type Pet,
  type PetChange,
  type PetStatus,
  type PetStorage,
} from '../../domain/pet.ts';
import { fieldsOf, plain } from '../fields.ts';
import { listed } from '../lists.ts';
import {
  all,
  forUpdate,
  isTextIn,
  one,
  only,
  query,
  run,
  type Step,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import type { NoteAudit, NotedWrite } from './change.ts';
import { PET_COLUMNS, petList, searchByName } from './pet-lists.ts';
import { type ProfileRow, profileOf } from './profile-rows.ts';

/** Finds an animal that nobody else can change, remove or order until the transaction ends. */
export const LOCKED_PET = query(
  (pet: Pet) => pet,
  sql`SELECT ${PET_COLUMNS} FROM pets WHERE id = $1 ${forUpdate}`,
);

const WAS_OFFERED = query(
  ({ offered }: { readonly offered: bigint }) => offered === 1n,
  sql`SELECT was_offered AS offered FROM pets WHERE id = $1`,
);
const OPEN_STATUSES = ORDER_STATUSES.filter(isOpen).map((status) => `'${status}'`);

/** The SQL condition for an order that holds its animal. */
export const ORDER_IS_OPEN = `status IN (${OPEN_STATUSES.join(', ')})`;

const numberOf = ({ n }: { readonly n: bigint }) => Number(n);
const COUNT = query(numberOf, sql`SELECT count(*) AS n FROM pets`);
const COUNT_IN_CATEGORY = query(
  numberOf,
  sql`SELECT count(*) AS n FROM (SELECT 1 FROM pets WHERE category_id = $1 LIMIT $2) AS counted`,
);
const COUNT_WITH_STATUS = query(
  numberOf,
  sql`SELECT count(*) AS n FROM (
      SELECT 1 FROM pets WHERE category_id = $1 AND status = $3 LIMIT $2
    ) AS counted`,
);
const ANY_EXTERNAL_ID = query(
  ({ n }: { readonly n: bigint }) => n > 0n,
  sql`SELECT count(*) AS n FROM (
      SELECT 1 FROM pets WHERE external_id IS NOT NULL LIMIT 1
    ) AS counted`,
);
const IMPORTED = query(
  (pet: BroughtPet) => pet,
  sql`SELECT ${PET_COLUMNS}, external_id AS "externalId" FROM pets
    WHERE external_id ${isTextIn('$1')} ORDER BY id`,
);
const PRESENT_IMPORTED = query(
  (pet: BroughtPet) => pet,
  sql`SELECT ${PET_COLUMNS}, external_id AS "externalId" FROM pets
    WHERE external_id IS NOT NULL AND status <> 'sold' AND id > $1 ORDER BY id LIMIT $2`,
);
const EXPORTED = query(
  (row: Pet & ProfileRow & { readonly externalId: string | null }): ExportedPet => {
    const { externalId, public: known, private: secret, ...pet } = row;
    const profile = known === null ? undefined : profileOf({ public: known, private: secret });
    return { ...pet, externalId: externalId ?? undefined, profile };
  },
  sql`SELECT ${PET_COLUMNS}, external_id AS "externalId", public, private
    FROM pets LEFT JOIN profiles ON pet_id = id`,
);

export const PET = fieldsOf({
  id: plain<bigint>(),
  name: plain<string>(),
  categoryId: plain<bigint>(),
  status: plain<PetStatus>(),
});
const REMOVE = query(PET.of, sql`DELETE FROM pets WHERE id = $1 RETURNING ${PET.columns}`);
export const PHOTO_COLUMNS = 'pet_id, sha256, alt, position, focus_x, focus_y, width, height';
/** What brings a removed animal back. */
const KEEP = sql`INSERT INTO removed_pets
    (pet_id, removed_at, name, name_folded, category_id, status, external_id, was_offered, added_at,
      public, private)
  SELECT id, CAST($2 AS bigint), name, name_folded, category_id, status, external_id, was_offered, added_at,
    public, private
  FROM pets LEFT JOIN profiles ON profiles.pet_id = id WHERE id = $1`;
const KEEP_PHOTOS = sql`INSERT INTO removed_photos (photo_id, ${PHOTO_COLUMNS})
  SELECT id, ${PHOTO_COLUMNS} FROM photos WHERE pet_id = $1`;
const OPEN_ORDER = query(
  ({ id }: { readonly id: bigint }) => id,
  sql`SELECT id FROM orders WHERE pet_id = $1 AND ${ORDER_IS_OPEN}`,
);

/** Throws `conflict` if an open order holds the animal. */
function* requireFree(id: bigint): Work<void> {
  const order = yield* one(OPEN_ORDER, id);
  if (order !== undefined) throw petUnderOrder(id, order);
}

/** Counts the animals of a category, of all statuses or one, up to `max`. */
export function countInCategory(
  categoryId: bigint,
  status: PetStatus | undefined,
  max: number,
): Step<number> {
  return status === undefined
    ? only(COUNT_IN_CATEGORY, categoryId, max)
    : only(COUNT_WITH_STATUS, categoryId, max, status);
}

/** An animal to add. */
export interface Addition {
  readonly pet: NewPet;
  readonly externalId?: string | undefined;
  readonly stamp: ChangeStamp;
}

/** A locked animal to save, and the same animal as it was read. */
export interface PetUpdate {
  readonly before: Pet;
  readonly pet: Pet;
  /** The day on which the animal was adopted; today by default. */
  readonly leftOn?: string | undefined;
  /** Somebody adopts it: refused while it is held. */
  readonly isAdoption?: true;
  /** The caller writes the stay that the status follows. */
  readonly hasStay?: true;
}

/** Writes of records, which keep stays, listings, the history and the change log. */
export interface RecordWrites extends EngineWrites {
  /** Ends the stay of a locked animal that is about to be removed, and was kept with all that brings it back. */
  endStay(pet: Pet, stamp: ChangeStamp): Work<void>;
}

/** Writes in the form of an engine, which keep the history and the change log. */
export interface EngineWrites {
  readonly noted: NotedWrite;
  readonly noteAudit: NoteAudit;
  /** Adds animals, each with its first stay. Returns the ids, in the order of the animals. */
  addAll(additions: readonly Addition[]): Work<readonly bigint[]>;
  /** Saves locked animals, each of which differs from before. */
  saveAll(updates: readonly PetUpdate[], stamp: ChangeStamp): Work<unknown>;
  /** Notes changes of records that belong to locked animals. */
  noteParts(type: PartChangeType, parts: readonly NotedPart[], stamp: ChangeStamp): Work<unknown>;
}

/** The work of `PetStorage.importBatch`. */
export type ImportBatch = (...batch: Parameters<PetStorage['importBatch']>) => Work<ImportOutcome>;

/** Animals, except what each engine does in a form of its own. `long` is for work on many of them. */
export function createPetRecords(
  { read, search, write }: Transactions,
  { noted, saveAll, endStay }: RecordWrites,
  importBatch: ImportBatch,
  long: Transactions,
): Omit<PetStorage, 'find' | 'create'> {
  function* update(
    id: bigint,
    change: PetChange,
    stamp: ChangeStamp,
    precondition: Precondition<Pet>,
  ): Work<Pet | undefined> {
    const known = yield* one(LOCKED_PET, id);
    if (known === undefined) return undefined;
    precondition(known);
    const pet = changedPet(known, change);
    if (isSamePet(pet, known)) return known;
    if (pet.status !== known.status) yield* requireFree(id);
    yield* saveAll([{ before: known, pet, isAdoption: true }], stamp);
    return pet;
  }

  function* remove(id: bigint, stamp: ChangeStamp, precondition: Precondition<Pet>): Work<boolean> {
    const known = yield* one(LOCKED_PET, id);
    if (known === undefined) return false;
    precondition(known);
    yield* requireFree(id);
    yield* run(KEEP, id, stamp.at);
    yield* run(KEEP_PHOTOS, id);
    yield* endStay(known, stamp);
    yield* noted('pet.deleted', stamp, null, REMOVE, id);
    return true;
  }

  return {
    list: ({ nameFolded, ...filter }, page) =>
      nameFolded === undefined
        ? read(() => petList(filter, page))
        : search(() => searchByName({ ...filter, nameFolded }, page)),
    update: (id, change, stamp, precondition) =>
      write(() => update(id, change, stamp, precondition)),
    remove: (id, stamp, precondition) => write(() => remove(id, stamp, precondition)),
    wasOffered: (id) => read(() => one(WAS_OFFERED, id)),
    count: () => long.read(() => only(COUNT)),
    countInCategory: (categoryId, status, max) =>
      read(() => countInCategory(categoryId, status, max)),
    hasExternalIds: () => long.read(() => only(ANY_EXTERNAL_ID)),
    findImported: (externalIds) => read(() => all(IMPORTED, JSON.stringify(externalIds))),
    presentImported: (after, most) => read(() => all(PRESENT_IMPORTED, after, most)),
    importBatch: (batch, stamp, options) => long.write(() => importBatch(batch, stamp, options)),
    exportPage: (status, page) =>
      read(() => listed(EXPORTED, page, [[(parameter) => sql`status = ${parameter}`, status]])),
  };
}
