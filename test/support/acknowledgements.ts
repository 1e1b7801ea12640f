/** Those who wait until something that is sent from now on is acknowledged. */
export interface Acknowledgements {
  /** Resolves with the time at which a request sent after this call is acknowledged. */
  next(): Promise<number>;
  /** Notes that a request sent at this time is acknowledged now. Both by `performance.now()`. */
  note(sentAt: number): void;
}

/** Creates a list of those who wait. */
export function createAcknowledgements(): Acknowledgements {
  let waiting: { readonly since: number; readonly resolve: (at: number) => void }[] = [];
  return {
    next() {
      const { promise, resolve } = Promise.withResolvers<number>();
      waiting.push({ since: performance.now(), resolve });
      return promise;
    },
    note(sentAt) {
      const now = performance.now();
      for (const { since, resolve } of waiting) if (sentAt >= since) resolve(now);
      waiting = waiting.filter(({ since }) => sentAt < since);
    },
  };
}
