import type { Later } from './later.ts';
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

/** What became of one batch of an import, counted in animals. */
export interface ImportOutcome {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Names of the categories that the batch creates. */
  readonly categoriesCreated: readonly string[];
}

export interface PetStorage {
  /** Ascending by id. */
  list(filter: PetFilter, page: PageRequest): Later<Page<Pet>>;
  find(id: bigint): Later<Pet | undefined>;
  /** The animal is on disk when this answers. */
  create(pet: NewPet): Later<Pet>;
  count(): Later<number>;
  /** Whether any animal has an external id, so that a file of all has a column for it. */
  hasExternalIds(): Later<boolean>;
  /** Ascending by id, for files. */
  exportPage(status: PetStatus | undefined, page: PageRequest): Later<Page<ExportedPet>>;
  /**
   * Takes a batch in one transaction, or nothing of it. No external id may stand twice in a
   * batch. With `dryRun` it only says what it would do.
   */
  importBatch(batch: readonly ImportedPet[], dryRun: boolean): Later<ImportOutcome>;
}
