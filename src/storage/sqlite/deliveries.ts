import type { Database } from 'bun:sqlite';
import type {
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
import type { Access } from './access.ts';
import { insertedRow } from './connection.ts';
import { createDeliverySweep } from './delivery-sweep.ts';

/** The statements of `createDeliveryStorage`. */
function prepareStatements(database: Database) {
  return {
    webhooks: database.query<SurveyedRow, []>(
      'SELECT id, disabled_reason, deliverer_id, revision FROM webhooks ORDER BY id',
    ),
    deliverers: database.query<{ id: bigint; beat: bigint }, []>(
      'SELECT id, beat FROM webhook_deliverers ORDER BY id',
    ),
    register: database.query<{ id: bigint }, []>(
      'INSERT INTO webhook_deliverers (beat) VALUES (1) RETURNING id',
    ),
    beat: database.query<null, [bigint]>(
      'UPDATE webhook_deliverers SET beat = beat + 1 WHERE id = ?',
    ),
    bury: database.query<null, [bigint, bigint]>(
      'DELETE FROM webhook_deliverers WHERE id = ? AND beat <= ?',
    ),
    claim: database.query<null, [bigint, bigint, bigint | null]>(
      `UPDATE webhooks SET deliverer_id = ?
       WHERE id = ? AND deliverer_id IS ? AND disabled_reason IS NULL
         AND NOT EXISTS (SELECT 1 FROM webhook_deliverers AS d WHERE d.id = deliverer_id)`,
    ),
    release: database.query<null, [bigint, bigint]>(
      'UPDATE webhooks SET deliverer_id = NULL WHERE id = ? AND deliverer_id = ?',
    ),
    held: database.query<HeldRow, [bigint, bigint]>(
      `SELECT ${WEBHOOK_COLUMNS}, revision, position FROM webhooks
       WHERE id = ? AND deliverer_id = ? AND disabled_reason IS NULL`,
    ),
    pending: database.query<PendingRow, [bigint]>(
      `SELECT ${PENDING_COLUMNS} FROM deliveries
       WHERE webhook_id = ? AND status = 'pending' ORDER BY event_id`,
    ),
    settled: database.query<{ event_id: bigint }, [bigint, bigint]>(
      `SELECT event_id FROM deliveries WHERE webhook_id = ? AND event_id > ?
         AND status <> 'pending' ORDER BY event_id`,
    ),
    progress: database.query<
      null,
      [bigint, number | null, number | null, string | null, bigint, bigint]
    >(
      `UPDATE webhooks SET position = ?, last_success_at = ?, failing_since = ?,
         disabled_reason = coalesce(disabled_reason, ?)
       WHERE id = ? AND deliverer_id = ?
         AND EXISTS (SELECT 1 FROM webhook_deliverers AS d WHERE d.id = deliverer_id)`,
    ),
    note: database.query<null, (bigint | string | null)[]>(
      `INSERT INTO deliveries (webhook_id, ${DELIVERY_COLUMNS.join(', ')})
       VALUES (?, ${DELIVERY_COLUMNS.map(() => '?').join(', ')})
       ON CONFLICT (webhook_id, event_id) DO UPDATE SET
         ${ATTEMPT_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    ),
    needed: database.query<{ after: bigint | null }, []>(
      `SELECT min(position) AS after FROM (
         SELECT position FROM webhooks WHERE disabled_reason IS NULL
         UNION ALL
         SELECT (SELECT min(event_id) - 1 FROM deliveries
                 WHERE webhook_id = webhooks.id AND status = 'pending')
         FROM webhooks WHERE disabled_reason IS NULL
       )`,
    ),
  };
}

/** The work of those who deliver, in SQLite. */
export function createDeliveryStorage(
  database: Database,
  { read, write }: Access,
): DeliveryStorage {
  const statements = prepareStatements(database);

  function heldBy(delivererId: bigint, id: bigint): HeldWebhook[] {
    const row = statements.held.get(id, delivererId);
    if (row === null) return [];
    const { revision, position } = row;
    return [
      {
        ...{ webhook: webhookOf(row), revision, position },
        pending: statements.pending.all(id).map(pendingOf),
        settled: statements.settled.all(id, position).map((each) => each.event_id),
      },
    ];
  }

  /** Returns false if another deliverer has the webhook now. */
  function recordOne(delivererId: bigint, progress: WebhookProgress): boolean {
    const { webhookId, position, deliveries, lastSuccessAt, failingSince, disable } = progress;
    const { changes } = statements.progress.run(
      ...([position, lastSuccessAt, failingSince, disable ?? null] as const),
      ...([webhookId, delivererId] as const),
    );
    if (changes === 0) return false;
    for (const delivery of deliveries) statements.note.run(webhookId, ...deliveryValues(delivery));
    return true;
  }

  function claim(delivererId: bigint, free: readonly SurveyedWebhook[]): void {
    for (const each of free) statements.claim.run(delivererId, each.id, each.delivererId);
  }

  return {
    survey: () =>
      read(() => {
        const webhooks = statements.webhooks.all().map(surveyedOf);
        return { webhooks, deliverers: statements.deliverers.all() };
      }),
    register: () => write(() => insertedRow(statements.register).id),
    beat: (delivererId) => write(() => statements.beat.run(delivererId).changes > 0),
    removeDeliverer: ({ id, beat }) => write(() => void statements.bury.run(id, beat)),
    claim: (delivererId, free) => write(() => claim(delivererId, free)),
    release: (delivererId, ids) =>
      write(() => {
        for (const id of ids) statements.release.run(id, delivererId);
      }),
    load: (delivererId, ids) => read(() => ids.flatMap((id) => heldBy(delivererId, id))),
    record: (delivererId, progress) =>
      write(() => {
        const held = progress.filter((each) => recordOne(delivererId, each));
        return new Set(held.map(({ webhookId }) => webhookId));
      }),
    neededAfter: () => read(() => statements.needed.get()?.after ?? undefined),
    removeExpired: createDeliverySweep(database, write),
  };
}
