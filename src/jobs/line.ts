import { type Clock, SECOND_MS } from '../domain/clock.ts';

/** After this number of failures in a row a target counts as down. */
const DOWN_AFTER = 20;
/** Attempts at once at a target that works. */
const AT_ONCE_MAX = 8;
/** Attempts that are in progress or not stored yet. Bounds the repetitions after a crash. */
const UNFINISHED_MAX = 100;
/** The most pending jobs: kinds add none until there are fewer. */
const PENDING_MAX = 1_000;
/** The pause before an attempt that could not be stored is stored again. */
const STORE_AGAIN_MS = 250;

/** A job of a line. */
export interface Job {
  readonly id: bigint;
  /** Null if it is due at once. */
  readonly nextAttemptAt: number | null;
  /** Returns undefined if the signal cut the attempt off. */
  attempt(signal: AbortSignal): Promise<AttemptResult | undefined>;
}

/** What is pending for a line. */
export interface PendingJobs {
  readonly count: number;
  /** When the oldest was added; undefined if there is none. */
  readonly oldestAt: number | undefined;
  /** Those that are due, then some that are due later. */
  readonly next: readonly Job[];
}

/** The result of an attempt that was not cut off. */
export interface AttemptResult {
  readonly status: 'pending' | 'delivered' | 'failed';
}

/** What the jobs of a line are for. */
export interface Target {
  /** Where they go now. After a change, what the previous receiver said no longer counts. */
  readonly address: string;
  /** Whether it is to get no more attempts. */
  isDisabled?(): boolean;
  /** Reads what is pending beyond this number of unfinished jobs. Returns undefined if nothing is. */
  pending(unfinished: number): Promise<PendingJobs | undefined>;
  /** Takes what an attempt says about the target. */
  note?(result: AttemptResult, now: number): void;
  /**
   * Stores an attempt; `hasRecovered` if it is the first success of a target that was down: then everything becomes
   * due. Returns false if this process is no longer the leader. After an error it is called again.
   */
  record(result: AttemptResult, hasRecovered: boolean): Promise<boolean>;
}

/** Places for attempts in progress. */
export interface Places {
  /** Takes one as soon as there is one. Those who waited longer go first. */
  take(): Promise<void>;
  giveBack(): void;
}

/** The parts that all lines share. */
export interface LineParts {
  readonly clock: Clock;
  readonly slots: Places;
  /** For lines whose last attempt failed: they may hang, and must not hold up the others. */
  readonly failingSlots: Places;
  /** Returns whether attempts may start. */
  mayAttempt(): boolean;
  /** The target is disabled, and that is stored. */
  disabled(line: Line): void;
  /** Something failed and is tried again. */
  report(error: unknown): void;
}

/** Does the jobs for one target, in a loop that ends with it. Jobs of one record are done one after the other. */
export class Line {
  readonly id: bigint;
  readonly target: Target;
  readonly #parts: LineParts;
  readonly #ending = new AbortController();
  /** The jobs of attempts that are in progress or not stored yet. */
  readonly #unfinished = new Set<bigint>();
  /** Undefined until it was read. */
  #pending: number | undefined;
  /** When the oldest pending job was added. */
  #oldestAt: number | undefined;
  /** There may be pending jobs that were not read yet. */
  #mayBeMore = true;
  /** When the next of those that were read becomes due. */
  #dueAt = Number.POSITIVE_INFINITY;
  /** The attempts in progress, and how many there may be: one more after each success. */
  #inProgress = 0;
  #atOnce = 1;
  /** In a row. */
  #failures = 0;
  #hasEnded = false;
  #isAwake = true;
  #resume = () => {};

  constructor(id: bigint, target: Target, parts: LineParts) {
    this.id = id;
    this.target = target;
    this.#parts = parts;
    void this.#run();
  }

  get inProgress(): number {
    return this.#inProgress;
  }

  /** Attempts that are in progress or not stored yet. */
  get unfinished(): number {
    return this.#unfinished.size;
  }

  get pending(): number {
    return Math.max(0, this.#pending ?? 0);
  }

  /** When the oldest event was made that is pending; undefined if nothing is. */
  get oldestAt(): number | undefined {
    return this.pending === 0 ? undefined : this.#oldestAt;
  }

  /** Returns whether it makes no more attempts. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Returns whether there is room for more jobs. */
  hasRoom(): boolean {
    // With nothing left to attempt, only new jobs can show that it works again.
    const isDown = this.#failures >= DOWN_AFTER && this.pending > 0;
    return this.#pending !== undefined && this.pending < PENDING_MAX && !isDown;
  }

  /** Notes that a job was added, of something that happened at `createdAt`. */
  added(createdAt: number): void {
    if (this.pending === 0) this.#oldestAt = createdAt;
    this.#pending = this.pending + 1;
    this.lookForMore();
  }

  /** Continues if something became due. */
  wakeIfDue(now: number): void {
    if (this.#dueAt <= now) this.lookForMore();
  }

  /** Cuts off attempts; no more are made. */
  end(): void {
    this.#hasEnded = true;
    this.#ending.abort();
    this.#wake();
  }

  /** Looks for jobs that were added, or made due by somebody. */
  lookForMore(): void {
    this.#mayBeMore = true;
    this.#wake();
  }

  #wake(): void {
    this.#isAwake = true;
    this.#resume();
  }

  /** Waits for what may have come since `#isAwake` was set to false. */
  async #untilWoken(): Promise<void> {
    if (this.#isAwake) return;
    await new Promise<void>((resume) => {
      this.#resume = resume;
    });
  }

  #mayAttempt(): boolean {
    return !this.#hasEnded && !this.target.isDisabled?.() && this.#parts.mayAttempt();
  }

  async #run(): Promise<void> {
    while (this.#mayAttempt()) {
      this.#isAwake = false;
      const due = this.#mayBeMore ? await this.#readDue() : [];
      for (const job of due) {
        const giveBack = await this.#takeSlots();
        if (!this.#mayAttempt()) {
          giveBack();
          break;
        }
        void this.#attempt(job, giveBack);
      }
      if (due.length === 0) await this.#untilWoken();
    }
    this.#hasEnded = true;
  }

  /** Reads what is pending. Returns what is due and not attempted already. */
  async #readDue(): Promise<readonly Job[]> {
    const { clock, report } = this.#parts;
    this.#mayBeMore = false;
    this.#dueAt = Number.POSITIVE_INFINITY;
    const before = [...this.#unfinished];
    try {
      const { count, oldestAt, next } = (await this.target.pending(before.length)) ?? NOTHING;
      const now = clock.now();
      const isDue = ({ nextAttemptAt }: Job) => (nextAttemptAt ?? 0) <= now;
      // One that was finished meanwhile may have been read before that.
      const untouched = next.filter(({ id }) => !before.includes(id));
      if (count > next.length || before.length > this.#unfinished.size) this.#mayBeMore = true;
      this.#pending = count;
      this.#oldestAt = oldestAt;
      this.#dueAt = untouched.find((each) => !isDue(each))?.nextAttemptAt ?? this.#dueAt;
      return untouched.filter(isDue);
    } catch (error) {
      report(error);
      this.#dueAt = clock.now() + SECOND_MS;
      return [];
    }
  }

  /** Waits until one more attempt may start. Returns the function that gives its slots back. */
  async #takeSlots(): Promise<() => void> {
    const { slots, failingSlots } = this.#parts;
    const isBusy = () =>
      this.#inProgress >= this.#atOnce || this.#unfinished.size >= UNFINISHED_MAX;
    while (isBusy() && this.#mayAttempt()) {
      this.#isAwake = false;
      await this.#untilWoken();
    }
    const isFailing = this.#failures > 0;
    if (isFailing) await failingSlots.take();
    await slots.take();
    return () => {
      slots.giveBack();
      if (isFailing) failingSlots.giveBack();
    };
  }

  async #attempt(job: Job, giveBack: () => void): Promise<void> {
    const { address } = this.target;
    this.#unfinished.add(job.id);
    this.#inProgress++;
    const result = await this.#resultOf(job);
    this.#inProgress--;
    giveBack();
    this.#wake();
    const isCurrent = address === this.target.address;
    const counts = isCurrent || result?.status === 'delivered';
    if (result !== undefined && counts && !this.#ending.signal.aborted)
      await this.#record(result, isCurrent);
    else this.#mayBeMore = true;
    this.#unfinished.delete(job.id);
    this.#wake();
  }

  async #resultOf(job: Job): Promise<AttemptResult | undefined> {
    try {
      return await job.attempt(this.#ending.signal);
    } catch (error) {
      this.#parts.report(error);
      await Bun.sleep(SECOND_MS);
      return undefined;
    }
  }

  /** Stores an attempt, and what it says about the target as it is now. */
  async #record(result: AttemptResult, isCurrent: boolean): Promise<void> {
    const { clock, disabled } = this.#parts;
    const isDelivered = result.status === 'delivered';
    const wasDown = this.#failures >= DOWN_AFTER;
    if (isCurrent) {
      this.target.note?.(result, clock.now());
      this.#failures = isDelivered ? 0 : this.#failures + 1;
      this.#atOnce = isDelivered ? Math.min(this.#atOnce + 1, AT_ONCE_MAX) : 1;
    }
    const hasRecovered = wasDown && this.#failures === 0;
    if (!(await this.#store(result, hasRecovered))) return this.end();
    if (result.status === 'pending' || hasRecovered) this.#mayBeMore = true;
    if (result.status !== 'pending') this.#pending = this.pending - 1;
    if (this.target.isDisabled?.()) disabled(this);
  }

  /** Tries until it succeeds: nothing else says what has been done. */
  async #store(result: AttemptResult, hasRecovered: boolean): Promise<boolean> {
    for (;;) {
      try {
        return await this.target.record(result, hasRecovered);
      } catch (error) {
        this.#parts.report(error);
        await Bun.sleep(STORE_AGAIN_MS);
      }
    }
  }
}

const NOTHING: PendingJobs = { count: 0, oldestAt: undefined, next: [] };
