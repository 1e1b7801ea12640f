import { SECOND_MS } from '../../domain/clock.ts';
import { counter, gauge, type Metric } from '../../telemetry/exposition.ts';
import type { Log } from '../../telemetry/log.ts';
import { countersOf, type Snapshot, snapshotOf, sumSnapshots } from '../../telemetry/snapshot.ts';
import type { MainCalls, StartMessage, WorkerCalls } from './calls.ts';
import type { Channel } from './channel.ts';
import { type SpawnWorker, startThread, type WorkerThread } from './thread.ts';

/** A worker that is busier than this gives its last metrics. */
const METRICS_MS = SECOND_MS;
/** A worker that has not ended after this time is stuck: requests in progress get 10 s. */
const END_MS = 15 * SECOND_MS;

interface CrewParts {
  /** The numbers of the workers. */
  readonly numbers: readonly number[];
  readonly log: Pick<Log, 'info' | 'error'>;
  readonly spawn: SpawnWorker;
  setUp(worker: number): WorkerSetup;
}

/** What a worker gets. */
export interface WorkerSetup {
  readonly order: StartMessage;
  readonly calls: MainCalls;
  /** The worker has ended; nothing of it runs any more. */
  end(): void;
}

/** The workers beside the main thread, each replaced when it dies. */
export interface Crew {
  /** Starts all workers. One that cannot start is tried again. */
  start(): void;
  /** Runs work with each worker that lives. A worker that dies meanwhile is left out. */
  each(work: (worker: Channel<WorkerCalls>) => unknown): Promise<void>;
  /** Adds the metrics of the workers to those of this thread. */
  collect(own: readonly Metric[]): Promise<readonly Metric[]>;
  /** Lets every worker finish its requests, and ends it. */
  end(): Promise<void>;
}

/** A numbered place for a worker: one that dies is replaced by another in the same place. */
interface Place {
  readonly number: number;
  readonly delays: RestartDelays;
  /** The thread that serves here, or is about to. */
  thread: WorkerThread | undefined;
  isServing: boolean;
  latest: readonly Snapshot[];
}

/** Creates a crew that has not started. */
export function createCrew({ numbers, log, spawn, setUp }: CrewParts): Crew {
  const places = numbers.map((number): Place => {
    const delays = createRestartDelays();
    return { number, delays, thread: undefined, isServing: false, latest: [] };
  });
  /** What workers had counted when they died. */
  let retired: readonly Snapshot[] = [];
  let deaths = 0;
  let isEnding = false;

  /** Starts a worker, and tries again until it serves. */
  async function fill(place: Place): Promise<void> {
    while (!isEnding) {
      const { order, calls, end } = setUp(place.number);
      try {
        const thread = startThread(spawn, calls);
        void thread.ended.then(end);
        place.thread = thread;
        await thread.worker.call('serve', order);
        place.isServing = true;
        place.delays.started();
        void thread.ended.then((reason) => replace(place, reason));
        log.info(`worker ${place.number} serves`);
        return;
      } catch (error) {
        await place.thread?.terminate();
        place.thread = undefined;
        if (isEnding) return;
        log.error(`worker ${place.number} cannot start; trying again`, error);
      }
      await Bun.sleep(place.delays.next());
    }
  }

  async function replace(place: Place, reason: Error): Promise<void> {
    place.thread = undefined;
    place.isServing = false;
    if (isEnding) return;
    deaths++;
    const all = sumSnapshots([retired, countersOf(place.latest)]);
    retired = snapshotOf(all);
    place.latest = [];
    log.error(`worker ${place.number} died and is replaced`, reason);
    await Bun.sleep(place.delays.next());
    await fill(place);
  }

  async function each(work: (worker: Channel<WorkerCalls>) => unknown): Promise<void> {
    await Promise.all(
      places.map(async ({ thread }) => {
        if (thread !== undefined) await Promise.race([work(thread.worker), thread.ended]);
      }),
    );
  }

  return {
    each,
    start() {
      for (const place of places) void fill(place);
    },
    async collect(own) {
      await Promise.all(places.map(readMetrics));
      const serving = 1 + places.filter(({ isServing }) => isServing).length;
      return sumSnapshots([
        snapshotOf([...own, ...crewMetrics(serving, deaths)]),
        // Read together: a worker that died meanwhile is in the first and no longer in the others.
        retired,
        ...places.map(({ latest }) => latest),
      ]);
    },
    async end() {
      isEnding = true;
      await atMost(
        END_MS,
        each((worker) => worker.call('end')),
      );
      await Promise.all(places.map(({ thread }) => thread?.terminate()));
    },
  };
}

/** Gets the metrics of a worker. The last ones stay if it is too busy. */
async function readMetrics(place: Place): Promise<void> {
  const { isServing, thread } = place;
  if (!isServing) return;
  const late = Bun.sleep(METRICS_MS).then(() => undefined);
  const asked = thread?.worker.call('metrics').catch(() => undefined);
  const latest = await Promise.race([asked, late]);
  // What a dead worker had counted is kept elsewhere by now.
  if (latest !== undefined && place.thread === thread) place.latest = latest;
}

/** Waits for work, but not for longer than this. */
async function atMost(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, timeoutMs);
  await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

function crewMetrics(serving: number, deaths: number): readonly Metric[] {
  return [
    gauge('petstore_workers', 'Threads that serve requests.', () => [[{}, serving]]),
    counter('petstore_worker_deaths_total', 'Workers that died and were replaced.', () => [
      [{}, deaths],
    ]),
  ];
}

/** A worker that has served for this long is replaced at once when it dies. */
const STABLE_MS = 10 * SECOND_MS;
const FIRST_MS = 100;
const LONGEST_MS = 10 * SECOND_MS;

/** How long to wait before a worker is replaced, so that one that always dies costs little. */
interface RestartDelays {
  /** The worker serves. */
  started(): void;
  /** Returns the delay before the next start, in milliseconds. */
  next(): number;
}

/** Creates the delays of one worker. `now` returns milliseconds of a monotonic clock. */
export function createRestartDelays(now = () => performance.now()): RestartDelays {
  let startedAt: number | undefined;
  let starts = 0;
  return {
    started() {
      startedAt = now();
    },
    next() {
      if (startedAt !== undefined && now() - startedAt >= STABLE_MS) starts = 0;
      startedAt = undefined;
      const delay = starts === 0 ? 0 : Math.min(FIRST_MS * 2 ** (starts - 1), LONGEST_MS);
      starts++;
      return delay;
    },
  };
}
