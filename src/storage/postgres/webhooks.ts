import { INT64_MAX } from '../../domain/int64.ts';
import { pageOf } from '../../domain/page.ts';
import {
  type Delivery,
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
import type { Session } from './connection.ts';
import type { Access } from './writer.ts';

const DELIVERY = DELIVERY_COLUMNS.join(', ');

/** Webhooks in PostgreSQL. */
export function createWebhookStorage({ read, write }: Access): WebhookStorage {
  return {
    find: (id) => read((session) => find(session, id)),
    page: ({ afterId, limit }) =>
      read(async (session) => {
        const text = `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE id > $1 ORDER BY id LIMIT $2`;
        const rows = await session.query<WebhookRow>(text, afterId ?? 0n, limit + 1);
        return pageOf(rows.map(webhookOf), limit);
      }),
    create: (webhook, seal) => write((session) => create(session, webhook, seal)),
    update: (id, change) => write((session) => update(session, id, change)),
    remove: (id, check) =>
      write(async (session) => {
        const current = await find(session, id, 'FOR UPDATE');
        if (current === undefined) return false;
        check(current);
        await session.run('DELETE FROM webhooks WHERE id = $1', id);
        return true;
      }),
    deliveries: (webhookId, { afterId, limit }) =>
      read(async (session) => {
        const rows = await session.query<DeliveryRow>(
          `SELECT ${DELIVERY} FROM deliveries WHERE webhook_id = $1 AND event_id < $2
           ORDER BY event_id DESC LIMIT $3`,
          webhookId,
          afterId ?? INT64_MAX,
          limit + 1,
        );
        return pageOf(rows.map(deliveryOf), limit);
      }),
    retry: (webhookId, eventId, at) => write((session) => retry(session, webhookId, eventId, at)),
  };
}

async function find(session: Session, id: bigint, lock = ''): Promise<Webhook | undefined> {
  const text = `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE id = $1 ${lock}`;
  const [row] = await session.query<WebhookRow>(text, id);
  return row === undefined ? undefined : webhookOf(row);
}

/** Returns a webhook that was just written. */
async function stored(session: Session, id: bigint): Promise<Webhook> {
  const webhook = await find(session, id);
  if (webhook === undefined) throw new Error('a webhook that was written is missing');
  return webhook;
}

async function create(
  session: Session,
  webhook: Parameters<WebhookStorage['create']>[0],
  seal: (id: bigint) => string,
): Promise<Webhook> {
  // One at a time, so that none is created beyond the limit.
  await session.run('LOCK TABLE webhooks IN SHARE ROW EXCLUSIVE MODE');
  const [count] = await session.query<{ n: bigint }>('SELECT count(*) AS n FROM webhooks');
  if ((count?.n ?? 0n) >= WEBHOOKS_MAX) throw tooManyWebhooks();
  const [row] = await session.query<{ id: bigint }>(
    `INSERT INTO webhooks (${NEW_WEBHOOK_COLUMNS.join(', ')}, secret, position, revision)
     VALUES (${NEW_WEBHOOK_COLUMNS.map((_, i) => `$${i + 1}`).join(', ')}, '',
       greatest((SELECT last_id FROM change_numbering), (SELECT max(id) FROM changes)), 1)
     RETURNING id`,
    ...newWebhookValues(webhook),
  );
  if (row === undefined) throw new Error('INSERT … RETURNING gave no row');
  await session.run('UPDATE webhooks SET secret = $1 WHERE id = $2', seal(row.id), row.id);
  return await stored(session, row.id);
}

async function update(
  session: Session,
  id: bigint,
  change: Parameters<WebhookStorage['update']>[1],
): Promise<Webhook | undefined> {
  const current = await find(session, id, 'FOR UPDATE');
  if (current === undefined) return undefined;
  await session.run(
    `UPDATE webhooks SET ${WEBHOOK_SETTINGS.map((column, i) => `${column} = $${i + 1}`).join(', ')},
       revision = revision + 1 WHERE id = $${WEBHOOK_SETTINGS.length + 1}`,
    ...webhookSettingsValues(current, change(current)),
    id,
  );
  return await stored(session, id);
}

async function retry(
  session: Session,
  webhookId: bigint,
  eventId: bigint,
  at: number,
): Promise<Delivery | undefined> {
  // The row of the webhook first, as whoever delivers does, so that they cannot deadlock.
  await session.run('UPDATE webhooks SET revision = revision + 1 WHERE id = $1', webhookId);
  const [row] = await session.query<DeliveryRow>(
    `UPDATE deliveries SET status = 'pending', next_attempt_at = $1, delivered_at = NULL
     WHERE webhook_id = $2 AND event_id = $3 RETURNING ${DELIVERY}`,
    BigInt(at),
    webhookId,
    eventId,
  );
  return row === undefined ? undefined : deliveryOf(row);
}
