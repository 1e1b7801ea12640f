import type { ChangeLog, ChangePage, LoggedChange } from '../../domain/change-log.ts';
import { Failure } from '../../domain/failure.ts';
import type { WaitTime } from '../watch.ts';

/** Changes in one read. */
const PAGE = 100;
/** The newest changes that stay in memory, for all endpoints that keep up. */
const RECENT_MAX = 1_000;
/** Pages that one refresh reads: other work goes on in between. */
const REFRESH_PAGES = 5;

/** Reads the change log for many endpoints: what several need is read once. */
export interface LogTail {
  /** The newest known id. */
  readonly newest: bigint;
  /** Reads new changes. Returns whether more may follow. */
  refresh(): Promise<boolean>;
  /**
   * Returns changes after an id, in order, at most 100, and none before the first refresh. Throws
   * `events_expired` if changes after it have been removed.
   */
  after(id: bigint): Promise<readonly LoggedChange[]>;
  /** Returns one change; undefined if it has been removed. */
  find(id: bigint): Promise<LoggedChange | undefined>;
  /** Returns the id before the oldest change that is kept. */
  beforeOldest(): Promise<bigint>;
}

/** Creates a reader of the change log. `soon` calls back when other work has had its turn. */
export function createLogTail(
  log: Pick<ChangeLog, 'list' | 'newest'>,
  soon: WaitTime['soon'],
): LogTail {
  let recent: LoggedChange[] = [];
  /** Every change after this id and up to `newest` is in `recent`. */
  let recentAfter: bigint | undefined;
  let newest = 0n;
  const reads = new Map<bigint, Promise<ChangePage>>();

  /** Reads a page; endpoints that are at the same place share it. */
  function read(after: bigint): Promise<ChangePage> {
    const underWay = reads.get(after);
    if (underWay !== undefined) return underWay;
    const page = Promise.resolve(log.list({ after, limit: PAGE }));
    reads.set(after, page);
    const end = () => void reads.delete(after);
    page.then(end, end);
    return page;
  }

  function add(changes: readonly LoggedChange[]): void {
    recent.push(...changes);
    newest = recent.at(-1)?.id ?? newest;
    // In big steps, so that a change is rarely moved.
    if (recent.length <= 2 * RECENT_MAX) return;
    recentAfter = recent.at(-RECENT_MAX - 1)?.id;
    recent = recent.slice(-RECENT_MAX);
  }

  async function refresh(): Promise<boolean> {
    if (recentAfter === undefined) newest = recentAfter = await log.newest();
    for (let pages = 0; pages < REFRESH_PAGES; pages++) {
      const from = newest;
      const { changes } = await log.list({ after: from, limit: PAGE });
      // Another refresh may have been quicker.
      if (from === newest) add(changes);
      if (changes.length < PAGE) return false;
    }
    return true;
  }

  function fromRecent(id: bigint): readonly LoggedChange[] {
    let low = 0;
    let high = recent.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((recent[middle]?.id ?? 0n) <= id) low = middle + 1;
      else high = middle;
    }
    return recent.slice(low, low + PAGE);
  }

  return {
    get newest() {
      return newest;
    },
    async refresh() {
      try {
        return await refresh();
      } catch (error) {
        if (!isExpired(error)) throw error;
        recent = [];
        recentAfter = undefined;
        return true;
      }
    },
    async after(id) {
      if (recentAfter === undefined || id >= newest) return [];
      if (id >= recentAfter) return fromRecent(id);
      // An endpoint that is far behind must not hold up requests.
      await new Promise<void>(soon);
      return (await read(id)).changes;
    },
    async find(id) {
      try {
        const [found] = (await log.list({ after: id - 1n, limit: 1 })).changes;
        return found?.id === id ? found : undefined;
      } catch (error) {
        if (isExpired(error)) return undefined;
        throw error;
      }
    },
    async beforeOldest() {
      const [oldest] = (await log.list({ after: undefined, limit: 1 })).changes;
      return oldest === undefined ? newest : oldest.id - 1n;
    },
  };
}

/** Returns whether an error means that changes have been removed. */
export function isExpired(error: unknown): boolean {
  return error instanceof Failure && error.code === 'events_expired';
}
