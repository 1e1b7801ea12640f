import { RESTORABLE_MS } from '../domain/audit.ts';
import { type Clock, DAY_MS, HOUR_MS } from '../domain/clock.ts';
import { RESULT_RETENTION_MS } from '../domain/idempotency.ts';
import { IMPORTS_KEPT_MS, ROWS_KEPT_MS } from '../domain/import.ts';
import type { MaybePromise } from '../domain/maybe-promise.ts';
import type { Storage } from '../domain/storage.ts';
import { USAGE_PERIODS, usageExpiry } from '../domain/usage.ts';
import { DELIVERY_RETENTION_MS } from '../domain/webhook.ts';
import type { Photos } from '../photos/photos.ts';
import type { Log } from '../telemetry/log.ts';

/** Events that webhooks still need stay for this long beyond their time. */
const UNDELIVERED_MS = 7 * DAY_MS;

/** Rows removed by one step of a sweep: a few milliseconds of work on SQLite. */
const SWEPT_AT_ONCE = 100;
/** The pause between two steps, in milliseconds, lets requests through. */
const SWEEP_PAUSE_MS = 10;

/** Steps of the sweep of photos at a time. With more files, it goes on at the next time. */
const PHOTO_STEPS = 100;

/** What the sweeps need. */
export interface SweepParts {
  readonly storage: Pick<
    Storage,
    | 'changes'
    | 'deliveries'
    | 'enquiries'
    | 'idempotency'
    | 'imports'
    | 'keys'
    | 'orders'
    | 'removedPets'
    | 'sessions'
    | 'usage'
  >;
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
  readonly log: Pick<Log, 'info'>;
  /** Whether the service stops: then no sweep takes another step. */
  isEnding(): boolean;
}

/** The removal of what is no longer kept in one part of the database. */
interface Sweep {
  /** What it does, after "could not". */
  readonly what: string;
  run(): Promise<unknown>;
}

/** Repeats a step until it removes fewer than it may. Returns the number removed. */
type InSteps = (step: (most: number, now: number) => MaybePromise<number>) => Promise<number>;

/** Creates the removal of rows whose time is over, in small steps with pauses. */
export function createSweeps(parts: SweepParts): readonly Sweep[] {
  const { clock, isEnding, storage, eventsKeepMs, auditKeepMs, enquiriesKeepMs } = parts;
  const inSteps: InSteps = async (step) => {
    let removed = 0;
    while (!isEnding()) {
      const count = await step(SWEPT_AT_ONCE, clock.now());
      removed += count;
      if (count < SWEPT_AT_ONCE) break;
      await Bun.sleep(SWEEP_PAUSE_MS);
    }
    return removed;
  };
  /** A sweep that removes what is older than `keptMs`. */
  const older = (
    what: string,
    keptMs: number,
    remove: (...step: [time: number, most: number]) => MaybePromise<number>,
  ): Sweep => ({ what, run: () => inSteps((most, now) => remove(now - keptMs, most)) });
  const { changes, deliveries, enquiries, idempotency, imports, keys, removedPets } = storage;

  return [
    older('remove expired results', RESULT_RETENTION_MS, (...step) =>
      idempotency.removeExpired(...step),
    ),
    { what: 'remove expired events', run: () => sweepEvents(parts, inSteps) },
    older('remove changes that nobody asks for', auditKeepMs, (...step) =>
      changes.removeFromAudit(...step),
    ),
    older('forget removed animals', RESTORABLE_MS, (...step) => removedPets.removeExpired(...step)),
    older('forget rows of removed animals', ROWS_KEPT_MS, (...step) => imports.forgetRows(...step)),
    { what: 'remove expired usage', run: () => sweepUsage(parts, inSteps) },
    older('erase old enquiries', enquiriesKeepMs, (time, most) =>
      enquiries.removeExpired(time, clock.now() - HOUR_MS, most),
    ),
    { what: 'erase who adopted long ago', run: () => sweepOrders(parts, inSteps) },
    older('remove ended sessions', 0, (...step) => storage.sessions.removeEnded(...step)),
    // Not before the changes that they made, which stay as long as events do.
    older('remove ended keys', Math.max(auditKeepMs, eventsKeepMs), (...step) =>
      keys.removeEnded(...step),
    ),
    older('remove old imports', IMPORTS_KEPT_MS, (...step) => imports.removeExpired(...step)),
    older('remove expired deliveries', DELIVERY_RETENTION_MS, (...step) =>
      deliveries.removeExpired(...step),
    ),
    { what: 'remove files of photos', run: () => sweepPhotos(parts) },
  ];
}

async function sweepEvents(
  { storage: { changes, deliveries }, eventsKeepMs, clock, log }: SweepParts,
  inSteps: InSteps,
): Promise<void> {
  const expiry = clock.now() - eventsKeepMs;
  const needed = await deliveries.neededAfter();
  const remove = (before: number, upTo?: bigint) =>
    inSteps((most) => changes.removeExpired(before, most, upTo));
  let removed = await remove(expiry, needed);
  // What webhooks still need stays, but not for ever.
  if (needed !== undefined) removed += await remove(expiry - UNDELIVERED_MS);
  if (removed > 0) log.info('events older than PETSTORE_EVENTS_KEEP were removed', { removed });
}

async function sweepUsage({ storage, clock }: SweepParts, inSteps: InSteps): Promise<void> {
  for (const period of USAGE_PERIODS) {
    const expiry = usageExpiry(period, clock.now());
    await inSteps((most) => storage.usage.removeExpired(period, expiry, most));
  }
}

async function sweepOrders(
  { storage, ordersKeepMs, log }: SweepParts,
  inSteps: InSteps,
): Promise<void> {
  if (ordersKeepMs === undefined) return;
  const erased = await inSteps((most, now) =>
    storage.orders.eraseFinished(now - ordersKeepMs, most, { at: now, keyId: null }),
  );
  if (erased > 0) log.info('PETSTORE_ORDERS_KEEP: it was erased who adopted', { orders: erased });
}

async function sweepPhotos({ photos, isEnding }: SweepParts): Promise<void> {
  for (let step = 0; step < PHOTO_STEPS && !isEnding(); step++) {
    if (await photos.sweep()) return;
    await Bun.sleep(SWEEP_PAUSE_MS);
  }
}
