import type { Category } from './category.ts';
import type { ChangeStamp } from './change-stamp.ts';
import { DAY_MS } from './clock.ts';
import { Failure } from './failure.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { Order, Personal } from './order.ts';
import type { Pet } from './pet.ts';

/** The changes that the log records, by resource and verb. */
export const CHANGE_TYPES = [
  'pet.created',
  'pet.updated',
  'pet.deleted',
  'category.created',
  'category.updated',
  'category.deleted',
  'order.placed',
  'order.updated',
  'store.reset',
] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

/** An order as the log keeps it: personal fields can be erased, and the log is never rewritten. */
export type LoggedOrder = Omit<Order, keyof Personal>;

/** A change of an animal. */
export interface PetLogEntry {
  readonly type: 'pet.created' | 'pet.updated' | 'pet.deleted';
  readonly pet: Pet;
}

/** A change of a category. */
export interface CategoryLogEntry {
  readonly type: 'category.created' | 'category.updated' | 'category.deleted';
  readonly category: Category;
}

/** A change of an order. */
export interface OrderLogEntry {
  readonly type: 'order.placed' | 'order.updated';
  readonly order: LoggedOrder;
}

/** The records were replaced as a whole: all were removed, or a backup was restored. */
export interface ResetLogEntry {
  readonly type: 'store.reset';
}

/**
 * A change, with the record as it was right after it; for a removal, as it last was. A write that
 * changes nothing makes none.
 */
export type Change = PetLogEntry | CategoryLogEntry | OrderLogEntry | ResetLogEntry;

/** A change with its position in the log, its time and its author. */
export type LoggedChange = Change &
  ChangeStamp & {
    /** Its position. Only grows, and is never given again. */
    readonly id: bigint;
  };

/** The part of the log to read. */
export interface ChangeRequest {
  /** Only changes with a greater id; undefined starts at the oldest that is kept. */
  readonly after: bigint | undefined;
  /** Only changes of these types; undefined for all. */
  readonly types?: readonly ChangeType[] | undefined;
  /** 1 to 100. */
  readonly limit: number;
}

/** Changes in ascending order of id. */
export interface ChangePage {
  readonly changes: readonly LoggedChange[];
  /**
   * The id to continue after. With `types` it is that of the last change that was looked at, so that
   * a reader of rare types does not look at the others again.
   */
  readonly resumeAfter: bigint;
}

/** Changes that a filter by type looks at in one call: bounds how long other requests wait. */
export const CHANGES_SCANNED_MAX = 2_000;

/** How the numbering of changes keeps up. Both are 0 on an engine that numbers them as it writes. */
export interface NumberingLag {
  /** Committed changes without an id. */
  readonly waiting: number;
  /** The age of the oldest of them, in milliseconds. */
  readonly oldestMs: number;
}

/**
 * The change log: each change of an animal, a category or an order, written in the transaction that
 * makes it. A reader that continues after the last id it has seen misses nothing, however many
 * processes write, and the changes of one record come in the order in which they were made. The log
 * starts when the database was created or first migrated to have one.
 */
export interface ChangeLog {
  /** Reads a part of the log. Throws `events_expired` if changes after `after` have been removed. */
  list(request: ChangeRequest): MaybePromise<ChangePage>;
  /** Returns the greatest id; 0 for an empty log. */
  newest(): MaybePromise<bigint>;
  /**
   * Calls `listener` when changes made by this process can be listed. Those of other processes have
   * to be looked for with `newest`. Returns a function that ends this.
   */
  listen(listener: () => void): () => void;
  /**
   * Removes changes made at or before `time` from the start of the log, at most `most` of them; the
   * newest always stays, and so does every change after `upTo`, if given. Returns the number removed.
   * Other work waits meanwhile, so `most` should be small.
   */
  removeExpired(time: number, most: number, upTo?: bigint): MaybePromise<number>;
  lag(): MaybePromise<NumberingLag>;
}

/** Learns of every change, for a cache. */
export interface ChangeObserver {
  /** A change has been committed. Changes of one record come in order. */
  changed(change: Change): void;
  /** Anything may have changed. */
  lost(): void;
}

/** Reports changes to an observer. */
export interface ChangeTracker {
  /**
   * Reports every change that is visible now and was not reported before, by whatever process, and
   * returns true. So what was acknowledged before this call has been reported when it returns.
   * Returns false if it cannot know; then nothing that was cached may be used. Never throws.
   */
  catchUp(): MaybePromise<boolean>;
}

/** Changes are kept for this long unless configured, in milliseconds. */
export const CHANGES_KEPT_MS = 90 * DAY_MS;

/** The failure of an `after` that lies before the oldest change that is kept. */
export function eventsExpired(): Failure {
  return new Failure(
    'events_expired',
    'Events after this one have been removed. Read the lists again, then continue with after=latest.',
  );
}
