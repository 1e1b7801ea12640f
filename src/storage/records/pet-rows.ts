import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { isOpen, ORDER_STATUSES } from '../../domain/order.ts';
import type { NewPet, Pet, PetStatus } from '../../domain/pet.ts';
import { fieldsOf, plain } from '../fields.ts';
import { forUpdate, sql, type Work } from '../statements.ts';

/** The columns of a Pet under its member names, so that a row is a Pet. */
export const PET_COLUMNS = 'id, name, category_id AS "categoryId", status';

export const PET = fieldsOf({
  id: plain<bigint>(),
  name: plain<string>(),
  categoryId: plain<bigint>(),
  status: plain<PetStatus>(),
});

/** Finds an animal that nobody else can change, remove or order until the transaction ends. */
export const LOCKED_PET = sql`SELECT ${PET_COLUMNS} FROM pets WHERE id = $1 ${forUpdate}`.as<Pet>();

const OPEN_STATUSES = ORDER_STATUSES.filter(isOpen).map((status) => `'${status}'`);

/** The SQL condition for an order that holds its animal. */
export const ORDER_IS_OPEN = `status IN (${OPEN_STATUSES.join(', ')})`;

/** The columns of a photo besides its id. */
export const PHOTO_COLUMNS = 'pet_id, sha256, alt, position, focus_x, focus_y, width, height';

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

/** Adds animals, each with its first stay, in the form of an engine. Returns the ids, in the order of the animals. */
export type AddAnimals = (additions: readonly Addition[]) => Work<readonly bigint[]>;
