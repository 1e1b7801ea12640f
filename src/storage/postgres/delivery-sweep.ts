import type { Session } from './connection.ts';

/** The webhooks with deliveries, each found by one look at the index. */
const WITH_DELIVERIES = `WITH RECURSIVE owner (id) AS (
    (SELECT min(webhook_id) FROM deliveries)
    UNION ALL
    SELECT (SELECT min(webhook_id) FROM deliveries WHERE webhook_id > owner.id)
    FROM owner WHERE owner.id IS NOT NULL
  )`;

/**
 * Removes old deliveries. The log has no index by time: the deliveries of a webhook are about in the
 * order of their events, so only the first ones of each webhook are looked at. Those that another
 * instance has locked are skipped.
 */
export async function removeExpired(session: Session, time: number, most: number): Promise<number> {
  return await session.run(
    `${WITH_DELIVERIES}, old AS (
       SELECT first.webhook_id, first.event_id FROM owner
       LEFT JOIN webhooks ON webhooks.id = owner.id
       CROSS JOIN LATERAL (
         SELECT webhook_id, event_id, created_at FROM deliveries
         WHERE webhook_id = owner.id AND (
           status <> 'pending' OR webhooks.id IS NULL OR webhooks.disabled_reason IS NOT NULL
         )
         ORDER BY event_id LIMIT $2
       ) AS first
       WHERE webhooks.id IS NULL OR first.created_at <= $1
       LIMIT $2
     ), locked AS (
       SELECT webhook_id, event_id FROM deliveries JOIN old USING (webhook_id, event_id)
       FOR UPDATE OF deliveries SKIP LOCKED
     )
     DELETE FROM deliveries USING locked
     WHERE deliveries.webhook_id = locked.webhook_id AND deliveries.event_id = locked.event_id`,
    BigInt(time),
    BigInt(most),
  );
}
