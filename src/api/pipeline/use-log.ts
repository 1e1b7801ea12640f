import type { MaybePromise } from '../../domain/maybe-promise.ts';

/** When credentials were last used, in milliseconds since the Unix epoch, until that is stored. */
export interface UseLog<Id> {
  record(id: Id, at: number): void;
  /** Returns a use that may not be stored yet. */
  latest(id: Id): number | undefined;
  /** Stores the uses. Those that cannot be stored wait for the next flush. */
  flush(): Promise<void>;
}

/** Creates a log of uses. `store` writes them. */
export function createUseLog<Id>(
  store: (uses: ReadonlyMap<Id, number>) => MaybePromise<void>,
): UseLog<Id> {
  let sinceFlush = new Map<Id, number>();
  let underWay: ReadonlyMap<Id, number> = new Map();

  return {
    record(id, at) {
      sinceFlush.set(id, at);
    },
    latest: (id) => sinceFlush.get(id) ?? underWay.get(id),
    async flush() {
      if (sinceFlush.size === 0) return;
      underWay = sinceFlush;
      sinceFlush = new Map();
      try {
        await store(underWay);
      } catch (error) {
        sinceFlush = new Map([...underWay, ...sinceFlush]);
        throw error;
      } finally {
        underWay = new Map();
      }
    },
  };
}
