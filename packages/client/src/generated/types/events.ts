// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';
import type { Event } from './shared-events.ts';

/**
 * Only events with a greater id. `latest` returns none, and a link that continues from now. By
 * default, from the oldest event that is kept.
 */
export type EventPosition = Int64 | 'latest';

/** What to list. */
export interface ListEventsQuery {
  /**
   * Only events with a greater id. `latest` returns none, and a link that continues from now. By
   * default, from the oldest event that is kept.
   */
  after?: EventPosition | undefined;
  /** The largest number of items on a page. */
  limit?: number | undefined;
  /**
   * Only events of these types, comma-separated or repeated. A response may then be empty although
   * more follow.
   */
  type?: Event['type'] | readonly Event['type'][] | undefined;
  /**
   * Seconds to wait for an event if there is none yet: at most 30. From 10 on, a request that has
   * to wait does not count against the limits, up to 10 at once.
   */
  wait?: number | undefined;
}
