// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';
import type { Pet, Stay } from './shared.ts';
import type { Photo, Profile } from './shared-profiles.ts';
import type { Care, PetStatus, Separator, Species } from './shared-words.ts';

/** What staff see of an animal. */
export interface Animal {
  pet: Pet;
  profile: Profile;
  /** Its first photo; absent without any. */
  photo?: Photo | undefined;
  /** Its newest stay. */
  stay?: Stay | undefined;
  /** Its id in the source of an import; null without one. */
  externalId: string | null;
  /** Whether the public sees it. */
  listed: boolean;
}

/** What to list. */
export interface ListAnimalsQuery {
  /**
   * Only animals with a word that starts with each of these words, in name, number, breed,
   * microchip, place or external id, ignoring case and accents. A microchip may have spaces.
   */
  q?: string | undefined;
  /** Only animals with these statuses. */
  status?: PetStatus | readonly PetStatus[] | undefined;
  /** Only animals of these categories. */
  categoryId?: Int64 | readonly Int64[] | undefined;
  /** Only animals of these species. */
  species?: Species | readonly Species[] | undefined;
  /** Only animals that are cared for like this. */
  care?: Care | readonly Care[] | undefined;
  /** Only animals that are published, or not. */
  published?: 'true' | 'false' | undefined;
  /** Only animals with a photo, or without. */
  hasPhoto?: 'true' | 'false' | undefined;
  /** With `true`, only animals that the public sees. */
  listed?: 'true' | undefined;
  /** Only animals that have been in care since this day or longer. */
  inCareSince?: string | undefined;
  /** Only animals whose `careUntil` is this day or an earlier one. */
  careUntil?: string | undefined;
  /** `true`, the default: only animals that are here; `false`: those that have left. */
  present?: 'true' | 'false' | 'any' | undefined;
  /** With `true`, the animals that were removed within 30 days, whatever `present` says. */
  removed?: 'true' | undefined;
  /**
   * `newest`, the default: added last; by `name`; `waiting`: the longest in care first; by
   * `location`, those without a place last.
   */
  sort?: 'newest' | 'name' | 'waiting' | 'location' | undefined;
  /** The largest number of items on a page. */
  limit?: number | undefined;
  /** With `true`, `X-Total-Count` says how many animals pass the filters. */
  total?: 'true' | 'false' | undefined;
  /** What stands between the columns of `text/csv`: `comma` by default. */
  separator?: Separator | undefined;
  /** With `true`, `text/csv` begins with a byte-order mark, as Excel needs it. */
  bom?: 'true' | 'false' | undefined;
}
