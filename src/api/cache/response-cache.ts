import { type Clock, dayOf } from '../../domain/clock.ts';
import type { Storage } from '../../domain/storage.ts';
import type { TextResponse } from '../../http/response.ts';
import type { Lookups } from '../../telemetry/metrics.ts';
import type { Operation } from '../contract/operation.ts';

/** Bounds of the cache: enough for the pages and animals that most clients request. */
const RESPONSES_MAX = 10_000;
/** Characters of all stored responses, and of the targets they are stored at. */
const CHARACTERS_MAX = 32 * 1_048_576;

/** What the cache needs of a target. It stores responses by the identity of this object. */
export interface CacheTarget {
  /** True if the next request for the same URL gets this same object: not for the first request. */
  readonly isCached: boolean;
  /** The characters that stay in memory while the target does. */
  readonly weight: number;
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
 * Responses of cacheable operations. Each is served while there is no change since, in any process, and it is
 * the same day: ages depend on it. A list costs 18 µs of query and JSON, and a lookup a tenth of one.
 */
export interface ResponseCache {
  /**
   * Starts to learn whether there are changes. Called before the request is charged, so that both queries are in
   * flight together when they cross a network.
   */
  begin(request: CacheRequest): void;
  /** Returns the stored response, if it is known at once and right. */
  stored(request: CacheRequest): TextResponse | undefined;
  /**
   * Returns the stored response, shares one that another request is making, or makes and stores
   * one. A response never misses a change that was acknowledged before `begin`.
   */
  answer<R extends CacheRequest>(
    request: R,
    make: (request: R) => Promise<TextResponse>,
  ): Promise<TextResponse>;
}

/** Creates a cache that learns of changes from the storage, and counts its hits and misses. */
export function createResponseCache(
  storage: Pick<Storage, 'trackChanges'>,
  lookups: Lookups,
  clock: Clock,
): ResponseCache {
  const responses = new Map<CacheTarget, TextResponse | Promise<TextResponse>>();
  let characters = 0;
  /** Grows when everything is dropped: a response whose making started before is not stored. */
  let version = 0;
  let day = 0;
  const tracker = storage.trackChanges(drop);

  function drop(): void {
    version++;
    responses.clear();
    characters = 0;
  }

  function passDay(today: number): void {
    if (today !== day) drop();
    day = today;
  }

  function put(target: CacheTarget, response: TextResponse): void {
    const weight = target.weight + weightOf(response);
    if (responses.size >= RESPONSES_MAX || characters + weight > CHARACTERS_MAX) drop();
    characters += weight;
    responses.set(target, response);
  }

  /** Makes a response that all requests share that arrive until the next change. */
  function fill(target: CacheTarget, make: () => Promise<TextResponse>): Promise<TextResponse> {
    // The rows are read from here on, so they contain every change that was reported before.
    const before = version;
    const made = make();
    responses.set(target, made);
    const settle = (response?: TextResponse) => {
      if (version !== before) return;
      responses.delete(target);
      if (response !== undefined && response.status < 400) put(target, response);
    };
    made.then(settle, () => settle());
    return made;
  }

  return {
    begin(request) {
      if (request.operation?.cacheable !== true || !request.target.isCached) return;
      passDay(dayOf(clock.now()));
      request.isCaughtUp = tracker.catchUp();
    },
    stored({ isCaughtUp, target }) {
      const found = isCaughtUp === true ? responses.get(target) : undefined;
      if (found === undefined || found instanceof Promise) return undefined;
      lookups.hits++;
      return found;
    },
    async answer(request, make) {
      const { isCaughtUp, operation, target } = request;
      const isKnown = isCaughtUp === true || (await isCaughtUp);
      const found = isKnown ? responses.get(target) : undefined;
      if (found !== undefined) {
        lookups.hits++;
        return found;
      }
      if (isKnown || (operation?.cacheable === true && !target.isCached)) lookups.misses++;
      return isKnown ? fill(target, () => make(request)) : make(request);
    },
  };
}

/** A link repeats the whole URL, so headers may be longer than the body. */
function weightOf({ body, headers }: TextResponse): number {
  let weight = body?.length ?? 0;
  for (const name in headers) weight += headers[name]?.length ?? 0;
  return weight;
}

/** Caches nothing. The interface behaves the same with it, only slower. */
export const NO_CACHE: ResponseCache = {
  begin: () => undefined,
  stored: () => undefined,
  answer: (request, make) => make(request),
};
