import type { Decision } from '../domain/allowance.ts';

/** Whether a request is charged, or only told where it would stand. */
export type Cost = 'charge' | 'look';

/** What requests share that are charged in one call. */
export interface ChargeGroup<Who> {
  readonly who: Who;
  /** When the first of them asked, in milliseconds since the epoch. */
  readonly now: number;
  readonly cost: Cost;
}

/** How requests that are alike are decided. */
export interface ChargeRules<Who> {
  /** Whose time counts. Where it is that of whoever asks, requests of one time alone are alike. */
  readonly time: 'of the engine' | 'as asked';
  /** Charges so many at once; gives an outcome for each in their order, undefined without an engine. */
  send(alike: ChargeGroup<Who>, count: number): Promise<unknown> | undefined;
  /** Turns an outcome into a decision. */
  read(outcome: unknown, who: Who): Decision;
  /** Decides one without the engine. */
  decideAlone(alike: ChargeGroup<Who>): Decision | Promise<Decision>;
}

interface Batch<Who> extends ChargeGroup<Who> {
  readonly waiting: PromiseWithResolvers<Decision>[];
}

/** Bounds how long the engine, which does one thing at a time, is busy with one call: about 0.3 ms. */
const CALL_MAX = 256;

/**
 * Charges the requests that come in one turn of the event loop together: those that are alike in one
 * call, in the order in which they came. A call costs the engine about 25 µs and each request in it
 * about 1 µs.
 */
export function batchCharges<Who>({ time, send, read, decideAlone }: ChargeRules<Who>) {
  let batches: Batch<Who>[] = [];
  const last = new Map<Who, Batch<Who>>();

  function flush(): void {
    const sending = batches;
    batches = [];
    last.clear();
    for (const batch of sending) void settle(batch);
  }

  async function settle(batch: Batch<Who>): Promise<void> {
    const { waiting, who } = batch;
    const outcomes = await send(batch, waiting.length);
    waiting.forEach(({ resolve, reject }, n) => {
      try {
        resolve(outcomes === undefined ? decideAlone(batch) : read(item(outcomes, n), who));
      } catch (error) {
        reject(error);
      }
    });
  }

  return function decide(who: Who, now: number, cost: Cost): Promise<Decision> {
    let batch = last.get(who);
    if (
      batch === undefined ||
      batch.cost !== cost ||
      (time === 'as asked' && batch.now !== now) ||
      batch.waiting.length === CALL_MAX
    ) {
      if (batches.length === 0) setImmediate(flush);
      batch = { who, now, cost, waiting: [] };
      last.set(who, batch);
      batches.push(batch);
    }
    const own = Promise.withResolvers<Decision>();
    batch.waiting.push(own);
    return own.promise;
  };
}

/** An item of a list in an answer of the engine. */
export function item(list: unknown, index: number): unknown {
  if (Array.isArray(list) && index < list.length) return list[index];
  throw new TypeError('the script answered no list, or one that is too short');
}
