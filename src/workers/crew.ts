import { SECOND_MS } from '../domain/clock.ts';
import type { Metric } from '../telemetry/exposition.ts';
import type { Log } from '../telemetry/log.ts';
import { countersOf, type Snapshot, snapshotOf, sumSnapshots } from '../telemetry/snapshot.ts';
import type { MainCalls, ServeOrder, WorkerCalls } from './calls.ts';
import type { Channel } from './channel.ts';
import { createRestartDelays, type RestartDelays } from './restart-delays.ts';
import { type SpawnWorker, startThread, type WorkerThread } from './thread.ts';

/** A worker that is busier than this gives its last metrics. */
const METRICS_MS = SECOND_MS;

interface CrewParts {
  readonly workers: number;
  readonly log: Pick<Log, 'info' | 'error'>;
  readonly spawn: SpawnWorker;
  readonly calls: MainCalls;
  orderFor(worker: number): ServeOrder;
  /** A worker has died; nothing of it runs any more. */
  died(worker: number): void;
}

/** Workers, each replaced when it dies. */
export interface Crew {
  /** Starts all workers. Rejects if one cannot serve, and ends the others. */
  start(): Promise<void>;
  /** Runs work with each worker that lives. A worker that dies meanwhile is left out. */
  each(work: (worker: Channel<WorkerCalls>) => unknown): Promise<void>;
  /** Adds the metrics of the workers to those of this thread. */
  collect(own: readonly Metric[]): Promise<readonly Metric[]>;
  /** Lets every worker finish its requests, and ends it. */
  end(): Promise<void>;
}

/** The place of a worker, whoever fills it. */
interface Place {
  readonly number: number;
  readonly delays: RestartDelays;
  thread: WorkerThread | undefined;
  latest: readonly Snapshot[];
}

/** Creates a crew that has not started. */
export function createCrew({ workers, log, spawn, calls, orderFor, died }: CrewParts): Crew {
  const places = Array.from({ length: workers }, (_, index): Place => {
    return { number: index + 1, delays: createRestartDelays(), thread: undefined, latest: [] };
  });
  /** What workers had counted when they died. */
  let retired: readonly Snapshot[] = [];
  let deaths = 0;
  let isEnding = false;

  async function fill(place: Place): Promise<void> {
    const thread = startThread(spawn, calls);
    try {
      await thread.worker.call('serve', orderFor(place.number));
    } catch (error) {
      await thread.terminate();
      throw error;
    }
    place.thread = thread;
    place.delays.started();
    void thread.ended.then((reason) => replace(place, reason));
  }

  async function replace(place: Place, reason: Error): Promise<void> {
    place.thread = undefined;
    if (isEnding) return;
    deaths++;
    died(place.number);
    const all = sumSnapshots([retired, countersOf(place.latest)]);
    retired = snapshotOf(all);
    place.latest = [];
    log.error(`worker ${place.number} died and is replaced`, reason);
    while (!isEnding) {
      await Bun.sleep(place.delays.next());
      if (isEnding) return;
      try {
        await fill(place);
        log.info(`worker ${place.number} serves again`);
        return;
      } catch (error) {
        log.error(`worker ${place.number} cannot start; trying again`, error);
      }
    }
  }

  async function each(work: (worker: Channel<WorkerCalls>) => unknown): Promise<void> {
    await Promise.all(
      places.map(async ({ thread }) => {
        if (thread !== undefined) await Promise.race([work(thread.worker), thread.ended]);
      }),
    );
  }

  async function lookAt(place: Place): Promise<readonly Snapshot[]> {
    const late = Bun.sleep(METRICS_MS).then(() => undefined);
    const asked = place.thread?.worker.call('metrics', undefined).catch(() => undefined);
    place.latest = (await Promise.race([asked, late])) ?? place.latest;
    return place.latest;
  }

  return {
    each,
    async start() {
      const filled = await Promise.allSettled(places.map(fill));
      const failed = filled.find((each) => each.status === 'rejected');
      if (failed === undefined) return;
      isEnding = true;
      await each((worker) => worker.call('end', undefined));
      await Promise.all(places.map(({ thread }) => thread?.terminate()));
      throw failed.reason;
    },
    async collect(own) {
      const snapshots = await Promise.all(places.map(lookAt));
      const ofCrew = crewMetrics(places.filter(({ thread }) => thread).length, deaths);
      return sumSnapshots([snapshotOf([...own, ...ofCrew]), retired, ...snapshots]);
    },
    async end() {
      isEnding = true;
      await each((worker) => worker.call('end', undefined));
      await Promise.all(places.map(({ thread }) => thread?.terminate()));
    },
  };
}

function crewMetrics(serving: number, deaths: number): readonly Metric[] {
  return [
    {
      name: 'petstore_workers',
      help: 'Threads that serve requests.',
      type: 'gauge',
      samples: () => [[{}, serving]],
    },
    {
      name: 'petstore_worker_deaths_total',
      help: 'Workers that died and were replaced.',
      type: 'counter',
      samples: () => [[{}, deaths]],
    },
  ];
}
