/** Processor time in microseconds, measured with one and with two workers. */
export interface WorkerCosts {
  /** Of a response without additions. */
  readonly read: number;
  /** Of an addition on the thread that writes, for a client of its own. */
  readonly addition: number;
  /** Of an addition for a client of another worker: on the thread that writes, and on that worker. */
  readonly forwarded: { readonly writer: number; readonly worker: number };
}

/** What is measured of additions: with one worker, and with two that half of the clients each use. */
export interface AdditionTimes {
  readonly one: number;
  readonly two: number;
  /** The part of `two` that the thread that writes takes. */
  readonly twoOnWriter: number;
}

/** Separates the costs of an addition of the writing thread's own clients from those of others. */
export function costsOf(read: number, { one, two, twoOnWriter }: AdditionTimes): WorkerCosts {
  // Half of the additions with two workers cost what they cost with one.
  const writer = Math.max(0, 2 * twoOnWriter - one);
  const worker = 2 * (two - twoOnWriter);
  return { read, addition: one, forwarded: { writer, worker } };
}

/**
 * Computes the most responses a second of a machine with this many cores, a worker on each. The
 * clients are spread evenly, so the busiest thread sets the bound. Left out: the processor time of the
 * kernel for others, the network, and the disk.
 */
export function responsesPerSecond(costs: WorkerCosts, additions: number, cores: number): number {
  const { read, addition, forwarded } = costs;
  const reads = (1 - additions) * read;
  const writer =
    (reads + additions * addition) / cores + (1 - 1 / cores) * additions * forwarded.writer;
  const worker = (reads + additions * forwarded.worker) / cores;
  return 1_000_000 / (cores === 1 ? writer : Math.max(writer, worker));
}
