import type { ChangeStamp, Precondition } from './change-stamp.ts';
import type { Page, PageRequest } from './page.ts';
import type { Profile, ProfileChange } from './profile.ts';
import type { ImportedOutcome, ImportedStay } from './stay-types.ts';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

/** Returns whether a text is one of the statuses. */
export function isPetStatus(text: string): text is PetStatus {
  return (PET_STATUSES as readonly string[]).includes(text);
}

/** An animal to add. */
export interface NewPet {
  /** Follows the rules of name.ts. */
  readonly name: string;
  /** Any int64; it need not refer to a category that exists. */
  readonly categoryId: bigint;
  readonly status: PetStatus;
}

/**
 * An animal.
 *
 * Callers with the scope `read` may list and get animals; `write` may also add, change and remove
 * them. While an open order holds an animal, its status cannot change and it cannot be removed.
 */
export interface Pet extends NewPet {
  /** Assigned by the storage: starts at 1, only grows, is never reused. */
  readonly id: bigint;
}

/** A change of an animal; undefined leaves a value as it is. */
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

/** Returns whether two states of an animal are the same. */
export function isSamePet(one: Pet, other: Pet): boolean {
  return (
    one.name === other.name && one.categoryId === other.categoryId && one.status === other.status
  );
}

/** A filter of a list. All conditions that are present must hold. */
export interface PetFilter {
  readonly status?: PetStatus | undefined;
  readonly categoryId?: bigint | undefined;
  readonly ids?: readonly bigint[] | undefined;
  /** A part of the name, folded by `foldName`. */
  readonly nameFolded?: string | undefined;
}

/** An animal as exported files contain it. */
export interface ExportedPet extends Pet {
  readonly externalId: string | undefined;
  /** Undefined if nothing was ever known of it. */
  readonly profile?: Profile | undefined;
}

/** An animal that an import added under an external id. */
export interface BroughtPet extends Pet {
  readonly externalId: string;
}

/** A row of an imported file. `category` is an id, or a name, which is created if it is new. */
export interface ImportedPet {
  readonly name: string;
  readonly category: { readonly id: bigint } | { readonly name: string };
  readonly status: PetStatus;
  /** The id of the animal in its source. A repeated import changes the same animal. */
  readonly externalId: string | undefined;
  /** What the row says of the profile. What it does not say stays as it is. */
  readonly profile?: ProfileChange | undefined;
  /** How the animal left, if it is here; its status is `sold`. */
  readonly outcome?: ImportedOutcome | undefined;
  /** The stays of an animal that the import adds, in their order; the last one fits its status. */
  readonly stays?: readonly ImportedStay[] | undefined;
  /** Addresses of its photos. They are fetched after the import. */
  readonly photos?: readonly string[] | undefined;
}

/** Options of an import. */
export interface BatchOptions {
  /** Reports what would happen, and writes nothing. */
  readonly dryRun?: boolean;
  /** Applies rows that have not changed since the last import too, over later changes and removals. */
  readonly overwrite?: boolean;
}

/** An animal that an import changes, and the row that changes it. */
export interface ImportedChange {
  readonly before: Pet;
  /** Whether the animal itself changes, not only its profile. */
  readonly isPetChanged: boolean;
  readonly row: ImportedPet;
  /** What changes in its profile. */
  readonly profile: ProfileChange;
}

/** The outcome of one batch of an import, as numbers of animals. */
export interface ImportOutcome {
  readonly created: number;
  readonly changes: readonly ImportedChange[];
  /** Animals that already match their row. */
  readonly unchanged: number;
  /** Animals that were changed here since the last import, while their row was not. */
  readonly kept: number;
  /** Animals that were removed here since the last import, while their row was not changed. */
  readonly removed: number;
  /** Names of the categories that the batch creates. */
  readonly categoriesCreated: readonly string[];
  /** External ids of animals that were not changed because an open order holds them. */
  readonly held: readonly string[];
  /** The animals of the rows, in their order; undefined for those that are not here. */
  readonly ids: readonly (bigint | undefined)[];
}

/** The storage contract of animals. */
export interface PetStorage {
  /** Returns a page. With a part of a name it cannot descend. */
  list(filter: PetFilter, page: PageRequest): Promise<Page<Pet>>;
  find(id: bigint): Promise<Pet | undefined>;
  create(pet: NewPet, stamp: ChangeStamp): Promise<Pet>;
  /**
   * Changes an animal. Returns undefined if the animal does not exist. Throws what the precondition
   * throws, or `conflict` for a change of status while an open order holds it.
   */
  update(
    id: bigint,
    change: PetChange,
    stamp: ChangeStamp,
    precondition: Precondition<Pet>,
  ): Promise<Pet | undefined>;
  /**
   * Removes an animal. Returns whether it existed. Throws what the precondition throws, or
   * `conflict` while an open order holds it.
   */
  remove(id: bigint, stamp: ChangeStamp, precondition: Precondition<Pet>): Promise<boolean>;
  /** Returns whether an animal has ever had another status than `sold`; undefined if it does not exist. */
  wasOffered(id: bigint): Promise<boolean | undefined>;
  count(): Promise<number>;
  /** Counts the animals of a category, with any status or one, up to `max`. */
  countInCategory(categoryId: bigint, status: PetStatus | undefined, max: number): Promise<number>;
  /** Returns whether any animal has an external id, so that an export needs a column for it. */
  hasExternalIds(): Promise<boolean>;
  /** The animals that imports added under these external ids, ascending by id. */
  findImported(externalIds: readonly string[]): Promise<readonly BroughtPet[]>;
  /** The animals that imports added and that are not sold, after this id, ascending by id, at most `most`. */
  presentImported(after: bigint, most: number): Promise<readonly BroughtPet[]>;
  /** Returns a page for a file, in ascending order of id. */
  exportPage(status: PetStatus | undefined, page: PageRequest): Promise<Page<ExportedPet>>;
  /**
   * Imports a batch in one transaction, all or nothing. External ids must be unique in a batch. A
   * row that has not changed since the last import changes nothing, even if the animal was changed or removed since; its
   * fields of the animal and of the profile are compared separately. A row that would change the status of an animal
   * that an open order holds changes nothing either; the next import tries it again.
   */
  importBatch(
    batch: readonly ImportedPet[],
    stamp: ChangeStamp,
    options?: BatchOptions,
  ): Promise<ImportOutcome>;
}
