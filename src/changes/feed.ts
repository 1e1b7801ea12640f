import type { ChangeFeed, WaitReport, WaitRequest } from '../domain/change-feed.ts';
import type { ChangeLog, ChangePage } from '../domain/change-log.ts';
import { Failure } from '../domain/failure.ts';
import { createWaits, type WaitGroup, type Waits } from './waits.ts';
import { createWatch, systemTime, type WaitTime } from './watch.ts';

/** Reading for waits may hold up other requests for this long at a time, in milliseconds. */
const SLICE_MS = 5;
const RETRY_SECONDS = 2;

/** A feed with its waits. */
export interface RunningFeed extends ChangeFeed {
  report(): WaitReport;
  /** Ends every wait. From now on `next` returns at once. */
  end(): void;
}

/**
 * Creates the feed of a change log. Requests that wait hold no connection to the database: one query
 * for the newest id serves them all.
 */
export function createFeed(
  log: ChangeLog,
  maxWaiting: number,
  time: WaitTime = systemTime,
): RunningFeed {
  const waits = createWaits();
  const watch = createWatch(log, time, endOver, look);
  /** Why the last look failed; undefined if it did not. */
  let failure: unknown;
  let hasEnded = false;

  function endOver(): void {
    for (const wait of waits.over(time.now())) {
      // Only after a look can be said that nothing happened.
      if (failure === undefined) waits.resolveEmpty(wait, 'time');
      else waits.reject(wait, failure);
    }
    restIfEmpty();
  }

  async function look(): Promise<void> {
    try {
      if (waits.size > 0) await readFor(waits.groupsBefore(await log.newest()));
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    restIfEmpty();
  }

  function restIfEmpty(): void {
    if (waits.size > 0) return;
    watch.stop();
    failure = undefined;
  }

  async function readFor(groups: readonly WaitGroup[]): Promise<void> {
    let startedAt = time.now();
    for (const group of groups) {
      await readGroup(log, waits, group);
      if (time.now() - startedAt < SLICE_MS) continue;
      await new Promise<void>((next) => time.soon(next));
      startedAt = time.now();
    }
  }

  async function next(
    request: WaitRequest,
    waitMs: number,
    client: AbortSignal,
  ): Promise<ChangePage> {
    if (hasEnded || client.aborted) return { changes: [], resumeAfter: request.after };
    if (waits.size >= maxWaiting) {
      waits.refuse();
      throw tooManyWait();
    }
    const { promise, wait } = waits.add(request, time.now() + waitMs);
    const leave = () => waits.resolveEmpty(wait, 'disconnected');
    client.addEventListener('abort', leave);
    watch.start();
    try {
      return await promise;
    } finally {
      client.removeEventListener('abort', leave);
    }
  }

  return {
    list: log.list,
    newest: log.newest,
    next,
    report: () => ({ waiting: waits.size, ended: waits.ended }),
    end() {
      hasEnded = true;
      for (const wait of waits.over(Number.POSITIVE_INFINITY)) {
        waits.resolveEmpty(wait, 'shutdown');
      }
      watch.stop();
    },
  };
}

/** Reads what a group waits for, once for all of them. */
async function readGroup(log: ChangeLog, waits: Waits, group: WaitGroup): Promise<void> {
  let page: ChangePage;
  try {
    page = await log.list(group.request);
  } catch (error) {
    for (const wait of [...group.waits]) waits.reject(wait, error);
    return;
  }
  if (page.changes.length === 0) waits.advance(group, page.resumeAfter);
  else for (const wait of [...group.waits]) waits.resolve(wait, page, 'changes');
}

function tooManyWait(): Failure {
  return new Failure(
    'service_unavailable',
    'Too many requests are waiting for events. Try again shortly, or leave out wait.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
