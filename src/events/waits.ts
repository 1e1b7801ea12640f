import type { ChangePage, WaitEnd, WaitReport, WaitRequest } from '../domain/change-log.ts';

/** A request that waits. */
export interface Wait {
  /** When its time is over, in milliseconds of the monotonic clock. */
  readonly endsAt: number;
  /** Another one once its group has caught up with that. */
  group: WaitGroup;
  fulfil(page: ChangePage): void;
  fail(error: unknown): void;
}

/** Requests that wait for the same changes. They share one read. */
export interface WaitGroup {
  /** What to read next. Nothing that was asked for came before it. `Waits` moves it on. */
  request: WaitRequest;
  /** The first changes, and until when others are waited for, which get into the same response. */
  gathered: { readonly page: ChangePage; readonly until: number } | undefined;
  readonly waits: Set<Wait>;
}

/** The requests that wait, in groups. */
export interface Waits {
  readonly size: number;
  /** The waits that ended, by how. */
  readonly ended: WaitReport['ended'];
  /**
   * Adds a request, with what has been gathered for it. The promise settles when its wait is ended.
   */
  add(
    request: WaitRequest,
    endsAt: number,
    gathered?: WaitGroup['gathered'],
  ): { wait: Wait; promise: Promise<ChangePage> };
  /** Ends a wait, unless it has ended before. */
  resolve(wait: Wait, page: ChangePage, end: WaitEnd): void;
  /** Ends a wait early, with what has been gathered, unless it has ended before. */
  resolveEarly(wait: Wait, end: WaitEnd): void;
  /** Ends a wait with an error, unless it has ended before. */
  reject(wait: Wait, error: unknown): void;
  /** Counts a request for which there was no place. */
  refuse(): void;
  /** Moves the waits of a group on: nothing that they ask for comes up to this id. */
  advance(group: WaitGroup, to: bigint): void;
  /** Returns the groups that have not seen this change, and do not gather at `now`, in order of `after`. */
  groupsBefore(id: bigint, now: number): readonly WaitGroup[];
  /** Returns the waits whose time was over at `now`. */
  over(now: number): readonly Wait[];
}

function keyOf({ after, types, limit }: WaitRequest): string {
  return `${after} ${limit} ${types?.join() ?? ''}`;
}

/** Creates an empty set of waits. */
export function createWaits(): Waits {
  const groups = new Map<string, WaitGroup>();
  const ended = { changes: 0, time: 0, disconnected: 0, shutdown: 0, failed: 0, refused: 0 };
  let size = 0;

  /** Returns the group that waits for this. If there is none, `group` becomes it. */
  function groupOf(request: WaitRequest, group?: WaitGroup): WaitGroup {
    const key = keyOf(request);
    const found = groups.get(key) ?? group ?? { request, gathered: undefined, waits: new Set() };
    groups.set(key, found);
    return found;
  }

  /** Returns false if it has ended before. */
  function remove(wait: Wait, end: WaitEnd): boolean {
    const { group } = wait;
    if (!group.waits.delete(wait)) return false;
    if (group.waits.size === 0) groups.delete(keyOf(group.request));
    size--;
    ended[end]++;
    return true;
  }

  function resolve(wait: Wait, page: ChangePage, end: WaitEnd): void {
    if (remove(wait, end)) wait.fulfil(page);
  }

  return {
    get size() {
      return size;
    },
    ended,
    add(request, endsAt, gathered) {
      const { promise, resolve: fulfil, reject: fail } = Promise.withResolvers<ChangePage>();
      const group = groupOf(request);
      group.gathered ??= gathered;
      const wait = { endsAt, group, fulfil, fail };
      group.waits.add(wait);
      size++;
      return { wait, promise };
    },
    resolve,
    resolveEarly(wait, end) {
      const { gathered, request } = wait.group;
      if (gathered !== undefined) resolve(wait, gathered.page, 'changes');
      else resolve(wait, { changes: [], resumeAfter: request.after }, end);
    },
    reject(wait, error) {
      if (remove(wait, 'failed')) wait.fail(error);
    },
    refuse() {
      ended.refused++;
    },
    advance(group, to) {
      const { request, waits } = group;
      if (to === request.after || waits.size === 0) return;
      groups.delete(keyOf(request));
      group.request = { ...request, after: to };
      const joined = groupOf(group.request, group);
      if (joined === group) return;
      for (const wait of waits) {
        wait.group = joined;
        joined.waits.add(wait);
      }
    },
    groupsBefore: (id, now) =>
      [...groups.values()]
        .filter(
          ({ request, gathered }) => request.after < id && !(gathered && now < gathered.until),
        )
        .sort((a, b) => Number(a.request.after - b.request.after)),
    over(now) {
      const found: Wait[] = [];
      for (const { waits } of groups.values()) {
        for (const wait of waits) if (wait.endsAt <= now) found.push(wait);
      }
      return found;
    },
  };
}
