import { DAY_MS } from '../../domain/clock.ts';
import type { DeliveryStorage, Lease, LoadedWebhook, NextDelivery } from '../../domain/delivery.ts';
import type { DisabledReason } from '../../domain/webhook.ts';
import { isChosen } from '../chosen-rows.ts';
import { fieldsOf, numberOrNull, plain } from '../fields.ts';
import {
  given,
  integerList,
  isIn,
  methodsOf,
  onPostgres,
  type Sql,
  sql,
  type Transactions,
} from '../statements.ts';
import { CHANGE_COLUMNS, type ChangeRow, loggedChangeOf } from './change.ts';
import { disableWebhooks, WEBHOOK } from './webhooks.ts';

const LEASE = sql`SELECT term, heartbeat FROM webhook_lease`.as<Lease>();
/** The first leader adds the row. */
const NEVER_TAKEN = { term: 0n, heartbeat: 0n };
const has = (scope: string) => `',' || scopes || ',' LIKE '%,${scope},%'`;
/** The condition for a webhook whose owner has no key at `$1` that may have events sent: see `mayUse`. */
const IS_ORPHAN = `owner_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM api_keys WHERE (api_keys.id = owner_id OR family_id = owner_id)
      AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1)
      AND (${has('admin')} OR (${has('webhooks')}
        AND (${['read', 'adopt', 'write'].map(has).join(' OR ')})))
  )`;
const VERSION = fieldsOf(
  {
    id: plain<bigint>(),
    disabledReason: plain<DisabledReason | null>(),
    revision: plain<bigint>(),
    isOrphan: (cell: bigint) => cell > 0n,
  },
  { isOrphan: `CASE WHEN ${IS_ORPHAN} THEN 1 ELSE 0 END` },
);
const VERSIONS = sql`SELECT ${VERSION.columns} FROM webhooks ORDER BY id`.as(VERSION);
const TAKE = sql`INSERT INTO webhook_lease (id, term, heartbeat) VALUES (1, $1 + 1, 1)
    ON CONFLICT (id) DO UPDATE SET term = excluded.term, heartbeat = excluded.heartbeat
    WHERE webhook_lease.term = $1 AND webhook_lease.heartbeat = $2
    RETURNING term`.value<bigint>();
const RENEW = sql`UPDATE webhook_lease SET heartbeat = heartbeat + 1 WHERE term = $1`;
const RELEASE = sql`UPDATE webhook_lease SET heartbeat = 0 WHERE term = $1`;
/** Nobody else takes the lease before what this term writes is committed. */
export const HELD =
  sql`SELECT term FROM webhook_lease WHERE term = $1 ${onPostgres('FOR SHARE')}`.value<bigint>();

const LOAD = sql`SELECT ${WEBHOOK.columns}, revision, position FROM webhooks
    WHERE id ${isIn('$1')} AND disabled_reason IS NULL ORDER BY id`.as(
  ({ revision, position, ...row }: Omit<LoadedWebhook, 'webhook'>) => ({
    webhook: WEBHOOK.of(row),
    revision,
    position,
  }),
);
const NEW_COLUMNS = 'webhook_id bigint, event_id bigint, type text, record text, created_at bigint';
const ADD = sql`INSERT INTO deliveries
    (webhook_id, event_id, type, record, created_at, status, attempts)
  SELECT webhook_id, event_id, type, record, created_at, 'pending', 0
  FROM ${given(NEW_COLUMNS)} WHERE true ON CONFLICT (webhook_id, event_id) DO NOTHING`;
const SAVE_POSITIONS = sql`UPDATE webhooks SET position = given.position
  FROM ${given('id bigint, position bigint')} WHERE webhooks.id = given.id`;

/** What is pending for a webhook, with a delivery that is next for its record. */
interface NextRow extends ChangeRow {
  readonly webhook_id: bigint;
  readonly pending: bigint;
  readonly oldest_at: bigint;
  readonly event_id: bigint;
  readonly attempts: bigint;
  readonly next_attempt_at: bigint | null;
  readonly change_id: bigint | null;
}

function nextOf(row: NextRow): NextDelivery {
  return {
    eventId: row.event_id,
    attempts: Number(row.attempts),
    nextAttemptAt: numberOrNull(row.next_attempt_at),
    change: row.change_id === null ? undefined : loggedChangeOf({ ...row, id: row.change_id }),
  };
}

/** No wait for another attempt is longer: a clock that was ahead leaves times that are never reached. */
const WAIT_MAX_MS = 8 * DAY_MS;
/** SQLite would rather read all deliveries of a webhook, which stay for 30 days. */
const byPending: Sql = { sqlite: 'INDEXED BY deliveries_pending', postgres: '' };

/**
 * The events of one record are delivered one after the other; one about all records comes after all
 * earlier ones and before all later ones.
 */
const NEXT = sql`SELECT webhook_id, pending, oldest_at, event_id, attempts, next_attempt_at,
      changes.id AS change_id, ${CHANGE_COLUMNS.replaceAll(/\w+/g, 'changes.$&')}
    FROM (
      SELECT first.*, row_number() OVER (
          PARTITION BY webhook_id
          ORDER BY CASE WHEN next_attempt_at > $2 THEN next_attempt_at ELSE 0 END, event_id
        ) AS place
      FROM (
        SELECT webhook_id, event_id, attempts,
          CASE WHEN next_attempt_at - ${WAIT_MAX_MS} <= $2 THEN next_attempt_at END AS next_attempt_at,
          count(*) OVER of_webhook AS pending,
          min(created_at) OVER of_webhook AS oldest_at,
          min(event_id) OVER of_webhook AS oldest_id,
          min(CASE WHEN record = '*' THEN event_id END) OVER of_webhook AS reset_id,
          row_number() OVER (PARTITION BY webhook_id, record ORDER BY event_id) AS of_record
        FROM deliveries ${byPending}
        WHERE webhook_id ${isIn('$1')} AND status = 'pending'
        WINDOW of_webhook AS (PARTITION BY webhook_id)
      ) AS first
      WHERE of_record = 1
        AND (event_id = oldest_id OR reset_id IS NULL OR event_id < reset_id)
    ) AS next LEFT JOIN changes ON changes.id = event_id
      AND changes.id >= coalesce((SELECT first_id FROM event_start), 0)
    WHERE place <= $3 ORDER BY webhook_id, place`.as<NextRow>();

const RECORD_HEALTH = sql`UPDATE webhooks SET
    last_success_at = given.last_success_at, failing_since = given.failing_since
  FROM ${given('id bigint, last_success_at bigint, failing_since bigint')}
  WHERE webhooks.id = given.id`;
const ATTEMPTED = given(
  'webhook_id bigint, event_id bigint, status text, attempts bigint, response_status bigint, response_body text, error text, next_attempt_at bigint, delivered_at bigint',
);
const RECORD = sql`UPDATE deliveries SET status = given.status, attempts = given.attempts,
    response_status = given.response_status, response_body = given.response_body,
    error = given.error, next_attempt_at = given.next_attempt_at,
    delivered_at = given.delivered_at
  FROM ${ATTEMPTED}
  WHERE deliveries.webhook_id = given.webhook_id AND deliveries.event_id = given.event_id`;
const MAKE_ALL_DUE = sql`UPDATE deliveries ${byPending} SET next_attempt_at = NULL
  WHERE webhook_id = $1 AND status = 'pending'`;

const NEEDED_AFTER = sql`SELECT min(after) AS after FROM (
      SELECT position AS after FROM webhooks WHERE disabled_reason IS NULL
      UNION ALL
      SELECT (SELECT min(event_id) - 1 FROM deliveries ${byPending}
              WHERE webhook_id = webhooks.id AND status = 'pending')
      FROM webhooks WHERE disabled_reason IS NULL
    ) AS needs`.value((after: bigint | null) => after ?? undefined);
/**
 * The webhooks whose first deliveries can be removed. The log has no index by time: the deliveries of a
 * webhook are about in the order of their events.
 */
const WITH_EXPIRED = sql`WITH RECURSIVE owner (id) AS (
      SELECT min(webhook_id) FROM deliveries
      UNION ALL
      SELECT (SELECT min(webhook_id) FROM deliveries WHERE webhook_id > owner.id)
      FROM owner WHERE owner.id IS NOT NULL
    )
    SELECT owner.id FROM owner LEFT JOIN webhooks ON webhooks.id = owner.id
    WHERE owner.id IS NOT NULL AND (webhooks.id IS NULL OR $1 >= (
      SELECT created_at FROM deliveries WHERE webhook_id = owner.id
        AND (status <> 'pending' OR webhooks.disabled_reason IS NOT NULL)
      ORDER BY event_id LIMIT 1
    )) ORDER BY owner.id`.value<bigint>();
/** What comes after the position of its webhook is kept: it would be added, and delivered, again. */
const REMOVE_EXPIRED = sql`DELETE FROM deliveries WHERE webhook_id = $1 AND event_id ${isChosen(sql`
    SELECT event_id FROM (
      SELECT event_id, deliveries.created_at, position FROM deliveries
      LEFT JOIN webhooks ON webhooks.id = webhook_id
      WHERE webhook_id = $1 AND (
        status <> 'pending' OR webhooks.id IS NULL OR disabled_reason IS NOT NULL
      )
      ORDER BY event_id LIMIT $3 ${onPostgres('FOR UPDATE OF deliveries SKIP LOCKED')}
    ) AS first WHERE position IS NULL OR (created_at <= $2 AND event_id <= position)`)}`;

/** What the leader stores. */
export function createDeliveryStorage(transactions: Transactions): DeliveryStorage {
  const { reads, writes } = methodsOf<DeliveryStorage>(transactions);
  return {
    ...reads({
      *snapshot(now) {
        const webhooks = yield* VERSIONS.all(now);
        return { lease: (yield* LEASE.one()) ?? NEVER_TAKEN, webhooks };
      },
      load: (ids) => LOAD.all(integerList(ids)),
      *pending(ids, now, limit) {
        const rows = yield* NEXT.all(integerList(ids), now, limit);
        return [...Map.groupBy(rows, (row) => row.webhook_id)].map(([webhookId, own]) => ({
          webhookId,
          count: Number(own[0]?.pending),
          oldestAt: Number(own[0]?.oldest_at),
          next: own.map(nextOf),
        }));
      },
      neededAfter: () => NEEDED_AFTER.one(),
    }),
    ...writes({
      takeLease: ({ term, heartbeat }) => TAKE.one(term, heartbeat),
      *renewLease(term) {
        return (yield* RENEW.changes(term)) > 0;
      },
      releaseLease: (term) => RELEASE.run(term),
      *disableOrphans(term, ids, now) {
        if ((yield* HELD.one(term)) !== undefined) yield* disableWebhooks(ids, 'key', now);
      },
      *add(term, deliveries) {
        if ((yield* HELD.one(term)) === undefined) return false;
        yield* ADD.forRows(deliveries);
        return true;
      },
      *savePositions(term, positions) {
        if ((yield* HELD.one(term)) === undefined) return;
        const rows = positions.map(({ webhookId, position }) => ({ id: webhookId, position }));
        yield* SAVE_POSITIONS.forRows(rows);
      },
      *record(term, attempts) {
        if ((yield* HELD.one(term)) === undefined) return false;
        // Of several attempts at an endpoint, the last one knows its health.
        const last = new Map(attempts.map((attempt) => [attempt.webhookId, attempt]));
        const health = [...last].map(([id, { lastSuccessAt, failingSince }]) => {
          return { id, lastSuccessAt, failingSince };
        });
        yield* RECORD_HEALTH.forRows(health);
        for (const [id, { disable }] of last) {
          if (disable !== undefined) yield* disableWebhooks([id], disable.reason, disable.at);
        }
        const rows = attempts.map(({ webhookId, delivery }) => ({ webhookId, ...delivery }));
        yield* RECORD.forRows(rows);
        const recovered = attempts.filter((attempt) => attempt.hasRecovered);
        for (const { webhookId } of recovered) yield* MAKE_ALL_DUE.run(webhookId);
        return true;
      },
      *removeExpired(time, most) {
        let removed = 0;
        for (const id of yield* WITH_EXPIRED.all(time)) {
          if (removed >= most) break;
          removed += yield* REMOVE_EXPIRED.changes(id, time, most - removed);
        }
        return removed;
      },
    }),
  };
}
