import { petUnderOrder } from '../../domain/order.ts';
import {
  type BroughtPet,
  changedPet,
  type ExportedPet,
  type ImportOutcome,
  isSamePet,
  type Pet,
  type PetStatus,
  type PetStorage,
} from '../../domain/pet.ts';
import { number } from '../fields.ts';
import { listed } from '../lists.ts';
import {
  isTextIn,
  methodsOf,
  type Step,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { endStay, savePets } from './followed-stays.ts';
import { noted } from './notes.ts';
import { petList, searchByName } from './pet-lists.ts';
import {
  type AddAnimals,
  LOCKED_PET,
  ORDER_IS_OPEN,
  PET,
  PET_COLUMNS,
  PHOTO_COLUMNS,
} from './pet-rows.ts';
import { type ProfileRow, profiledOf } from './profile-rows.ts';

const WAS_OFFERED = sql`SELECT was_offered AS offered FROM pets
    WHERE id = $1`.value((offered: bigint) => offered === 1n);
const COUNT = sql`SELECT count(*) AS n FROM pets`.value(number);
const COUNT_IN_CATEGORY = sql`SELECT count(*) AS n FROM (SELECT 1 FROM pets
    WHERE category_id = $1 LIMIT $2) AS counted`.value(number);
const COUNT_WITH_STATUS = sql`SELECT count(*) AS n FROM (
      SELECT 1 FROM pets WHERE category_id = $1 AND status = $3 LIMIT $2
    ) AS counted`.value(number);
const ANY_EXTERNAL_ID = sql`SELECT count(*) AS n FROM (
      SELECT 1 FROM pets WHERE external_id IS NOT NULL LIMIT 1
    ) AS counted`.value((n: bigint) => n > 0n);
const IMPORTED = sql`SELECT ${PET_COLUMNS}, external_id AS "externalId" FROM pets
    WHERE external_id ${isTextIn('$1')} ORDER BY id`.as<BroughtPet>();
const PRESENT_IMPORTED = sql`SELECT ${PET_COLUMNS}, external_id AS "externalId" FROM pets
    WHERE external_id IS NOT NULL AND status <> 'sold' AND id > $1
    ORDER BY id LIMIT $2`.as<BroughtPet>();
const EXPORTED = sql`SELECT ${PET_COLUMNS}, external_id AS "externalId", public, private
    FROM pets LEFT JOIN profiles ON pet_id = id`.as(
  (row: Pet & ProfileRow & { readonly externalId: string | null }): ExportedPet => {
    const { pet, profile, externalId } = profiledOf(row);
    const known = row.public === null ? undefined : profile;
    return { ...pet, externalId: externalId ?? undefined, profile: known };
  },
);

const REMOVE = sql`DELETE FROM pets WHERE id = $1 RETURNING ${PET.columns}`.as(PET);
/** What brings a removed animal back. */
const KEEP = sql`INSERT INTO removed_pets
    (pet_id, removed_at, name, name_folded, category_id, status, external_id, was_offered, added_at,
      public, private)
  SELECT id, CAST($2 AS bigint), name, name_folded, category_id, status, external_id, was_offered, added_at,
    public, private
  FROM pets LEFT JOIN profiles ON profiles.pet_id = id WHERE id = $1`;
const KEEP_PHOTOS = sql`INSERT INTO removed_photos (photo_id, ${PHOTO_COLUMNS})
  SELECT id, ${PHOTO_COLUMNS} FROM photos WHERE pet_id = $1`;
const OPEN_ORDER =
  sql`SELECT id FROM orders WHERE pet_id = $1 AND ${ORDER_IS_OPEN}`.value<bigint>();

/** Throws `conflict` if an open order holds the animal. */
function* requireFree(id: bigint): Work<void> {
  const order = yield* OPEN_ORDER.one(id);
  if (order !== undefined) throw petUnderOrder(id, order);
}

/** Counts the animals of a category, of all statuses or one, up to `max`. */
export function countInCategory(
  categoryId: bigint,
  status: PetStatus | undefined,
  max: number,
): Step<number> {
  return status === undefined
    ? COUNT_IN_CATEGORY.only(categoryId, max)
    : COUNT_WITH_STATUS.only(categoryId, max, status);
}

/** The work of `PetStorage.importBatch`. */
export type ImportBatch = (...batch: Parameters<PetStorage['importBatch']>) => Work<ImportOutcome>;

/** What each engine does with animals in a form of its own. */
export interface OwnAnimals extends Pick<PetStorage, 'find' | 'create'> {
  readonly addAll: AddAnimals;
  /** For work on many animals. */
  readonly long: Transactions;
}

/** Animals. */
export function createPetRecords(
  transactions: Transactions,
  { find, create, long }: OwnAnimals,
  importBatch: ImportBatch,
): PetStorage {
  const { read, search } = transactions;
  const { reads, writes } = methodsOf<PetStorage>(transactions);
  const onMany = methodsOf<PetStorage>(long);
  return {
    find,
    create,
    list: ({ nameFolded, ...filter }, page) =>
      nameFolded === undefined
        ? read(() => petList(filter, page))
        : search(() => searchByName({ ...filter, nameFolded }, page)),
    ...reads({
      wasOffered: (id) => WAS_OFFERED.one(id),
      countInCategory,
      findImported: (externalIds) => IMPORTED.all(JSON.stringify(externalIds)),
      presentImported: (after, most) => PRESENT_IMPORTED.all(after, most),
      exportPage: (status, page) => listed(EXPORTED, page, [['status', status]]),
    }),
    ...writes({
      *update(id, change, stamp, precondition) {
        const known = yield* LOCKED_PET.one(id);
        if (known === undefined) return undefined;
        precondition(known);
        const pet = changedPet(known, change);
        if (isSamePet(pet, known)) return known;
        if (pet.status !== known.status) yield* requireFree(id);
        yield* savePets([{ before: known, pet, isAdoption: true }], stamp);
        return pet;
      },
      *remove(id, stamp, precondition) {
        const known = yield* LOCKED_PET.one(id);
        if (known === undefined) return false;
        precondition(known);
        yield* requireFree(id);
        yield* KEEP.run(id, stamp.at);
        yield* KEEP_PHOTOS.run(id);
        yield* endStay(known, stamp);
        yield* noted('pet.deleted', stamp, null, REMOVE, id);
        return true;
      },
    }),
    ...onMany.reads({ count: () => COUNT.only(), hasExternalIds: () => ANY_EXTERNAL_ID.only() }),
    ...onMany.writes({ importBatch }),
  };
}
