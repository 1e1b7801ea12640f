import type { TextResponse } from '../../http/response.ts';
import type { Dependency } from '../contract/dependency.ts';
import type { ReportedChanges } from './reported-changes.ts';

/** Bounds of the store: enough for the pages and animals that most clients request. */
const RESPONSES_MAX = 10_000;
/** Characters of all stored responses, and of the targets they are stored at. */
const CHARACTERS_MAX = 32 * 1_048_576;
/** The memory of an id in a dependency, in characters. */
const ID_WEIGHT = 8;

/** A response, and the records that decide it; undefined if it must not be stored. */
export interface MadeResponse {
  readonly response: TextResponse;
  readonly dependsOn: Dependency | undefined;
}

/**
 * Holds the response for one target. It is a member of the target itself: with responses in objects
 * of their own, 1,000 targets in turn cost 4 µs more per response than 10 do, because each object is
 * fetched from slow memory. Only the store writes to it.
 */
export interface CacheSlot {
  cached: TextResponse | Promise<TextResponse> | undefined;
  /** The version of the records at which `cached` was last known to be right. */
  cachedAt: number;
  /** What `cached` depends on; undefined while it is being made. */
  dependsOn: Dependency | undefined;
  /** The characters that `cached` counts for. */
  cachedWeight: number;
  /** The characters that stay in memory while the slot does. */
  readonly weight: number;
}

/** Returns the members of a new slot. */
export function emptySlot(): Omit<CacheSlot, 'weight'> {
  return { cached: undefined, cachedAt: 0, dependsOn: undefined, cachedWeight: 0 };
}

/** Creates a store of responses, each valid until a change alters it. It drops everything when it is full. */
export function createResponseStore(changes: Pick<ReportedChanges, 'version' | 'mayHaveAltered'>) {
  const filled = new Set<CacheSlot>();
  let characters = 0;

  function empty(slot: CacheSlot): void {
    characters -= slot.cachedWeight;
    filled.delete(slot);
    Object.assign(slot, emptySlot());
  }

  /** Replaces what is in a slot; drops everything first if there is no room. */
  function put(slot: CacheSlot, content: Omit<CacheSlot, 'weight'>): void {
    empty(slot);
    const { cachedWeight } = content;
    if (characters + cachedWeight > CHARACTERS_MAX || filled.size >= RESPONSES_MAX) {
      for (const one of filled) empty(one);
    }
    characters += cachedWeight;
    filled.add(slot);
    Object.assign(slot, content);
  }

  function putMade(slot: CacheSlot, cachedAt: number, { response, dependsOn }: MadeResponse): void {
    // Also one that was made for another day.
    if (dependsOn === undefined || changes.mayHaveAltered(dependsOn, cachedAt)) return;
    const cachedWeight = slot.weight + weightOf(response) + ID_WEIGHT * idsIn(dependsOn);
    put(slot, { cached: response, cachedAt, dependsOn, cachedWeight });
  }

  /** Checks the response in a slot against the changes since the last check. */
  function check(slot: CacheSlot): CacheSlot['cached'] {
    const { cached, dependsOn, cachedAt } = slot;
    // What a response depends on is unknown while it is being made.
    if (cached === undefined || dependsOn === undefined) return undefined;
    if (changes.mayHaveAltered(dependsOn, cachedAt)) {
      empty(slot);
      return undefined;
    }
    slot.cachedAt = changes.version;
    return cached;
  }

  /** Replaces a promise with what it resolves to, if that is still right. */
  async function settle(
    slot: CacheSlot,
    made: Promise<MadeResponse>,
    promise: Promise<TextResponse>,
    version: number,
  ): Promise<void> {
    const settled = await made.catch(() => undefined);
    if (slot.cached === promise) empty(slot);
    if (settled?.dependsOn === undefined) return;
    if (changes.mayHaveAltered(settled.dependsOn, version)) return;
    putMade(slot, changes.version, settled);
  }

  return {
    /** Returns the response stored in this slot, if it is right now; a promise while it is being made. */
    find: (slot: CacheSlot) => (slot.cachedAt === changes.version ? slot.cached : check(slot)),
    /**
     * Stores what `make` returns. A promise is shared with all requests that arrive until the next
     * change, and dropped if it rejects.
     */
    fill(slot: CacheSlot, make: () => Promise<MadeResponse>): Promise<TextResponse> {
      // The rows are read from here on, so they contain every change that was reported before.
      const { version } = changes;
      const made = make();
      const promise = made.then(({ response }) => response);
      put(slot, {
        cached: promise,
        cachedAt: version,
        dependsOn: undefined,
        cachedWeight: slot.weight,
      });
      void settle(slot, made, promise, version);
      return promise;
    },
  };
}

function idsIn(dependsOn: Dependency): number {
  const counted = dependsOn.resource === 'listing' ? dependsOn.others?.counted?.listed : undefined;
  return dependsOn.ids.length + (counted?.length ?? 0);
}

/** A link repeats the whole URL, so headers may be longer than the body. */
function weightOf({ body, headers }: TextResponse): number {
  let weight = body?.length ?? 0;
  for (const name in headers) weight += headers[name]?.length ?? 0;
  return weight;
}
