import type { Database } from 'bun:sqlite';
import { INT64_MAX } from '../../domain/int64.ts';
import { pageOf } from '../../domain/page.ts';
import {
  tooManyWebhooks,
  WEBHOOKS_MAX,
  type Webhook,
  type WebhookStorage,
} from '../../domain/webhook.ts';
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  deliveryOf,
  NEW_WEBHOOK_COLUMNS,
  newWebhookValues,
  WEBHOOK_COLUMNS,
  WEBHOOK_SETTINGS,
  type WebhookRow,
  webhookOf,
  webhookSettingsValues,
} from '../rows/webhook.ts';
import type { Access } from './access.ts';
import { insertedRow } from './connection.ts';

/** The statements of `createWebhookStorage`. */
function prepareStatements(database: Database) {
  const delivery = DELIVERY_COLUMNS.join(', ');
  return {
    count: database.query<{ n: bigint }, []>('SELECT count(*) AS n FROM webhooks'),
    byId: database.query<WebhookRow, [bigint]>(
      `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE id = ?`,
    ),
    page: database.query<WebhookRow, [bigint, number]>(
      `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE id > ? ORDER BY id LIMIT ?`,
    ),
    insert: database.query<{ id: bigint }, (string | bigint | null)[]>(
      `INSERT INTO webhooks (${NEW_WEBHOOK_COLUMNS.join(', ')}, secret, position, revision)
       VALUES (${NEW_WEBHOOK_COLUMNS.map(() => '?').join(', ')}, '',
         coalesce((SELECT max(id) FROM changes), 0), 1) RETURNING id`,
    ),
    seal: database.query<null, [string, bigint]>('UPDATE webhooks SET secret = ? WHERE id = ?'),
    save: database.query<null, (string | bigint | null)[]>(
      `UPDATE webhooks SET ${WEBHOOK_SETTINGS.map((column) => `${column} = ?`).join(', ')},
         revision = revision + 1 WHERE id = ?`,
    ),
    remove: database.query<null, [bigint]>('DELETE FROM webhooks WHERE id = ?'),
    deliveries: database.query<DeliveryRow, [bigint, bigint, number]>(
      `SELECT ${delivery} FROM deliveries WHERE webhook_id = ? AND event_id < ?
       ORDER BY event_id DESC LIMIT ?`,
    ),
    retry: database.query<DeliveryRow, [number, bigint, bigint]>(
      `UPDATE deliveries SET status = 'pending', next_attempt_at = ?, delivered_at = NULL
       WHERE webhook_id = ? AND event_id = ? RETURNING ${delivery}`,
    ),
    touch: database.query<null, [bigint]>(
      'UPDATE webhooks SET revision = revision + 1 WHERE id = ?',
    ),
  };
}

/** Webhooks in SQLite. */
export function createWebhookStorage(database: Database, { read, write }: Access): WebhookStorage {
  const statements = prepareStatements(database);

  function find(id: bigint): Webhook | undefined {
    const row = statements.byId.get(id);
    return row === null ? undefined : webhookOf(row);
  }

  /** Returns a webhook that was just written. */
  function stored(id: bigint): Webhook {
    const webhook = find(id);
    if (webhook === undefined) throw new Error('a webhook that was written is missing');
    return webhook;
  }

  const create: WebhookStorage['create'] = (webhook, seal) =>
    write(() => {
      if ((statements.count.get()?.n ?? 0n) >= WEBHOOKS_MAX) throw tooManyWebhooks();
      const { id } = insertedRow(statements.insert, ...newWebhookValues(webhook));
      statements.seal.run(seal(id), id);
      return stored(id);
    });

  const update: WebhookStorage['update'] = (id, change) =>
    write(() => {
      const current = find(id);
      if (current === undefined) return undefined;
      statements.save.run(...webhookSettingsValues(current, change(current)), id);
      return stored(id);
    });

  return {
    find: (id) => read(() => find(id)),
    page: ({ afterId, limit }) =>
      read(() => pageOf(statements.page.all(afterId ?? 0n, limit + 1).map(webhookOf), limit)),
    create,
    update,
    remove: (id, check) =>
      write(() => {
        const current = find(id);
        if (current === undefined) return false;
        check(current);
        statements.remove.run(id);
        return true;
      }),
    deliveries: (webhookId, { afterId, limit }) =>
      read(() => {
        const rows = statements.deliveries.all(webhookId, afterId ?? INT64_MAX, limit + 1);
        return pageOf(rows.map(deliveryOf), limit);
      }),
    retry: (webhookId, eventId, at) =>
      write(() => {
        const [row] = statements.retry.all(at, webhookId, eventId);
        if (row === undefined) return undefined;
        statements.touch.run(webhookId);
        return deliveryOf(row);
      }),
  };
}
