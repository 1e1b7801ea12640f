import type { ChangedFields } from '../../domain/audit.ts';
import { CHANGE_TYPES, type ChangeType } from '../../domain/change-log.ts';
import {
  type DeliveryStatus,
  type DisabledReason,
  tooManyWebhooks,
  WEBHOOKS_MAX,
  WEBHOOKS_OF_KEY_MAX,
  type Webhook,
  type WebhookSettings,
  type WebhookStorage,
} from '../../domain/webhook.ts';
import { assignments, fieldsOf, number, numberOrNull, plain, valuesOf } from '../fields.ts';
import { listed } from '../lists.ts';
import {
  forUpdate,
  integerList,
  isIn,
  methodsOf,
  onPostgres,
  type Sql,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { auditedRecords } from './audited.ts';
import { noteAudit } from './notes.ts';

/** A webhook in its row, which has columns of the leader too. */
export const WEBHOOK = fieldsOf({
  id: plain<bigint>(),
  url: plain<string>(),
  types: typesIn,
  description: plain<string | null>(),
  disabledReason: plain<DisabledReason | null>(),
  secret: plain<string>(),
  oldSecret: plain<string | null>(),
  oldSecretUntil: numberOrNull,
  ownerId: plain<bigint | null>(),
  createdAt: number,
  lastSuccessAt: numberOrNull,
  failingSince: numberOrNull,
});

function typesIn(cell: string | null): ChangeType[] | null {
  const stored = cell?.split(',');
  return stored === undefined ? null : CHANGE_TYPES.filter((type) => stored.includes(type));
}

/** A delivery in its row. Its id is that of its event. */
const DELIVERY = fieldsOf(
  {
    id: plain<bigint>(),
    eventId: plain<bigint>(),
    type: plain<ChangeType>(),
    status: plain<DeliveryStatus>(),
    attempts: number,
    responseStatus: numberOrNull,
    responseBody: plain<string | null>(),
    error: plain<string | null>(),
    createdAt: number,
    nextAttemptAt: numberOrNull,
    deliveredAt: numberOrNull,
  },
  { id: 'event_id' },
);

const FIND = sql`SELECT ${WEBHOOK.columns} FROM webhooks WHERE id = $1`.as(WEBHOOK);
const FIND_TO_CHANGE = sql`SELECT ${WEBHOOK.columns} FROM webhooks WHERE id = $1 ${forUpdate}`.as(
  WEBHOOK,
);
const LIST = sql`SELECT ${WEBHOOK.columns} FROM webhooks`.as(WEBHOOK);
/** One creation at a time, so that there are never more than the limit. */
const LOCK = onPostgres('LOCK TABLE webhooks IN SHARE ROW EXCLUSIVE MODE');
const COUNT = sql`SELECT count(*) AS n, count(CASE WHEN owner_id = $1 THEN 1 END) AS own
    FROM webhooks`.as(({ n, own }: { n: bigint; own: bigint }) => ({ all: n, own }));
/** The id of the newest change, also of one that was removed. */
const NEWEST: Sql = {
  sqlite: 'coalesce((SELECT max(id) FROM changes), 0)',
  postgres: 'greatest((SELECT last_id FROM change_numbering), (SELECT max(id) FROM changes))',
};
const INSERT =
  sql`INSERT INTO webhooks (url, types, description, created_at, owner_id, disabled_reason, secret, position, revision)
    VALUES ($1, $2, $3, $4, $5, $6, '', ${NEWEST}, 1) RETURNING id`.value<bigint>();
const SET_SECRET = sql`UPDATE webhooks SET secret = $1 WHERE id = $2`;
const SETTINGS =
  'url, types, description, disabled_reason, secret, old_secret, old_secret_until, failing_since';
const UPDATE = sql`UPDATE webhooks SET ${assignments(SETTINGS, 2)}, revision = revision + 1
  WHERE id = $1`;
const DISABLE = sql`UPDATE webhooks SET disabled_reason = $2, revision = revision + 1
    WHERE id ${isIn('$1')} AND disabled_reason IS NULL RETURNING id`.value<bigint>();
const REMOVE = sql`DELETE FROM webhooks WHERE id = $1`;
const DELIVERIES = sql`SELECT ${DELIVERY.columns} FROM (
    SELECT deliveries.*, event_id AS id FROM deliveries
  ) AS deliveries`.as(DELIVERY);
const TOUCH = sql`UPDATE webhooks SET revision = revision + 1 WHERE id = $1`;
const RETRY =
  sql`UPDATE deliveries SET status = 'pending', next_attempt_at = $1, delivered_at = NULL
    WHERE webhook_id = $2 AND event_id = $3 RETURNING ${DELIVERY.columns}`.as(DELIVERY);

function* update(current: Webhook, next: WebhookSettings): Work<Webhook> {
  const { id } = current;
  // A webhook that is enabled again has not failed yet.
  const isEnabled = current.disabledReason !== null && next.disabledReason === null;
  const failingSince = isEnabled ? null : current.failingSince;
  const values = { ...next, types: next.types?.join() ?? null, failingSince };
  yield* UPDATE.run(id, ...valuesOf(SETTINGS, values));
  return yield* FIND.only(id);
}

/** Disables those of these webhooks that are enabled. The audit says so, by nobody. */
export function* disableWebhooks(
  ids: readonly bigint[],
  reason: DisabledReason,
  at: number,
): Work<void> {
  const changed: ChangedFields = {
    status: ['enabled', 'disabled'],
    disabledReason: [null, reason],
  };
  for (const id of yield* DISABLE.all(integerList(ids), reason)) {
    yield* noteAudit('webhook.updated', { id }, changed, { at, keyId: null });
  }
}

/** What the audit shows of a webhook. */
function shownFields({ url, types, description, disabledReason }: Webhook) {
  const status = disabledReason === null ? 'enabled' : 'disabled';
  return { url, types, description, status, disabledReason };
}

const AUDITED = auditedRecords({
  kind: 'webhook',
  findToChange: FIND_TO_CHANGE,
  removal: REMOVE,
  update,
  shown: shownFields,
  *noteMore({ id, secret }, after, stamp) {
    if (secret !== after.secret) yield* noteAudit('webhook.rotated', { id }, {}, stamp);
  },
});

/** Webhooks and the log of their deliveries. */
export function createWebhookStorage(transactions: Transactions): WebhookStorage {
  const { reads, writes } = methodsOf<WebhookStorage>(transactions);
  return {
    ...reads({
      find: (id) => FIND.one(id),
      page: (request, ownerId) => listed(LIST, request, [['owner_id', ownerId]]),
      deliveries: (webhookId, request) =>
        listed(DELIVERIES, { ...request, isDescending: true }, [['webhook_id', webhookId]]),
    }),
    ...writes({
      ...AUDITED,
      create: (webhook, secretFor, stamp) =>
        AUDITED.create(function* () {
          const { url, types, description, createdAt } = webhook;
          const { ownerId = null, disabledReason = null } = webhook;
          yield* LOCK.run();
          const { all, own } = yield* COUNT.only(ownerId);
          if (own >= WEBHOOKS_OF_KEY_MAX) throw tooManyWebhooks(WEBHOOKS_OF_KEY_MAX);
          if (all >= WEBHOOKS_MAX) throw tooManyWebhooks(WEBHOOKS_MAX);
          const given = [url, types?.join() ?? null, description, createdAt];
          const id = yield* INSERT.only(...given, ownerId, disabledReason);
          yield* SET_SECRET.run(secretFor(id), id);
          return yield* FIND.only(id);
        }, stamp),
      *retry(webhookId, eventId, at) {
        // The row of the webhook first, as the leader does, so that they cannot deadlock.
        yield* TOUCH.run(webhookId);
        return yield* RETRY.one(at, webhookId, eventId);
      },
    }),
  };
}
