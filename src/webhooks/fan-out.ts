import { type ChangeLog, type LoggedChange, recordOf } from '../domain/change-log.ts';
import type { DeliveryStorage, NewDelivery } from '../domain/delivery.ts';
import { Failure } from '../domain/failure.ts';
import type { WaitTime } from '../events/watch.ts';
import type { Line } from '../jobs/line.ts';
import type { WebhookTarget } from './target.ts';

/** Events in one read of the change log. */
const EVENTS_MAX = 100;
/** Deliveries in one transaction: a few milliseconds, during which requests wait on SQLite. */
const ROWS_MAX = 300;

/** The parts of the fan-out. */
interface FanOutParts {
  readonly storage: {
    readonly changes: Pick<ChangeLog, 'newest' | 'list'>;
    readonly deliveries: Pick<DeliveryStorage, 'add'>;
  };
  readonly log: { warn(message: string, facts: Record<string, unknown>): void };
  readonly term: bigint;
  readonly soon: WaitTime['soon'];
}

/**
 * Adds deliveries of the next events for endpoints that have room: for the others the change log is the
 * queue. Returns whether more may follow.
 */
export async function fanOut(
  parts: FanOutParts,
  targets: ReadonlyMap<bigint, WebhookTarget>,
  lines: ReadonlyMap<bigint, Line>,
): Promise<boolean> {
  const newest = await parts.storage.changes.newest();
  const hasRoom = ({ webhook }: WebhookTarget) => lines.get(webhook.id)?.hasRoom() === true;
  const readers = [...targets.values()].filter((each) => each.position < newest && hasRoom(each));
  let hasMoved = false;
  // Endpoints that keep up are at the same position, and share one read.
  for (const [position, group] of Map.groupBy(readers, (each) => each.position)) {
    const changes = await changesAfter(position, group, parts);
    for (const rows of rowsOf(changes, group)) {
      if (!(await parts.storage.deliveries.add(parts.term, rows))) return false;
      for (const { webhookId, createdAt } of rows) lines.get(webhookId)?.added(createdAt);
    }
    const last = changes.at(-1);
    if (last === undefined) continue;
    for (const target of group) target.position = last.id;
    hasMoved = true;
    // Requests get their turn in between.
    await new Promise<void>(parts.soon);
  }
  return hasMoved;
}

/** Reads events. If some of them were removed, continues with the oldest that is kept. */
async function changesAfter(
  position: bigint,
  group: readonly WebhookTarget[],
  { storage, log }: FanOutParts,
): Promise<readonly LoggedChange[]> {
  try {
    return (await storage.changes.list({ after: position, limit: EVENTS_MAX })).changes;
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'events_expired')) throw error;
    for (const { webhook } of group) {
      const webhookId = String(webhook.id);
      log.warn('events were removed before they could be delivered', { webhookId });
    }
    return (await storage.changes.list({ after: undefined, limit: EVENTS_MAX })).changes;
  }
}

/** Makes a delivery of each event for each endpoint that wants it, in the order of the events. */
function* rowsOf(
  changes: readonly LoggedChange[],
  targets: readonly WebhookTarget[],
): Generator<readonly NewDelivery[]> {
  let rows: NewDelivery[] = [];
  for (const change of changes) {
    const { id: eventId, type, at: createdAt } = change;
    const record = recordOf(change);
    for (const target of targets) {
      if (!target.wants(type)) continue;
      rows.push({ webhookId: target.webhook.id, eventId, type, record, createdAt });
      if (rows.length < ROWS_MAX) continue;
      yield rows;
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
}
