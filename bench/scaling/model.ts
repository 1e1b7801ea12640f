import { type Cost, type Costs, combine } from './costs.ts';

/** How many shops there are and what their visitors do. */
export interface Workload {
  readonly name: string;
  readonly animals: number;
  readonly requestsPerDay: number;
  /** Share of the requests that add or change an animal. */
  readonly writes: number;
  /** Share of the reads that are answered from an instance's response cache. */
  readonly cached: number;
}

/** What is assumed, not measured. */
export const ASSUMED = {
  /** The busiest second compared with the mean. */
  peakFactor: 3,
  /** Cores are planned to be this busy at the peak: beyond it, waiting grows quickly. */
  busy: 0.6,
  /** One way and back between two hosts of a zone, and between two zones, in milliseconds. */
  roundTripMs: 0.25,
  zoneTripMs: 1,
  /** A disk that has the data when it says so. */
  syncMs: 1,
  /** What cloud providers charge in a month, about, in dollars. */
  coreMonth: 25,
  gibibyteMonth: 3,
  diskGibibyteMonth: 0.12,
  /** The most cores that one PostgreSQL server is planned for. */
  postgresCoresMax: 64,
};

/** Measured sizes. That of the animals includes their indexes, right after they were added. */
const INSTANCE_MIB = 110;
const MIB_PER_MILLION_ANIMALS = 600;
/** Connections of an instance to PostgreSQL, and what PostgreSQL allows as installed. */
const CONNECTIONS = 9;
const CONNECTIONS_MAX = 100;

/** The resources for a workload, all computed. */
export interface Plan {
  readonly workload: Workload;
  /** Responses per second in the busiest second. */
  readonly peak: number;
  readonly cost: Cost;
  /** Includes one that may fail. */
  readonly instances: number;
  /** Of the leader, and of each standby. */
  readonly postgresCores: number;
  readonly valkeyCores: number;
  readonly connections: number;
  readonly memoryGib: number;
  readonly diskGib: number;
  readonly readMs: number;
  readonly writeMs: number;
  readonly dollarsPerMonth: number;
  readonly limits: readonly Limit[];
}

/** A part that cannot grow any further, and the responses per second it ends at. */
export interface Limit {
  readonly part: string;
  readonly perSecond: number;
  readonly remedy: string;
}

/** Computes what a workload needs. */
export function planFor(workload: Workload, costs: Costs): Plan {
  const peak = (workload.requestsPerDay / 86_400) * ASSUMED.peakFactor;
  const cost = costOf(workload, costs);
  const busyCores = (microseconds: number) => (peak * microseconds) / 1e6 / ASSUMED.busy;
  const instances = Math.max(2, Math.ceil(busyCores(cost.instance)) + 1);
  const postgresCores = Math.max(2, Math.ceil(busyCores(cost.postgres)));
  const valkeyCores = Math.max(1, Math.ceil(busyCores(cost.valkey)));
  const dataGib = ((workload.animals / 1e6) * MIB_PER_MILLION_ANIMALS) / 1024;
  // Three PostgreSQL servers with all data in memory, three of etcd, and two of Valkey.
  const memoryGib = (instances * INSTANCE_MIB) / 1024 + 3 * (2 + dataGib) + 3 + 2;
  const diskGib = 3 * (10 + 2 * dataGib);
  const cores = instances + 3 * postgresCores + 2 * valkeyCores + 3;
  return {
    ...{ workload, peak, cost, instances, postgresCores, valkeyCores, memoryGib, diskGib },
    connections: instances * CONNECTIONS,
    readMs: 2 * ASSUMED.roundTripMs + delayMs(cost.instance, busyOf(instances - 1)),
    writeMs:
      2 * ASSUMED.roundTripMs +
      ASSUMED.zoneTripMs +
      2 * ASSUMED.syncMs +
      delayMs(costs.addition.instance, busyOf(instances - 1)),
    dollarsPerMonth:
      cores * ASSUMED.coreMonth +
      memoryGib * ASSUMED.gibibyteMonth +
      diskGib * ASSUMED.diskGibibyteMonth,
    limits: limitsOf(cost).filter(({ perSecond }) => Number.isFinite(perSecond)),
  };

  function busyOf(cores: number): number {
    return Math.min(0.95, (peak * cost.instance) / 1e6 / Math.max(1, cores));
  }
}

/** The mean processor time of a workload's responses: as many lists as single animals. */
export function costOf({ writes, cached }: Workload, costs: Costs): Cost {
  const half = (1 - writes) / 2;
  return combine(
    [half * cached, costs['cached list']],
    [half * cached, costs['cached animal']],
    [half * (1 - cached), costs.list],
    [half * (1 - cached), costs.animal],
    [writes, costs.addition],
  );
}

/** The time in one server with a queue, whose requests arrive at random (M/M/1). */
function delayMs(microseconds: number, busy: number): number {
  return microseconds / 1_000 / (1 - busy);
}

/** What breaks as the load grows, the first first. */
function limitsOf(cost: Cost): Limit[] {
  const perCore = (microseconds: number) => (1e6 / microseconds) * ASSUMED.busy;
  const limits = [
    {
      part: 'one instance (one core)',
      perSecond: perCore(cost.instance),
      remedy: 'add instances behind the proxy',
    },
    {
      part: `${CONNECTIONS_MAX} connections of PostgreSQL`,
      perSecond: perCore(cost.instance) * Math.floor((CONNECTIONS_MAX - 10) / CONNECTIONS),
      remedy: 'raise max_connections, or put PgBouncer on each PostgreSQL host',
    },
    {
      part: 'one Valkey (one thread)',
      perSecond: perCore(cost.valkey),
      remedy: 'split the shops over several deployments: limits of a key live on one Valkey',
    },
    {
      part: `one PostgreSQL leader (${ASSUMED.postgresCoresMax} cores)`,
      perSecond: perCore(cost.postgres) * ASSUMED.postgresCoresMax,
      remedy: 'split the shops over several deployments: every read asks the leader for changes',
    },
  ];
  return limits.sort((a, b) => a.perSecond - b.perSecond);
}
