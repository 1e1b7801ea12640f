import type { Database } from 'bun:sqlite';

/** Creates the function that reads the greatest id of the change log; 0 for an empty one. */
export function newestIn(database: Database): () => bigint {
  const newest = database.query<{ id: bigint | null }, []>('SELECT max(id) AS id FROM changes');
  return () => newest.get()?.id ?? 0n;
}

/** Tells listeners when the change log has grown since the last commit of this process. */
export function createChangeListeners(database: Database) {
  const newestId = newestIn(database);
  const listeners = new Set<() => void>();
  let last: bigint | undefined;

  /** Returns undefined if it cannot be read: what was committed is nevertheless. */
  function newest(): bigint | undefined {
    try {
      return newestId();
    } catch {
      return undefined;
    }
  }

  return {
    listen(listener: () => void): () => void {
      if (listeners.size === 0) last = newest();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Called after each commit. */
    committed(): void {
      if (listeners.size === 0) return;
      const before = last;
      last = newest();
      if (last !== undefined && last === before) return;
      for (const listener of listeners) listener();
    },
  };
}
