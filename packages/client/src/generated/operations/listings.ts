// Made from openapi.json by `npm run openapi`.
import { Group } from '../../group.ts';
import { type List, searchOf } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type { CountListingsQuery, Listing, ListingFacets, ListListingsQuery } from '../types.ts';

/** `store.listings`. */
export class ListingOperations extends Group {
  /** List listings. */
  list(query: ListListingsQuery = {}, options?: CallOptions): List<Listing> {
    return this.listAt('/listings', query, options);
  }

  /** Count listings. */
  count(query: CountListingsQuery = {}, options?: CallOptions): Promise<ListingFacets> {
    return this.readAt(`/listings/facets${searchOf(query)}`, options);
  }
}
