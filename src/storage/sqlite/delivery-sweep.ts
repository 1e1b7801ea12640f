import type { Database } from 'bun:sqlite';
import type { DeliveryStorage } from '../../domain/delivery.ts';
import type { Write } from './group-commit.ts';

/**
 * Creates the removal of old deliveries. The log has no index by time: the deliveries of a webhook
 * are about in the order of their events, so only the first ones of each webhook are looked at.
 */
export function createDeliverySweep(
  database: Database,
  write: Write,
): DeliveryStorage['removeExpired'] {
  const nextWebhook = database.query<{ id: bigint | null }, [bigint]>(
    'SELECT min(webhook_id) AS id FROM deliveries WHERE webhook_id > ?',
  );
  const ofRemoved = database.query<null, [bigint, number]>(
    `DELETE FROM deliveries WHERE webhook_id = ?1
       AND NOT EXISTS (SELECT 1 FROM webhooks WHERE id = ?1)
       AND event_id IN (SELECT event_id FROM deliveries WHERE webhook_id = ?1
         ORDER BY event_id LIMIT ?2)`,
  );
  const expired = database.query<null, [bigint, number, number]>(
    `DELETE FROM deliveries WHERE webhook_id = ?1 AND event_id IN (
       SELECT event_id FROM (
         SELECT event_id, created_at FROM deliveries
         WHERE webhook_id = ?1 AND (status <> 'pending'
           OR EXISTS (SELECT 1 FROM webhooks WHERE id = ?1 AND disabled_reason IS NOT NULL))
         ORDER BY event_id LIMIT ?3
       ) WHERE created_at <= ?2
     )`,
  );

  function removeExpired(time: number, most: number): number {
    let removed = 0;
    let id = nextWebhook.get(0n)?.id ?? null;
    while (id !== null && removed < most) {
      removed += ofRemoved.run(id, most - removed).changes;
      removed += expired.run(id, time, most - removed).changes;
      id = nextWebhook.get(id)?.id ?? null;
    }
    return removed;
  }

  return (time, most) => write(() => removeExpired(time, most));
}
