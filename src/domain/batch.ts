/** The largest batch. Bounds the size of one statement. */
const BATCH_MAX = 512;

/**
 * Work for many items at once. Returns a result for each, in their order. `waitedMs` is how long the
 * first item has waited, in milliseconds.
 */
export type BatchWork<Item, Result> = (
  items: readonly Item[],
  waitedMs: number,
) => Promise<readonly (Result | Promise<Result>)[]>;

interface Waiting<Item, Result> extends PromiseWithResolvers<Result> {
  readonly item: Item;
  readonly since: number;
}

/**
 * Batches items for work that costs nearly the same for one and for many: the items of one turn of the event loop, and
 * those that arrive while `underWayMax` batches are under way. An item never joins a batch that was already sent, so
 * whatever is read for it is read after it arrived. If the work fails, every item of its batch is rejected.
 */
export function createBatcher<Item, Result>(
  work: BatchWork<Item, Result>,
  underWayMax: number,
  sizeMax = BATCH_MAX,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;

  function send(): void {
    if (underWay === underWayMax) return;
    const batch = waiting.splice(0, sizeMax);
    const [first] = batch;
    if (first === undefined) return;
    underWay++;
    void settle(batch, performance.now() - first.since);
  }

  async function settle(batch: readonly Waiting<Item, Result>[], waitedMs: number): Promise<void> {
    try {
      const items = batch.map(({ item }) => item);
      const results = await work(items, waitedMs);
      if (results.length !== batch.length) throw new Error('not as many results as items');
      results.forEach((result, n) => {
        batch[n]?.resolve(result);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    underWay--;
    send();
  }

  return (item) => {
    const own = { ...Promise.withResolvers<Result>(), item, since: performance.now() };
    waiting.push(own);
    if (waiting.length === 1) setImmediate(send);
    return own.promise;
  };
}
