import type {
  ChangeFeed,
  ChangeLog,
  ChangePage,
  WaitingClient,
  WaitReport,
  WaitRequest,
} from '../domain/change-log.ts';
import { Failure } from '../domain/failure.ts';
import { createFairPlaces } from '../domain/fair-places.ts';
import { createSharedRead } from './shared-read.ts';
import { type Wait, Waits } from './waits.ts';
import { createWatch, systemTime, type WaitTime } from './watch.ts';

/** How long to wait for more changes after the first: so a follower asks at most four times a second. */
export const GATHER_MS = 250;
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
  const waits = new Waits();
  const places = createFairPlaces({ perHolder: Math.ceil(maxWaiting * KEY_SHARE) });
  const watch = createWatch(log, time, endOver, check);
  /** Why the last check failed; undefined if it did not. */
  let failure: unknown;
  let hasEnded = false;

  function endOver(): void {
    for (const wait of waits.over(time.now())) {
      // Only a check that succeeded shows that nothing happened.
      if (failure === undefined) waits.resolveEarly(wait, 'time');
      else waits.reject(wait, failure);
    }
    restIfEmpty();
  }

  async function check(): Promise<void> {
    try {
      if (waits.size > 0) await readFor(waits.behind(await log.newest(), time.now()));
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

  async function readFor(behind: readonly Wait[]): Promise<void> {
    let startedAt = time.now();
    const read = createSharedRead(log);
    for (const wait of behind) {
      await readNext(read, waits, wait, time.now());
      if (time.now() - startedAt < SLICE_MS) continue;
      await new Promise<void>((next) => time.soon(next));
      startedAt = time.now();
    }
  }

  async function next(
    page: ChangePage,
    asked: Omit<WaitRequest, 'after'>,
    waitMs: number,
    { keyId, signal }: WaitingClient,
  ): Promise<ChangePage> {
    const [first] = page.changes;
    if (hasEnded || signal.aborted) return page;
    const release = waits.size < maxWaiting ? places.take(keyId) : undefined;
    if (release === undefined) {
      if (first !== undefined) return page;
      waits.ended.refused++;
      throw tooManyWait();
    }
    const now = time.now();
    const request = { ...asked, after: first ? first.id - 1n : page.resumeAfter };
    const gathered = first && { page, until: now + GATHER_MS };
    const { promise, wait } = waits.add(request, now + waitMs, gathered);
    const leave = () => waits.resolveEarly(wait, 'disconnected');
    signal.addEventListener('abort', leave);
    watch.start();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
      release();
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
        waits.resolveEarly(wait, 'shutdown');
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

/** Reads what a wait is for. What comes next may get onto the same page. */
async function readNext(
  read: (request: WaitRequest) => Promise<ChangePage>,
  waits: Waits,
  wait: Wait,
  now: number,
): Promise<void> {
  const { request, gathered } = wait;
  try {
    const page = await read(request);
    const count = page.changes.length;
    if (count === 0) wait.request = { ...request, after: page.resumeAfter };
    else if (gathered !== undefined || count === request.limit) {
      waits.resolve(wait, page, 'changes');
    } else wait.gathered = { page, until: now + GATHER_MS };
  } catch (error) {
    waits.reject(wait, error);
  }
}

function tooManyWait(): Failure {
  return new Failure(
    'service_unavailable',
    'Too many requests are waiting for events. Try again shortly, or leave out wait.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
