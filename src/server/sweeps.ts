import { RESTORABLE_MS } from '../domain/audit.ts';
import { type Clock, DAY_MS, dayOf, HOUR_MS } from '../domain/clock.ts';
import { RESULT_RETENTION_MS } from '../domain/idempotency.ts';
import { IMPORTS_KEPT_MS, ROWS_KEPT_MS } from '../domain/import.ts';
import { MAILS_KEPT_MS } from '../domain/mail.ts';
import {
  type ErasedRows,
  type ErasedTable,
  isTrusted,
  leftOf,
  type RetentionReport,
  type RetentionRun,
} from '../domain/retention.ts';
import type { Storage } from '../domain/storage.ts';
import { USAGE_PERIODS, usageExpiry } from '../domain/usage.ts';
import { DELIVERY_RETENTION_MS } from '../domain/webhook.ts';
import type { Photos } from '../photos/photos.ts';
import type { Log } from '../telemetry/log.ts';

/** Events that webhooks still need are kept this much longer. */
const UNDELIVERED_MS = 7 * DAY_MS;

/** Rows removed by one step of a sweep: a few milliseconds of work on SQLite. */
const SWEPT_AT_ONCE = 100;
/** The pause between two steps, in milliseconds, lets requests through. */
const SWEEP_PAUSE_MS = 10;

/** Steps of the sweep of photos at a time. If there are more files, the next sweep continues. */
const PHOTO_STEPS = 100;

/** What the sweeps need. */
export interface SweepParts {
  readonly storage: Storage;
  readonly photos: Pick<Photos, 'sweep'>;
  /** Events are kept for this long, in milliseconds. */
  readonly eventsKeepMs: number;
  /** The same of enquiries. */
  readonly enquiriesKeepMs: number;
  /** The audit is kept for this long, and keys as long after their end. */
  readonly auditKeepMs: number;
  /** Who adopted is kept for this long after the end of an order; undefined: until somebody erases it. */
  readonly ordersKeepMs: number | undefined;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Whether the service stops: then no sweep takes another step. */
  isEnding(): boolean;
}

/** The removal of expired records from one part of the database. */
interface Sweep {
  /** What it does, after "could not". */
  readonly what: string;
  /** What is erased; undefined for short-lived records, whose erasure has no bound. */
  readonly table: ErasedTable | undefined;
  /** Removes at most `most` of what is due at `now`. Returns the number removed. */
  step(most: number, now: number): number | Promise<number>;
}

/** Runs a part of the work, and notes an error. */
type Attempt = (what: string, work: () => Promise<unknown>) => Promise<void>;

/** The removal of expired records. */
export interface Retention {
  /** Checks whether the clock can be trusted, before this process writes records of its own. */
  look(): Promise<RetentionRun | undefined>;
  /** Erases what is due, unless the clock cannot be right. Takes no more steps after the signal. */
  run(attempt: Attempt, signal?: AbortSignal): Promise<void>;
  report(): RetentionReport;
}

/** Creates the removal of rows whose time is over, in small steps with pauses. */
export function createRetention(parts: SweepParts): Retention {
  const { clock, log, storage } = parts;
  let signal: AbortSignal | undefined;
  const isEnding = () => parts.isEnding() || signal?.aborted === true;
  const { retention } = storage;
  const sweeps = sweepsOf({ ...parts, isEnding });
  const erased = new Map<ErasedTable, ErasedRows>();
  let isWaiting = false;

  async function look(now = clock.now()): Promise<RetentionRun | undefined> {
    const due = await retention.begin(now);
    const waits = due !== undefined && !isTrusted(now, due.trustedAt);
    const facts = { now: isoTime(now), trusted: isoTime(due?.trustedAt) };
    if (waits && !isWaiting) log.warn(WAITS, facts);
    if (!waits && isWaiting) log.info('expired records are erased again', facts);
    isWaiting = waits;
    return waits ? undefined : due;
  }

  async function sweep(
    { table, step }: Sweep,
    now: number,
    run: RetentionRun,
    rows: Partial<Record<ErasedTable, number>>,
  ): Promise<void> {
    const day = dayOf(now);
    const isBounded = table !== undefined && !run.isUnbounded;
    // Erasing a first row counts the others.
    let left = isBounded ? ((await retention.left(table, day)) ?? 1) : SWEPT_AT_ONCE;
    while (left > 0 && !isEnding()) {
      const most = Math.min(left, SWEPT_AT_ONCE);
      const count = await step(most, now);
      if (count > 0 && table !== undefined) {
        const erasure = await retention.note(table, day, count);
        const { asked = 0, due = 0 } = erased.get(table) ?? {};
        const more = run.isAsked ? { asked: asked + count, due } : { asked, due: due + count };
        erased.set(table, { ...more, rowsBefore: erasure.rowsBefore });
        rows[table] = (rows[table] ?? 0) + count;
        if (isBounded) left = leftOf(erasure);
      }
      if (count < most) break;
      await Bun.sleep(SWEEP_PAUSE_MS);
    }
  }

  return {
    look,
    async run(attempt, stop) {
      signal = stop;
      // One time for all of it: the clock may jump meanwhile.
      const now = clock.now();
      // A promise to families, whatever the clock says: an alert that has ended is not kept.
      await attempt('erase alerts that ended', () => eraseAlerts(storage, now, isEnding));
      const due = await look(now);
      if (due === undefined) return;
      const rows: Partial<Record<ErasedTable, number>> = {};
      for (const each of sweeps) await attempt(each.what, () => sweep(each, now, due, rows));
      if (Object.keys(rows).length > 0) log.info('expired records were erased', rows);
      if (!isEnding()) await retention.end(now);
    },
    report: () => ({ isWaiting, erased }),
  };
}

const WAITS =
  'nothing is erased: the clock is behind the newest record, or more than a week ahead of it. Set it right; ' +
  'or, if it is, run `petstore erase --now`';

function isoTime(time: number | undefined): string | undefined {
  const date = new Date(time ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function sweepsOf(parts: SweepParts): readonly Sweep[] {
  const { storage, eventsKeepMs, auditKeepMs, enquiriesKeepMs, ordersKeepMs } = parts;
  const { changes, deliveries, enquiries, idempotency, imports, keys, removedPets } = storage;
  /** A sweep that removes what is older than `keptMs`. */
  const older = (
    what: string,
    table: ErasedTable,
    keptMs: number,
    remove: (...step: [time: number, most: number]) => Promise<number>,
  ): Sweep => ({ what, table, step: (most, now) => remove(now - keptMs, most) });

  return [
    older('remove expired results', 'idempotent_results', RESULT_RETENTION_MS, (...step) =>
      idempotency.removeExpired(...step),
    ),
    {
      what: 'remove expired events',
      table: 'events',
      step: (most, now) => removeEvents(storage, now - eventsKeepMs, most),
    },
    older('remove changes that nobody asks for', 'changes', auditKeepMs, (...step) =>
      changes.removeFromAudit(...step),
    ),
    older('forget removed animals', 'removed_pets', RESTORABLE_MS, (...step) =>
      removedPets.removeExpired(...step),
    ),
    older('forget rows of removed animals', 'imported_rows', ROWS_KEPT_MS, (...step) =>
      imports.forgetRows(...step),
    ),
    ...USAGE_PERIODS.map(
      (period): Sweep => ({
        what: 'remove expired usage',
        table: 'usage_counts',
        step: (most, now) => storage.usage.removeExpired(period, usageExpiry(period, now), most),
      }),
    ),
    {
      what: 'erase old enquiries',
      table: 'enquiries',
      step: (most, now) =>
        enquiries.removeExpired(now - enquiriesKeepMs, most, { at: now, keyId: null }),
    },
    {
      what: 'forget who has sent forms',
      table: undefined,
      step: (most, now) => enquiries.forgetSent(now - HOUR_MS, now, most),
    },
    {
      what: 'forget mails',
      table: undefined,
      step: (most, now) => storage.mails.forget(now - MAILS_KEPT_MS, most),
    },
    {
      what: 'erase who adopted long ago',
      table: 'orders',
      step: (most, now) =>
        ordersKeepMs === undefined
          ? 0
          : storage.orders.eraseFinished(now - ordersKeepMs, most, { at: now, keyId: null }),
    },
    older('remove ended sessions', 'sessions', 0, (...step) =>
      storage.sessions.removeEnded(...step),
    ),
    // Not before the changes that they made, which are kept as long as events.
    older('remove ended keys', 'api_keys', Math.max(auditKeepMs, eventsKeepMs), (...step) =>
      keys.removeEnded(...step),
    ),
    older('remove old imports', 'imports', IMPORTS_KEPT_MS, (...step) =>
      imports.removeExpired(...step),
    ),
    older('remove expired deliveries', 'deliveries', DELIVERY_RETENTION_MS, (...step) =>
      deliveries.removeExpired(...step),
    ),
    {
      what: 'remove files of photos',
      table: 'photo_files',
      step: (most, now) => removeFiles(parts, most, now),
    },
  ];
}

async function eraseAlerts(
  { alerts }: SweepParts['storage'],
  now: number,
  isEnding: () => boolean,
): Promise<void> {
  let removed = SWEPT_AT_ONCE;
  while (removed === SWEPT_AT_ONCE && !isEnding()) {
    removed = await alerts.removeEnded(now, SWEPT_AT_ONCE);
    await Bun.sleep(SWEEP_PAUSE_MS);
  }
}

async function removeEvents(
  { changes, deliveries }: SweepParts['storage'],
  expiry: number,
  most: number,
): Promise<number> {
  const needed = await deliveries.neededAfter();
  const removed = await changes.removeExpired(expiry, most, needed);
  if (needed === undefined || removed === most) return removed;
  // What webhooks still need stays, but not for ever.
  return removed + (await changes.removeExpired(expiry - UNDELIVERED_MS, most - removed));
}

async function removeFiles(
  { photos, isEnding }: SweepParts,
  most: number,
  now: number,
): Promise<number> {
  let removed = 0;
  for (let step = 0; step < PHOTO_STEPS && removed < most && !isEnding(); step++) {
    const swept = await photos.sweep(most - removed, now);
    removed += swept.removed;
    if (swept.isLast) break;
    await Bun.sleep(SWEEP_PAUSE_MS);
  }
  return removed;
}
