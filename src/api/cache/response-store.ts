import type { MaybePromise } from '../../domain/maybe-promise.ts';
import type { TextResponse } from '../../http/response.ts';

/** Bounds of the store: enough for the pages and animals that most clients request. */
const RESPONSES_MAX = 10_000;
/** Characters of all stored responses, and of the targets they are stored at. */
const CHARACTERS_MAX = 32 * 1_048_576;

/**
 * Holds the response for one target. It is a member of the target itself: with responses in objects
 * of their own, 1,000 targets in turn cost 4 µs more per response than 10 do, because each object is
 * fetched from slow memory. Only the store writes to it.
 */
export interface CacheSlot {
  cached: MaybePromise<TextResponse> | undefined;
  /** The characters that stay in memory while the slot does. */
  readonly weight: number;
}

/** Responses, each valid until any record changes. */
export interface ResponseStore {
  /** Returns the response stored in this slot for this version; a promise while it is being made. */
  find(slot: CacheSlot, version: number): MaybePromise<TextResponse> | undefined;
  /**
   * Stores a response that was read after `version` was queried. A promise is shared with all
   * requests that arrive meanwhile, and dropped if it rejects.
   */
  store(slot: CacheSlot, version: number, response: MaybePromise<TextResponse>): void;
}

/**
 * Creates an empty store. It drops everything when a record changes or when it is full. A request
 * that waited may have an older version than the store has seen: it finds nothing, and its response
 * is not stored.
 */
export function createResponseStore(): ResponseStore {
  const filled: CacheSlot[] = [];
  let characters = 0;
  let current = Number.NEGATIVE_INFINITY;

  /** Returns whether this is the newest version seen so far. A newer one drops everything. */
  function isCurrent(version: number): boolean {
    if (version === current) return true;
    if (version < current) return false;
    current = version;
    drop();
    return true;
  }

  function drop(): void {
    for (const slot of filled) slot.cached = undefined;
    filled.length = 0;
    characters = 0;
  }

  /** Counts what is about to be stored, and drops everything first if there is no room. */
  function count(weight: number): void {
    if (characters + weight > CHARACTERS_MAX || filled.length >= RESPONSES_MAX) drop();
    characters += weight;
  }

  function fill(slot: CacheSlot, response: MaybePromise<TextResponse>): void {
    count(slot.weight);
    slot.cached = response;
    filled.push(slot);
  }

  /** Replaces a promise with the response it resolves to, unless it was dropped meanwhile. */
  async function settle(slot: CacheSlot, promise: Promise<TextResponse>): Promise<void> {
    const response = await promise.catch(() => undefined);
    if (slot.cached !== promise) return;
    if (response !== undefined) count(weightOf(response));
    if (slot.cached === promise) slot.cached = response;
    else if (response !== undefined) fill(slot, response);
  }

  return {
    find: (slot, version) => (isCurrent(version) ? slot.cached : undefined),
    store(slot, version, response) {
      if (!isCurrent(version)) return;
      if (response instanceof Promise) void settle(slot, response);
      else count(weightOf(response));
      fill(slot, response);
    },
  };
}

/** A link repeats the whole URL, so headers may be longer than the body. */
function weightOf({ body, headers }: TextResponse): number {
  let weight = body?.length ?? 0;
  for (const name in headers) weight += headers[name]?.length ?? 0;
  return weight;
}
