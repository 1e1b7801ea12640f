/** The state of a task in any process. Times are milliseconds since the Unix epoch. */
export interface TaskRecord {
  /** Names the task in the deployment: `backups`, `channel 7`. */
  readonly name: string;
  /** Grows whenever a process takes the task. */
  readonly turn: bigint;
  /** Grows while a process does it; 0 while nobody does. */
  readonly heartbeat: bigint;
  /** The process that took it last: its host and number. */
  readonly holder: string;
  readonly startedAt: number;
  /** When it ended last; null before the first end. */
  readonly endedAt: number | null;
  readonly succeededAt: number | null;
  /** The attempts that failed since the last success. */
  readonly failures: number;
  /** Why the last attempt failed; null after a success. */
  readonly problem: string | null;
  /** When it is due next; null while that is not known. */
  readonly dueAt: number | null;
}

/** How an attempt ended. */
export interface TaskEnd {
  readonly at: number;
  /** Undefined after a success. */
  readonly problem: string | undefined;
}

/**
 * The storage contract of the scheduler. A process shows by a heartbeat that it is still doing the task it has taken.
 * The clocks of two processes are never compared.
 */
export interface TaskStorage {
  list(): Promise<readonly TaskRecord[]>;
  /**
   * Takes a task, unless another process has taken it since it was `seen`; undefined if nobody has done it yet. Returns
   * its record, or undefined if another process was first.
   */
  take(
    name: string,
    holder: string,
    seen: Pick<TaskRecord, 'turn' | 'heartbeat'> | undefined,
    now: number,
  ): Promise<TaskRecord | undefined>;
  /** Shows that the task is being done. Returns false if another process has taken it. */
  beat(name: string, turn: bigint): Promise<boolean>;
  /** Notes how it ended, unless another process has taken it. Without an end it is only given back. */
  end(name: string, turn: bigint, end: TaskEnd | undefined): Promise<TaskRecord | undefined>;
  /** Notes when it is due next. */
  plan(name: string, dueAt: number): Promise<void>;
  /** Forgets a task that is no longer there. */
  forget(name: string): Promise<void>;
}
