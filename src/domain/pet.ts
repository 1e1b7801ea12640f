import type { ChangeStamp, Precondition } from './change-stamp.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { Page, PageRequest } from './page.ts';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

/** Whether a text is one of the statuses. */
export function isPetStatus(text: string): text is PetStatus {
  return (PET_STATUSES as readonly string[]).includes(text);
}

/** What an animal is made of. `name` follows the rules of name.ts. */
export interface NewPet {
  readonly name: string;
  /** Any int64; it need not refer to a category that exists. */
  readonly categoryId: bigint;
  readonly status: PetStatus;
}

export interface Pet extends NewPet {
  /** Assigned by the storage: starts at 1, only grows, is never used again. */
  readonly id: bigint;
}

/** What is to change of an animal; what is undefined stays. */
export interface PetChange {
  readonly name?: string | undefined;
  readonly categoryId?: bigint | undefined;
  readonly status?: PetStatus | undefined;
}

/** Returns the animal with the change applied. */
export function changedPet({ id, name, categoryId, status }: Pet, change: PetChange): Pet {
  return {
    id,
    name: change.name ?? name,
    categoryId: change.categoryId ?? categoryId,
    status: change.status ?? status,
  };
}

/** A status that an animal came to have. */
export interface StatusChange {
  /** The number of the change in the history of the animal: 1 for the status that it was added with. */
  readonly id: bigint;
  readonly status: PetStatus;
  /** Milliseconds since the Unix epoch. */
  readonly changedAt: number;
  /** The API key that asked for it; null for a command of the keeper. */
  readonly keyId: bigint | null;
}

/** Which animals a list holds. Conditions add up; one that is absent lets all through. */
export interface PetFilter {
  readonly status?: PetStatus | undefined;
  readonly categoryId?: bigint | undefined;
  readonly ids?: readonly bigint[] | undefined;
  /** A part of the name, already folded by `foldCase`. */
  readonly nameFolded?: string | undefined;
}

/** An animal as files carry it. */
export interface ExportedPet extends Pet {
  readonly externalId: string | undefined;
}

/** An animal as a file brings it. `category` is an id, or a name that is created where new. */
export interface ImportedPet {
  readonly name: string;
  readonly category: { readonly id: bigint } | { readonly name: string };
  readonly status: PetStatus;
  /** What the animal is called where it comes from; a repeated import changes that animal. */
  readonly externalId: string | undefined;
}

/** How a batch of an import is taken. */
export interface BatchOptions {
  /** Only says what would happen. */
  readonly dryRun?: boolean;
  /** Lets rows win that say what they said the last time, over what was changed or removed since. */
  readonly overwrite?: boolean;
}

/** An animal that an import changes: as it was, and the row that changes it. */
export interface ImportedChange {
  readonly before: Pet;
  readonly row: ImportedPet;
}

/** What became of one batch of an import, counted in animals. */
export interface ImportOutcome {
  readonly created: number;
  readonly changes: readonly ImportedChange[];
  /** Animals that are as their row says. */
  readonly unchanged: number;
  /** Animals that were changed here since, under a row that says what it said the last time. */
  readonly kept: number;
  /** Animals that were removed here, under a row that says what it said the last time. */
  readonly removed: number;
  /** Names of the categories that the batch creates. */
  readonly categoriesCreated: readonly string[];
  /** External ids of animals that were left as they are, since an open order holds them. */
  readonly held: readonly string[];
}

export interface PetStorage {
  /** Ascending by id. */
  list(filter: PetFilter, page: PageRequest): MaybePromise<Page<Pet>>;
  find(id: bigint): MaybePromise<Pet | undefined>;
  create(pet: NewPet, stamp: ChangeStamp): MaybePromise<Pet>;
  /**
   * Changes an animal. Undefined where there is no such animal. Throws `conflict` for another
   * status while an open order holds it.
   */
  update(
    id: bigint,
    change: PetChange,
    stamp: ChangeStamp,
    precondition: Precondition<Pet>,
  ): MaybePromise<Pet | undefined>;
  /** Whether there was one. Throws `conflict` while an open order holds the animal. */
  remove(id: bigint, precondition: Precondition<Pet>): MaybePromise<boolean>;
  /** The statuses that an animal had, ascending by id; undefined where there is no such animal. */
  history(id: bigint, page: PageRequest): MaybePromise<Page<StatusChange> | undefined>;
  count(): MaybePromise<number>;
  /** Whether any animal has an external id, so that a file of all has a column for it. */
  hasExternalIds(): MaybePromise<boolean>;
  /** The animals that imports added under these external ids, ascending by id. */
  findImported(externalIds: readonly string[]): MaybePromise<readonly Pet[]>;
  /** Ascending by id, for files. */
  exportPage(status: PetStatus | undefined, page: PageRequest): MaybePromise<Page<ExportedPet>>;
  /**
   * Takes a batch in one transaction, or nothing of it. No external id may stand twice in a
   * batch. A row that says what it said when it was last imported changes nothing, even if the
   * animal was changed or removed since. An animal that an open order holds keeps its status, so a
   * row that would change that changes nothing either, and is tried again by the next import.
   */
  importBatch(
    batch: readonly ImportedPet[],
    stamp: ChangeStamp,
    options?: BatchOptions,
  ): MaybePromise<ImportOutcome>;
}
