import type {
  DeliveryState,
  DeliveryStorage,
  HeldWebhook,
  SurveyedWebhook,
  WebhookProgress,
} from '../../domain/delivery.ts';
import {
  ATTEMPT_COLUMNS,
  DELIVERY_COLUMNS,
  deliveryValues,
  type HeldRow,
  PENDING_COLUMNS,
  type PendingRow,
  pendingOf,
  type SurveyedRow,
  surveyedOf,
  WEBHOOK_COLUMNS,
  webhookOf,
} from '../rows/webhook.ts';
import type { Session } from './connection.ts';
import { removeExpired } from './delivery-sweep.ts';
import { integerList, integers, records, rowsOf } from './json.ts';
import type { Access } from './writer.ts';

/** The work of those who deliver, in PostgreSQL. */
export function createDeliveryStorage({ read, write }: Access): DeliveryStorage {
  return {
    survey: () =>
      read(async (session) => {
        const webhooks = await session.query<SurveyedRow>(
          'SELECT id, disabled_reason, deliverer_id, revision FROM webhooks ORDER BY id',
        );
        if (webhooks.length === 0) return { webhooks: [], deliverers: [] };
        const deliverers = await session.query<{ id: bigint; beat: bigint }>(
          'SELECT id, beat FROM webhook_deliverers ORDER BY id',
        );
        return { webhooks: webhooks.map(surveyedOf), deliverers };
      }),
    register: () =>
      write(async (session) => {
        const text = 'INSERT INTO webhook_deliverers (beat) VALUES (1) RETURNING id';
        const [row] = await session.query<{ id: bigint }>(text);
        if (row === undefined) throw new Error('INSERT … RETURNING gave no row');
        return row.id;
      }),
    beat: (delivererId) =>
      write(async (session) => {
        const text = 'UPDATE webhook_deliverers SET beat = beat + 1 WHERE id = $1';
        return (await session.run(text, delivererId)) > 0;
      }),
    removeDeliverer: ({ id, beat }) =>
      write(async (session) => {
        const text = 'DELETE FROM webhook_deliverers WHERE id = $1 AND beat <= $2';
        await session.run(text, id, beat);
      }),
    claim: (delivererId, free) => write((session) => claim(session, delivererId, free)),
    release: (delivererId, ids) =>
      write(async (session) => {
        await session.run(
          `UPDATE webhooks SET deliverer_id = NULL
           WHERE deliverer_id = $1 AND id = ANY (${integers('$2')})`,
          delivererId,
          integerList(ids),
        );
      }),
    load: (delivererId, ids) => read((session) => load(session, delivererId, ids)),
    record: (delivererId, progress) => write((session) => record(session, delivererId, progress)),
    neededAfter: () =>
      read(async (session) => {
        const [row] = await session.query<{ after: bigint | null }>(
          `SELECT min(least(position, (
             SELECT min(event_id) - 1 FROM deliveries
             WHERE webhook_id = webhooks.id AND status = 'pending'
           ))) AS after FROM webhooks WHERE disabled_reason IS NULL`,
        );
        return row?.after ?? undefined;
      }),
    removeExpired: (time, most) => write((session) => removeExpired(session, time, most)),
  };
}

/**
 * Compares with what was surveyed: of two that claim a webhook at once, the second waits for the
 * first, and must not take what it has just taken.
 */
async function claim(
  session: Session,
  delivererId: bigint,
  free: readonly SurveyedWebhook[],
): Promise<void> {
  const given = free.map((each) => ({
    id: String(each.id),
    seen: each.delivererId === null ? null : String(each.delivererId),
  }));
  await session.run(
    `WITH free AS (
       SELECT webhooks.id FROM ${records('$2', 'id bigint, seen bigint')}
       JOIN webhooks ON webhooks.id = given.id
       WHERE webhooks.deliverer_id IS NOT DISTINCT FROM given.seen
         AND webhooks.disabled_reason IS NULL
         AND NOT EXISTS (
           SELECT FROM webhook_deliverers AS d WHERE d.id = webhooks.deliverer_id
         )
       ORDER BY webhooks.id FOR UPDATE OF webhooks
     )
     UPDATE webhooks SET deliverer_id = $1 FROM free WHERE webhooks.id = free.id`,
    delivererId,
    JSON.stringify(given),
  );
}

async function load(
  session: Session,
  delivererId: bigint,
  ids: readonly bigint[],
): Promise<HeldWebhook[]> {
  const rows = await session.query<HeldRow>(
    `SELECT ${WEBHOOK_COLUMNS}, revision, position FROM webhooks
     WHERE deliverer_id = $1 AND id = ANY (${integers('$2')}) AND disabled_reason IS NULL
     ORDER BY id`,
    delivererId,
    integerList(ids),
  );
  const held = integerList(rows.map(({ id }) => id));
  const pending = await session.query<PendingRow & { webhook_id: bigint }>(
    `SELECT webhook_id, ${PENDING_COLUMNS} FROM deliveries
     WHERE webhook_id = ANY (${integers('$1')}) AND status = 'pending' ORDER BY event_id`,
    held,
  );
  const settled = await session.query<{ webhook_id: bigint; event_id: bigint }>(
    `SELECT webhook_id, event_id FROM deliveries JOIN webhooks ON webhooks.id = webhook_id
     WHERE webhook_id = ANY (${integers('$1')}) AND event_id > position AND status <> 'pending'
     ORDER BY event_id`,
    held,
  );
  const pendingOfWebhook = Map.groupBy(pending, (row) => row.webhook_id);
  const settledOfWebhook = Map.groupBy(settled, (row) => row.webhook_id);
  return rows.map((row) => ({
    ...{ webhook: webhookOf(row), revision: row.revision, position: row.position },
    pending: (pendingOfWebhook.get(row.id) ?? []).map(pendingOf),
    settled: (settledOfWebhook.get(row.id) ?? []).map((each) => each.event_id),
  }));
}

/** The columns of progress besides the deliveries. */
const PROGRESS = `id bigint, position bigint, last_success_at bigint, failing_since bigint,
  disabled_reason text`;

async function record(
  session: Session,
  delivererId: bigint,
  progress: readonly WebhookProgress[],
): Promise<ReadonlySet<bigint>> {
  // Locked in a fixed order, so that those who deliver for different webhooks cannot deadlock.
  const rows = await session.query<{ id: bigint }>(
    `WITH held AS (
       SELECT webhooks.id, given.position, given.last_success_at, given.failing_since,
         given.disabled_reason
       FROM ${records('$2', PROGRESS)} JOIN webhooks ON webhooks.id = given.id
       WHERE deliverer_id = $1
         AND EXISTS (SELECT FROM webhook_deliverers AS d WHERE d.id = $1)
       ORDER BY webhooks.id FOR UPDATE OF webhooks
     )
     UPDATE webhooks SET position = held.position, last_success_at = held.last_success_at,
       failing_since = held.failing_since,
       disabled_reason = coalesce(webhooks.disabled_reason, held.disabled_reason)
     FROM held WHERE webhooks.id = held.id RETURNING webhooks.id`,
    delivererId,
    JSON.stringify(progress.map(progressRow)),
  );
  const held = new Set(rows.map(({ id }) => id));
  const deliveries = progress
    .filter(({ webhookId }) => held.has(webhookId))
    .flatMap(({ webhookId, deliveries: own }) => own.map((each) => deliveryRow(webhookId, each)));
  if (deliveries.length > 0) await note(session, deliveries);
  return held;
}

async function note(session: Session, deliveries: readonly object[]): Promise<void> {
  const columns = ['webhook_id', ...DELIVERY_COLUMNS].join(', ');
  await session.run(
    `INSERT INTO deliveries (${columns})
     SELECT ${columns} FROM ${rowsOf('deliveries', '$1')}
     ON CONFLICT (webhook_id, event_id) DO UPDATE SET
       ${ATTEMPT_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    JSON.stringify(deliveries),
  );
}

function progressRow({
  webhookId,
  position,
  lastSuccessAt,
  failingSince,
  disable,
}: WebhookProgress) {
  return {
    id: String(webhookId),
    position: String(position),
    last_success_at: lastSuccessAt,
    failing_since: failingSince,
    disabled_reason: disable ?? null,
  };
}

function deliveryRow(webhookId: bigint, delivery: DeliveryState) {
  // JSON has no integers of 64 bits.
  const values = deliveryValues(delivery).map((value) => value?.toString() ?? null);
  const entries = DELIVERY_COLUMNS.map((column, i) => [column, values[i]]);
  return { webhook_id: String(webhookId), ...Object.fromEntries(entries) };
}
