// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';

/** Availability of an animal. */
export type PetStatus = 'available' | 'pending' | 'sold';

/** An animal to add. */
export interface NewPet {
  /** The animal's name, stored exactly as sent. */
  name: string;
  /** Id of the category that the animal belongs to. The category need not exist. */
  categoryId: Int64;
  /** Availability of the animal: `available` if omitted. */
  status?: PetStatus | undefined;
}

/** The changes to make to an animal. */
export interface PetChange {
  /** The animal's name, stored exactly as sent. */
  name?: string | undefined;
  /** Id of the category that the animal belongs to. The category need not exist. */
  categoryId?: Int64 | undefined;
  status?: PetStatus | undefined;
}

/** An animal. It always has a status. */
export interface Pet {
  /** Unique identifier assigned by the service on creation. */
  id: number;
  /** The animal's name, stored exactly as sent. */
  name: string;
  /** Id of the category that the animal belongs to. The category need not exist. */
  categoryId: Int64;
  status: PetStatus;
}

/** A change of the status of an animal. */
export interface StatusChange {
  /** Number of the change in the history of the animal, starting at 1. */
  id: number;
  /** The new status of the animal. */
  status: 'available' | 'pending' | 'sold';
  /** When the status changed, in UTC. */
  changedAt: string;
  /**
   * Id of the API key that made the change. Absent if the operator made it from the command line.
   */
  keyId?: number | undefined;
}

/** What to list. */
export interface ListPetsQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
  /** Only animals with this availability. */
  status?: PetStatus | undefined;
  /**
   * Only animals with these ids, comma-separated or repeated. With a single id, the `ETag` is that
   * of the animal itself and works in `If-Match`.
   */
  id?: Int64 | readonly Int64[] | undefined;
  /** Only animals of this category. */
  categoryId?: Int64 | undefined;
  /** Only animals with this in their name, ignoring case and accents. */
  name?: string | undefined;
  /** By ascending `id`, the default, or `newest` first, which needs no `name`. */
  sort?: 'id' | 'newest' | undefined;
  /**
   * With `true`, `X-Total-Count` says how many animals pass the filters. It is absent with `id` or
   * `name`, and for more than 100,000 animals of a category.
   */
  total?: 'true' | 'false' | undefined;
}

/** What to list. */
export interface ListPetHistoryQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
}
