import { EventOperations } from './generated/operations/events.ts';
import type { Event, ListEventsQuery } from './generated/types.ts';
import { PAGE_MAX, readPage, searchOf } from './list.ts';
import { restAfter } from './pace.ts';
import type { OnRetry } from './retry.ts';
import type { CallOptions } from './transport.ts';

/** What to follow. */
export interface FollowOptions
  extends Pick<ListEventsQuery, 'after' | 'limit' | 'type'>,
    CallOptions {
  /** Called before each wait for another attempt, instead of that of the client. */
  readonly onRetry?: OnRetry | undefined;
}

/** Events in their order, perhaps none. */
export interface EventPage {
  readonly events: Event[];
  /** Where to continue: what to give to `follow` or `pages` as `after`. */
  readonly position: number;
}

/** Seconds that one request waits for an event. Proxies often give up after 30. */
const WAIT_S = 25;

/** `store.events`: what has changed. */
export class Events extends EventOperations {
  /** The position of the newest event: what to give to `follow` as `after`, to miss nothing. */
  async position(options?: CallOptions): Promise<number> {
    const { next } = await readPage(this.transport, '/events', '?after=latest', options);
    return positionIn(next);
  }

  /**
   * Yields each event soon after it happened, in order, none missed and none repeated, until `signal`
   * aborts or the loop is left. Limits of a minute or a day, lost connections and pauses of the
   * service only delay it, and it asks so seldom that the quota lasts. Throws if the key is banned
   * or revoked, and `events_expired` if events after `after` have been removed.
   */
  async *follow(options: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
    for await (const { events } of this.pages(options)) yield* events;
  }

  /**
   * Like `follow`, but yields what one response has, with the position to continue from: for a
   * program that stores both together. There is a page at least every half minute, also without
   * events.
   */
  async *pages(options: FollowOptions = {}): AsyncGenerator<EventPage, void, undefined> {
    const { signal, timeout, onRetry, after, ...query } = options;
    const { time } = this.transport;
    const limit = query.limit ?? PAGE_MAX;
    for (let from = after; ; ) {
      // What a request for `latest` waited for would not come again if its response were lost.
      const wait = from === 'latest' ? undefined : WAIT_S;
      const { items, next, headers } = await readPage<Event>(
        this.transport,
        '/events',
        searchOf({ ...query, limit, after: from, wait }),
        { signal, timeout },
        { endless: true, onRetry },
      );
      const position = positionIn(next);
      const isShort = items.length > 0 && items.length < limit;
      const restsUntil = isShort ? time.now() + restAfter(headers) : 0;
      yield { events: items, position };
      from = position;
      if (restsUntil > time.now()) await time.sleep(restsUntil - time.now(), signal);
    }
  }
}

/** Returns the position in the query of a link. */
function positionIn(next: string | undefined): number {
  const after = new URLSearchParams(next).get('after');
  // Without it, all events would come again.
  if (after === null) throw new TypeError('A response of /events came without its Link header.');
  return Number(after);
}
