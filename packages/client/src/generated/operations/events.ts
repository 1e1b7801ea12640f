// Made from openapi.json by `npm run openapi`.
import { Group } from '../../group.ts';
import type { List } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type { Event, ListEventsQuery } from '../types.ts';

/** `store.events`. */
export class EventOperations extends Group {
  /** List events. */
  list(query: ListEventsQuery = {}, options?: CallOptions): List<Event> {
    return this.listAt('/events', query, options);
  }
}
