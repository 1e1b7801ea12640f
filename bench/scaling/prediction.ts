/** Processor time per response in microseconds, and responses per second. */
export interface Observed {
  readonly perSecond: number;
  readonly instance: number;
  readonly postgres: number;
  readonly valkey: number;
  /** Of the clients, on the core of the engines. */
  readonly load: number;
}

/** One instance, observed with many and with few connections. */
export interface Calibration {
  readonly many: { readonly connections: number; readonly observed: Observed };
  readonly few: { readonly connections: number; readonly observed: Observed };
}

/**
 * Predicts instances that share one core, with this many connections each. Requests of an instance that are in progress together
 * share statements and calls, so a response costs a fixed part and a share of a call: `fixed + call / connections`.
 */
export function predict(calibration: Calibration, connections: number): Observed {
  const part = (name: keyof Observed) => costAt(calibration, name, connections);
  const [instance, postgres, valkey] = [part('instance'), part('postgres'), part('valkey')];
  const load = part('load');
  const capacity = capacityOf({ instance, postgres, valkey, load });
  // A core is never quite busy: some time passes while both wait for each other.
  return {
    perSecond: efficiencyOf(calibration) * capacity,
    ...{ instance, postgres, valkey, load },
  };
}

/**
 * Returns the responses per second of processor time of the busier core. Other work on the machine changes it much less
 * than the responses per second.
 */
export function capacityOf({
  instance,
  postgres,
  valkey,
  load,
}: Omit<Observed, 'perSecond'>): number {
  return 1e6 / Math.max(instance, postgres + valkey + load);
}

function costAt({ many, few }: Calibration, part: keyof Observed, connections: number): number {
  const call =
    (few.observed[part] - many.observed[part]) / (1 / few.connections - 1 / many.connections);
  return many.observed[part] + call * (1 / connections - 1 / many.connections);
}

/** The share of its time that the busier core worked with many connections. */
function efficiencyOf({ many: { observed } }: Calibration): number {
  return observed.perSecond / capacityOf(observed);
}
