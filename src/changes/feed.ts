import type { ChangeFeed, WaitingClient, WaitReport, WaitRequest } from '../domain/change-feed.ts';
import type { ChangeLog, ChangePage } from '../domain/change-log.ts';
import { Failure } from '../domain/failure.ts';
import { createWaits, type WaitGroup, type Waits } from './waits.ts';
import { createWatch, systemTime, type WaitTime } from './watch.ts';

/** Reading for waits may hold up other requests for this long at a time, in milliseconds. */
const SLICE_MS = 5;
const RETRY_SECONDS = 2;
/** The share of the places that one key may take: no client can keep all others from waiting. */
const KEY_SHARE = 0.25;

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
  const waitingByKey = new Map<bigint, number>();
  const keyMax = Math.ceil(maxWaiting * KEY_SHARE);
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

  function release(keyId: bigint): void {
    const left = (waitingByKey.get(keyId) ?? 1) - 1;
    if (left === 0) waitingByKey.delete(keyId);
    else waitingByKey.set(keyId, left);
  }

  async function next(
    request: WaitRequest,
    waitMs: number,
    { keyId, signal }: WaitingClient,
  ): Promise<ChangePage> {
    if (hasEnded || signal.aborted) return { changes: [], resumeAfter: request.after };
    const ofKey = waitingByKey.get(keyId) ?? 0;
    if (waits.size >= maxWaiting || ofKey >= keyMax) {
      waits.refuse();
      throw tooManyWait();
    }
    waitingByKey.set(keyId, ofKey + 1);
    const { promise, wait } = waits.add(request, time.now() + waitMs);
    const leave = () => waits.resolveEmpty(wait, 'disconnected');
    signal.addEventListener('abort', leave);
    watch.start();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
      release(keyId);
    }
  }

  return {
    list: log.list,
    newest: log.newest,
    next,
    textOf: createPageTexts(),
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

/** Remembers the text of a page while the page is in use. */
function createPageTexts(): ChangeFeed['textOf'] {
  const texts = new WeakMap<ChangePage, string>();
  return (page, write) => {
    const text = texts.get(page) ?? write(page);
    texts.set(page, text);
    return text;
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
