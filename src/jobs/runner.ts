import type { ChangeLog } from '../domain/change-log.ts';
import { type Clock, SECOND_MS } from '../domain/clock.ts';
import type { DeliverySnapshot, DeliveryStorage } from '../domain/delivery.ts';
import { isUnavailable } from '../domain/failure.ts';
import { createWatch, systemTime, type WaitTime, type Watch } from '../events/watch.ts';
import { OwnLease } from './lease.ts';
import { Line, type LineParts, type Places, type Target } from './line.ts';

/** The time between two reads of the targets: a change takes effect in every process within a second. */
const REFRESH_MS = 500;
/** Kinds save their state after this many reads. After a crash, what they read since is read again. */
const REFRESHES_PER_SAVE = 20;
/** The time between two checks for events of other processes, and for jobs that are due. */
const TICK_MS = 250;
/** The pause after all new events were read: with many events, more of them are read at once. */
const ROUND_PAUSE_MS = 10;
/** Attempts in progress, of all lines and of those whose last attempt failed. */
const SLOTS = 512;
const FAILING_SLOTS = 256;
/** The wait of a shutdown for attempts in progress, and then for their storage. */
const DRAIN_MS = 3_000;
const RECORD_MS = SECOND_MS;
const DRAIN_STEP_MS = 10;

/** A kind of jobs. Every process looks for work, and the leader does it. */
export interface Kind {
  /** Returns whether there is, or may soon be, something to send. */
  isNeeded(snapshot: DeliverySnapshot): Promise<boolean> | boolean;
  /** Returns the current targets by the ids of their lines. The same object stands for the same target. */
  targets(term: bigint, snapshot: DeliverySnapshot): Promise<ReadonlyMap<bigint, Target>>;
  /** Adds jobs for what has happened since the last call. Returns whether more may follow. */
  add(term: bigint, lines: ReadonlyMap<bigint, Line>): Promise<boolean>;
  /** Saves its progress. */
  save?(term: bigint): Promise<void>;
  /** Called when a target is given up, for a reason that is stored. */
  disabled?(target: Target): void;
  /** Called when this process is no longer the leader. */
  forget?(): void;
}

/** The parts of the runner. */
export interface RunnerParts {
  readonly storage: {
    readonly changes: Pick<ChangeLog, 'listen'>;
    readonly deliveries: DeliveryStorage;
  };
  readonly clock: Clock;
  readonly log: { error(message: string, error: unknown): void };
  isFenced(): boolean;
  readonly time?: WaitTime | undefined;
}

/** Does the jobs that are due: all of them while this process is the leader, else none. */
export class Runner {
  /** The lines of this process, by id. */
  readonly lines = new Map<bigint, Line>();
  readonly #parts: RunnerParts;
  readonly #kinds: readonly Kind[];
  readonly #time: WaitTime;
  readonly #lease: OwnLease;
  readonly #watch: Watch;
  readonly #lineParts: Omit<LineParts, 'disabled'>;
  #stopRefreshing = () => {};
  #refreshing: Promise<void> | undefined;
  #refreshes = 0;
  #isEnding = false;

  constructor(parts: RunnerParts, kinds: readonly Kind[]) {
    const { storage, clock, time = systemTime } = parts;
    this.#parts = parts;
    this.#kinds = kinds;
    this.#time = time;
    this.#lease = new OwnLease(storage.deliveries, time);
    const round = () => this.#round();
    this.#watch = createWatch(storage.changes, time, () => {}, round, TICK_MS);
    const report = (error: unknown) => this.#report(error);
    this.#lineParts = {
      clock,
      slots: new Slots(SLOTS),
      failingSlots: new Slots(FAILING_SLOTS),
      mayAttempt: () => !this.#isEnding && this.#isLeader(),
      report,
    };
  }

  /** The term in which this process is the leader; undefined if it is not. */
  get term(): bigint | undefined {
    return this.#lease.term;
  }

  start(): void {
    this.#stopRefreshing = this.#time.every(REFRESH_MS, () => this.refresh());
    this.refresh();
  }

  /** Finishes attempts in progress, or cuts them off after 3 seconds. Gives the lease back. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#stopRefreshing();
    this.#watch.stop();
    await this.#refreshing;
    await this.#drain(DRAIN_MS, ({ inProgress }) => inProgress);
    for (const line of this.lines.values()) line.end();
    await this.#drain(RECORD_MS, ({ unfinished }) => unfinished);
    try {
      await this.#save();
      await this.#lease.release();
    } catch (error) {
      this.#report(error);
    }
    this.#dropAll();
  }

  async #drain(timeoutMs: number, count: (line: Line) => number): Promise<void> {
    const endsAt = performance.now() + timeoutMs;
    const isBusy = () => [...this.lines.values()].some((each) => count(each) > 0);
    while (isBusy() && performance.now() < endsAt) await Bun.sleep(DRAIN_STEP_MS);
  }

  #isLeader(): boolean {
    return this.#lease.term !== undefined && !this.#parts.isFenced();
  }

  /** Reads what there is to work for, soon. */
  refresh(): void {
    if (!this.#isLeader()) this.#dropAll();
    if (this.#isEnding || this.#parts.isFenced()) return;
    this.#refreshing ??= this.#refresh()
      .catch((error) => this.#report(error))
      .finally(() => {
        this.#refreshing = undefined;
      });
  }

  /** Renews or takes the lease, and takes over changes of the targets. */
  async #refresh(): Promise<void> {
    const { storage, clock } = this.#parts;
    const snapshot = await storage.deliveries.snapshot(clock.now());
    const needed = await Promise.all(this.#kinds.map((kind) => kind.isNeeded(snapshot)));
    if (needed.includes(true)) await this.#lease.renewOrTake(snapshot.lease);
    else await this.#lease.release();
    const { term } = this.#lease;
    if (term === undefined || !this.#isLeader() || this.#isEnding) return this.#dropAll();
    const found = [];
    for (const kind of this.#kinds) {
      found.push({ kind, targets: await kind.targets(term, snapshot) });
    }
    if (!this.#isLeader() || this.#isEnding) return this.#dropAll();
    this.#takeOver(found);
    this.#refreshes++;
    if (this.#refreshes % REFRESHES_PER_SAVE === 0) await this.#save();
  }

  /** Drops the lines of targets that are gone, and adds one for each that is new. */
  #takeOver(
    found: readonly { readonly kind: Kind; readonly targets: ReadonlyMap<bigint, Target> }[],
  ): void {
    for (const line of [...this.lines.values()]) {
      const isThere = found.some(({ targets }) => targets.get(line.id) === line.target);
      if (!isThere || line.hasEnded) this.drop(line);
    }
    for (const { kind, targets } of found) {
      const disabled = (line: Line) => {
        kind.disabled?.(line.target);
        this.drop(line);
      };
      for (const [id, target] of targets) {
        if (this.lines.has(id)) continue;
        this.lines.set(id, new Line(id, target, { ...this.#lineParts, disabled }));
      }
    }
    if (this.lines.size > 0) this.#watch.start();
  }

  /** Adds jobs for what has happened, and lets lines continue that have something due. */
  async #round(): Promise<void> {
    try {
      while (!this.#isEnding && (await this.#add()));
    } catch (error) {
      this.#report(error);
    }
    const now = this.#parts.clock.now();
    for (const line of this.lines.values()) line.wakeIfDue(now);
    await Bun.sleep(ROUND_PAUSE_MS);
  }

  async #add(): Promise<boolean> {
    let isMore = false;
    for (const kind of this.#kinds) {
      const { term } = this.#lease;
      if (term !== undefined && (await kind.add(term, this.lines))) isMore = true;
    }
    return isMore;
  }

  async #save(): Promise<void> {
    const { term } = this.#lease;
    if (term !== undefined) for (const kind of this.#kinds) await kind.save?.(term);
  }

  #dropAll(): void {
    for (const line of [...this.lines.values()]) this.drop(line);
    for (const kind of this.#kinds) kind.forget?.();
  }

  /** Cuts off the attempts of a line; no more are made. */
  drop(line: Line | undefined): void {
    if (line === undefined) return;
    line.end();
    if (this.lines.get(line.id) === line) this.lines.delete(line.id);
    if (this.lines.size === 0) this.#watch.stop();
  }

  #report(error: unknown): void {
    if (!isUnavailable(error))
      this.#parts.log.error('could not send what is due; trying again', error);
  }
}

/** The attempts in progress that all lines share: bounds connections and memory. */
class Slots implements Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  async take(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((taken) => this.#waiting.push(taken));
  }

  giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
