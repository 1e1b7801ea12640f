import { HOUR_MS } from '../domain/clock.ts';
import { advice, type Finding, passed } from '../domain/finding.ts';
import { DISABLED_BECAUSE, DISABLED_REASONS, type DisabledReason } from '../domain/webhook.ts';

/** The most ids that a finding lists. */
const LISTED_MAX = 10;

/** A webhook of an inspected database. Engines return numbers or bigints. */
export interface WebhookFacts {
  readonly id: bigint | number;
  readonly disabledReason: DisabledReason | null;
  /** When the oldest event was made that was attempted and waits; null if there is none. */
  readonly pendingAt: bigint | number | null;
  /** The same for events that were not attempted yet. */
  readonly unreadAt: bigint | number | null;
}

/** The statement for `WebhookFacts`, on both engines. */
export const WEBHOOK_FACTS = `
  SELECT id, disabled_reason AS "disabledReason",
    CASE WHEN disabled_reason IS NULL THEN (
      SELECT created_at FROM deliveries AS d
      WHERE d.webhook_id = w.id AND d.status = 'pending' ORDER BY d.event_id LIMIT 1
    ) END AS "pendingAt",
    CASE WHEN disabled_reason IS NULL THEN (
      SELECT c.at FROM changes AS c
      WHERE c.id > w.position AND (w.types IS NULL OR ',' || w.types || ',' LIKE '%,' || c.type || ',%')
        AND NOT EXISTS (SELECT 1 FROM deliveries AS d WHERE d.webhook_id = w.id AND d.event_id = c.id)
      ORDER BY c.id LIMIT 1
    ) END AS "unreadAt"
  FROM webhooks AS w ORDER BY id`;

/** The findings for webhooks that get nothing, or get it late. */
export function webhookFindings(rows: readonly WebhookFacts[], now: number): Finding[] {
  const found = [
    ...DISABLED_REASONS.flatMap((reason) => disabledFindings(rows, reason)),
    ...lateFindings(rows, now),
  ];
  if (found.length > 0 || rows.length === 0) return found;
  const verb = rows.length === 1 ? 'gets its' : 'get their';
  return [passed('database', `${webhooks(rows.length)} ${verb} events.`)];
}

/** Formats a number of webhooks. */
export function webhooks(count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'webhook' : 'webhooks'}`;
}

function disabledFindings(all: readonly WebhookFacts[], reason: DisabledReason): Finding[] {
  const rows = all.filter(({ disabledReason }) => disabledReason === reason);
  if (rows.length === 0) return [];
  const verb = rows.length === 1 ? 'is' : 'are';
  const found = `${webhooks(rows.length)} ${verb} disabled: ${DISABLED_BECAUSE[reason]} (${idsOf(rows)}).`;
  if (reason === 'requested') return [passed('database', found)];
  return [
    advice(
      'database',
      found,
      reason === 'copied'
        ? 'If this database replaces the original, run `petstore webhooks enable ID` for each.'
        : 'When the receiver works, run `petstore webhooks enable ID`; otherwise `petstore webhooks remove ID`.',
    ),
  ];
}

function lateFindings(all: readonly WebhookFacts[], now: number): Finding[] {
  const late = all.filter((row) => ageOf(row, now) > HOUR_MS);
  if (late.length === 0) return [];
  const hours = Math.floor(Math.max(...late.map((row) => ageOf(row, now))) / HOUR_MS);
  const verb = late.length === 1 ? 'has' : 'have';
  return [
    advice(
      'database',
      `${webhooks(late.length)} ${verb} events to get that are older than an hour, the oldest ${hours.toLocaleString('en-US')} h (${idsOf(late)}).`,
      'See how the receiver responds: GET /v1/webhooks/{webhookId}/deliveries, or `petstore webhooks test ID`.',
    ),
  ];
}

/** The age of the oldest event that a webhook has still to get. */
function ageOf({ pendingAt, unreadAt }: WebhookFacts, now: number): number {
  return now - Math.min(Number(pendingAt ?? now), Number(unreadAt ?? now));
}

function idsOf(rows: readonly WebhookFacts[]): string {
  const listed = rows.slice(0, LISTED_MAX).map(({ id }) => String(id));
  const more = rows.length - listed.length;
  const ids = `${rows.length === 1 ? 'id' : 'ids'} ${listed.join(', ')}`;
  return more > 0 ? `${ids} and ${more.toLocaleString('en-US')} more` : ids;
}
