import { EventOperations } from './generated/operations/events.ts';
import type { Event, ListEventsQuery } from './generated/types.ts';
import { readPage, searchOf } from './list.ts';
import { sleep, waitAfter } from './retry.ts';
import type { CallOptions } from './transport.ts';

/** What to follow. */
export interface FollowOptions
  extends Pick<ListEventsQuery, 'after' | 'limit' | 'type'>,
    CallOptions {}

/** Seconds that one request waits for an event. Proxies often give up after 30. */
const WAIT_S = 25;

/** `store.events`: what has changed. */
export class Events extends EventOperations {
  /** The position of the newest event: what to give to `follow` as `after`, to miss nothing. */
  async position(options?: CallOptions): Promise<number> {
    const { next } = await readPage(this.transport, '/events', '?after=latest', options);
    return Number(new URLSearchParams(next).get('after'));
  }

  /**
   * Yields each event as it happens, in order, none missed and none repeated, until `signal` aborts
   * or the loop is left. Lost connections and pauses of the service only delay it. Throws
   * `events_expired` if events after `after` have been removed.
   */
  async *follow(options: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
    const { signal, timeout, after, ...query } = options;
    const call = { signal, timeout };
    let search: string | undefined;
    for (let failures = 0; ; ) {
      try {
        // A position, since a repeated request for `latest` would pass over what happened meanwhile.
        search ??= searchOf({
          ...query,
          after: after === 'latest' ? await this.position(call) : after,
          wait: WAIT_S,
        });
        const page = await readPage<Event>(this.transport, '/events', search, call);
        failures = 0;
        yield* page.items;
        search = page.next ?? search;
      } catch (error) {
        const wait = waitAfter(error, failures++, this.transport.patience.maxWait);
        if (wait < 0) throw error;
        await sleep(wait, signal);
      }
    }
  }
}
