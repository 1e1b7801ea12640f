// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';
import type { AuditType } from './shared-words.ts';

/** What to list. */
export interface ListAuditQuery {
  /** Only changes by this API key or person. */
  actor?: Int64 | undefined;
  /** Only changes of this type. */
  type?: AuditType | undefined;
  /** Only changes of this animal, its profile, photos and adoptions. */
  pet?: Int64 | undefined;
  /** Only changes made by this import. */
  import?: Int64 | undefined;
  /** Only changes at or after this time (RFC 3339). */
  from?: string | undefined;
  /** Only changes before this time (RFC 3339). */
  to?: string | undefined;
  /** Only changes that come after the one with this id, in the order of the list. */
  after?: Int64 | undefined;
  /** `newest` lists the latest change first. */
  sort?: 'oldest' | 'newest' | undefined;
  /** The largest number of items on a page. */
  limit?: number | undefined;
}
