import { hostname } from 'node:os';
import { type Clock, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { isUnavailable } from '../domain/failure.ts';
import type { TaskRecord, TaskStorage } from '../domain/task.ts';
import { systemTime, type WaitTime } from '../events/watch.ts';
import { DEAD_MS } from './lease.ts';

/** Interval between two looks for what is due. */
const LOOK_MS = SECOND_MS;
/** Interval at which the work of other processes is read, for reports; more often while something is due. */
const REFRESH_MS = 15 * SECOND_MS;
/** Interval of the heartbeat of a task under way. */
const BEAT_MS = 2 * SECOND_MS;
/** Repeated successes of work that has no interval are noted at most this often. */
const NOTED_MS = MINUTE_MS;
const PROBLEM_MAX = 500;

/** Work that is due again and again, in one process of the deployment at a time. */
export interface Task {
  /** Names it in the deployment, for metrics and for `doctor`: `backups`, `channel 7`. */
  readonly name: string;
  /** What it does, after "could not". */
  readonly what: string;
  /** Returns when it is due. `last` is undefined if no process has begun it yet. See `every`. */
  dueAt(last: TaskRecord | undefined, now: number): number;
  /**
   * Does it. Throws if it fails: the message is shown to administrators, so it must quote nothing private.
   * Returns false if there is nothing to note, neither success nor failure. Stops soon after the signal.
   */
  run(signal: AbortSignal): Promise<unknown>;
}

/**
 * Returns when a task is due that is done at an interval, first at once. After failures it waits as long as
 * `waits` says, for the first of them, the second and so on; the last one counts for all that follow.
 */
export function every(everyMs: number, waits: readonly number[] = [MINUTE_MS]): Task['dueAt'] {
  return (last, now) => {
    if (last?.endedAt == null) return now;
    const { failures, endedAt, succeededAt } = last;
    const wait = Math.min(waits[failures - 1] ?? waits.at(-1) ?? everyMs, everyMs);
    const from = failures > 0 ? endedAt + wait : (succeededAt ?? endedAt) + everyMs;
    // After a clock that was ahead, the last end is still to come.
    return from > now + 2 * everyMs ? now : from;
  };
}

/** What the scheduler needs. */
interface SchedulerParts {
  readonly storage: TaskStorage;
  readonly clock: Clock;
  isFenced(): boolean;
  readonly log: { error(message: string, error: unknown): void };
  readonly time?: WaitTime | undefined;
  /** Names this process. */
  readonly holder?: string | undefined;
}

/** Does the tasks that are due, each in one process of the deployment at a time. */
export class Scheduler {
  readonly #parts: SchedulerParts & { readonly time: WaitTime; readonly holder: string };
  readonly #tasks = new Map<string, Task>();
  readonly #running = new Map<string, Promise<void>>();
  /** Why a task failed last, so that an outage is logged once. */
  readonly #logged = new Map<string, string>();
  /** Tasks of other processes, and since when their heartbeats have stood still. */
  readonly #seen = new Map<string, { readonly record: TaskRecord; readonly since: number }>();
  readonly #ending = new AbortController();
  readonly #stop: () => void;
  #records: readonly TaskRecord[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #look: Promise<void> | undefined;

  constructor(parts: SchedulerParts) {
    const { time = systemTime, holder = `${hostname()} ${process.pid}` } = parts;
    this.#parts = { ...parts, time, holder };
    this.#stop = time.every(LOOK_MS, () => this.#lookSoon());
  }

  /** Adds a task, or replaces the one with its name. */
  add(task: Task): void {
    this.#tasks.set(task.name, task);
    this.#lookSoon();
  }

  /** Forgets a task, once the attempt under way has ended. Other processes must remove it too. */
  async remove(name: string): Promise<void> {
    this.#tasks.delete(name);
    await this.#running.get(name);
    await this.#parts.storage.forget(name);
    this.#records = this.#records.filter((each) => each.name !== name);
  }

  /**
   * Notes the outcome of work that has no interval, such as sending mails. Repeated successes are noted once in a while.
   */
  async note(name: string, problem: string | undefined): Promise<void> {
    const { storage, clock, holder } = this.#parts;
    const last = this.#last(name);
    const now = clock.now();
    const isKnown = last?.failures === 0 && Math.abs(now - (last.succeededAt ?? 0)) < NOTED_MS;
    if (problem === undefined && isKnown && last.holder === holder) return;
    await this.#read();
    const taken = await storage.take(name, holder, this.#last(name), now);
    if (taken === undefined) return;
    const ended = await storage.end(name, taken.turn, { at: now, problem });
    const others = this.#records.filter((each) => each.name !== name);
    if (ended !== undefined) this.#records = [...others, ended];
  }

  /** What is known of the tasks, also of those of other processes. */
  report(): readonly TaskRecord[] {
    return this.#records;
  }

  /** Stops what is under way, and gives it back. */
  async end(): Promise<void> {
    this.#stop();
    this.#ending.abort();
    await this.#look;
    await Promise.all(this.#running.values());
  }

  #lookSoon(): void {
    if (this.#ending.signal.aborted || this.#parts.isFenced()) return;
    this.#look ??= this.#lookNow()
      .catch((error) => this.#report('look what is due', error))
      .finally(() => {
        this.#look = undefined;
      });
  }

  async #lookNow(): Promise<void> {
    const { time } = this.#parts;
    if (time.now() - this.#readAt >= REFRESH_MS) await this.#read();
    if (this.#due().length > 0) await this.#read();
    for (const task of this.#due()) this.#start(task);
  }

  async #read(): Promise<void> {
    const { storage, time } = this.#parts;
    this.#records = await storage.list();
    this.#readAt = time.now();
    for (const record of this.#records) {
      const { record: last } = this.#seen.get(record.name) ?? {};
      if (last?.turn === record.turn && last.heartbeat === record.heartbeat) continue;
      this.#seen.set(record.name, { record, since: time.now() });
    }
  }

  #due(): readonly Task[] {
    const now = this.#parts.clock.now();
    return [...this.#tasks.values()].filter(
      (task) => !this.#running.has(task.name) && task.dueAt(this.#last(task.name), now) <= now,
    );
  }

  #last(name: string): TaskRecord | undefined {
    return this.#records.find((each) => each.name === name);
  }

  /** Whether nobody does the task, or who did it has died. */
  #isFree(name: string): boolean {
    const last = this.#last(name);
    if (last === undefined || last.heartbeat === 0n) return true;
    const since = this.#seen.get(name)?.since ?? Number.POSITIVE_INFINITY;
    return this.#parts.time.now() - since >= DEAD_MS;
  }

  /** Does a task unless another process does it. Never throws. */
  #start(task: Task): void {
    const { name, what } = task;
    if (this.#ending.signal.aborted || !this.#isFree(name)) return;
    const running = this.#attempt(task)
      .catch((error) => this.#report(what, error))
      .finally(() => this.#running.delete(name));
    this.#running.set(name, running);
  }

  async #attempt(task: Task): Promise<void> {
    const { storage, clock, time, holder } = this.#parts;
    const { name } = task;
    const taken = await storage.take(name, holder, this.#last(name), clock.now());
    if (taken === undefined) return;
    const lost = new AbortController();
    const beat = async () => {
      // That the database is unavailable for a moment takes the task from nobody.
      if (!(await storage.beat(name, taken.turn).catch(() => true))) lost.abort();
    };
    const stopBeating = time.every(BEAT_MS, () => void beat());
    const signal = AbortSignal.any([this.#ending.signal, lost.signal]);
    let end: Parameters<TaskStorage['end']>[2];
    try {
      const done = await task.run(signal);
      if (done !== false && !signal.aborted) end = { at: clock.now(), problem: undefined };
      this.#logged.delete(name);
    } catch (error) {
      if (!signal.aborted) {
        end = { at: clock.now(), problem: problemOf(error) };
        this.#report(task.what, error, name);
      }
    } finally {
      stopBeating();
    }
    const ended = await storage.end(name, taken.turn, end);
    if (ended !== undefined) await this.#plan(task, ended);
  }

  /** Notes when a task is due next, for those who do not know its interval. */
  async #plan(task: Task, ended: TaskRecord): Promise<void> {
    const dueAt = task.dueAt(ended, this.#parts.clock.now());
    const others = this.#records.filter(({ name }) => name !== task.name);
    this.#records = [...others, { ...ended, dueAt }];
    if (this.#tasks.has(task.name)) await this.#parts.storage.plan(task.name, dueAt);
  }

  /** Logs a failure, unless it is the one that was logged last. */
  #report(what: string, error: unknown, name = what): void {
    if (this.#ending.signal.aborted) return;
    const cause = isUnavailable(error) ? 'unavailable' : causeOf(problemOf(error));
    if (this.#logged.get(name) === cause) return;
    this.#logged.set(name, cause);
    this.#parts.log.error(`could not ${what}; trying again`, error);
  }
}

function problemOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, PROBLEM_MAX);
}

/** What a message says but for names and numbers, which are others at each attempt. */
export function causeOf(message: string): string {
  return message.replace(/\b[0-9a-f]{8}\.partial\b|\d[\d,TZ]*/g, '#');
}
