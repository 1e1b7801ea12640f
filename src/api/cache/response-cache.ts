import { type Clock, dayOf } from '../../domain/clock.ts';
import type { Storage } from '../../domain/storage.ts';
import type { TextResponse } from '../../http/response.ts';
import type { Lookups } from '../../telemetry/metrics.ts';
import type { Operation } from '../contract/operation.ts';
import { createReportedChanges } from './reported-changes.ts';
import {
  type CacheSlot,
  createResponseStore,
  emptySlot,
  type MadeResponse,
} from './response-store.ts';

export { emptySlot, type MadeResponse };

/** The part of a target that the cache uses. */
export interface CacheTarget extends CacheSlot {
  /** True if the next request for the same URL gets this same object: not for the first request. */
  readonly isCached: boolean;
}

/** The part of a request that the cache uses. */
export interface CacheRequest {
  readonly operation: Pick<Operation, 'cacheable'> | undefined;
  readonly target: CacheTarget;
  /**
   * Whether the cache knows every change that was acknowledged before the request arrived; false
   * for a request that it does not serve. Only the cache reads or writes it.
   */
  isCaughtUp: boolean | Promise<boolean>;
}

/**
 * Responses of cacheable operations, stored until a change in any process alters them. A list costs
 * 18 µs of query and JSON; from the cache it costs one property of its target.
 */
export interface ResponseCache {
  /**
   * Starts to learn of changes. Called before the request is charged, so that both queries are in
   * flight together when they cross a network.
   */
  begin(request: CacheRequest): void;
  /**
   * Returns the stored response, shares one that another request is making, or makes and stores
   * one. A response never misses a change that was acknowledged before `begin`.
   */
  answer<R extends CacheRequest>(
    request: R,
    make: (request: R) => Promise<MadeResponse>,
  ): Promise<TextResponse>;
}

/** Creates a cache that learns of changes from the storage, and counts its hits and misses. */
export function createResponseCache(
  storage: Pick<Storage, 'trackChanges'>,
  lookups: Lookups,
  clock: Clock,
): ResponseCache {
  const changes = createReportedChanges();
  const store = createResponseStore(changes);
  const tracker = storage.trackChanges(changes);

  async function lookUp<R extends CacheRequest>(
    request: R,
    make: (request: R) => Promise<MadeResponse>,
  ): Promise<TextResponse> {
    const stored = store.find(request.target);
    if (stored !== undefined) {
      lookups.hits++;
      return stored;
    }
    lookups.misses++;
    return store.fill(request.target, () => make(request));
  }

  return {
    begin(request) {
      if (request.operation?.cacheable !== true || !request.target.isCached) return;
      changes.passDay(dayOf(clock.now()));
      request.isCaughtUp = tracker.catchUp();
    },
    async answer(request, make) {
      const { isCaughtUp, operation, target } = request;
      if (isCaughtUp === true || (await isCaughtUp)) return lookUp(request, make);
      if (operation?.cacheable === true && !target.isCached) lookups.misses++;
      return (await make(request)).response;
    },
  };
}

/** Caches nothing. The interface behaves the same with it, only slower. */
export const NO_CACHE: ResponseCache = {
  begin: () => undefined,
  answer: async (request, make) => (await make(request)).response,
};
