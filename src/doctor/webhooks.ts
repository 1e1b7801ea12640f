import { HOUR_MS } from '../domain/clock.ts';
import { ENCRYPTED_MARK, KEY_MARK_LENGTH, keyMark, secretKeyFromText } from '../domain/secrets.ts';
import { DISABLED_BECAUSE, DISABLED_REASONS, type DisabledReason } from '../domain/webhook.ts';
import { recordedTime } from './clock.ts';
import { advice, type Finding, failed, passed } from './finding.ts';

/** The most ids that a finding lists. */
const LISTED_MAX = 10;

/** A webhook of an inspected database. Engines return numbers or bigints. */
export interface WebhookFacts {
  readonly id: bigint | number;
  readonly disabledReason: DisabledReason | null;
  /** Since when all attempts have failed; null if the last one has not. */
  readonly failingSince: bigint | number | null;
  /** When the oldest event was made that has a delivery and waits; null if there is none. */
  readonly pendingAt: bigint | number | null;
  /** The same for events that have none yet. */
  readonly unreadAt: bigint | number | null;
}

/** The statement for `WebhookFacts`, on both engines. */
export const WEBHOOK_FACTS = `
  SELECT id, disabled_reason AS "disabledReason",
    CASE WHEN disabled_reason IS NULL THEN failing_since END AS "failingSince",
    CASE WHEN disabled_reason IS NULL THEN (
      SELECT created_at FROM deliveries AS d WHERE d.webhook_id = w.id AND d.event_id = (
        SELECT min(event_id) FROM deliveries WHERE webhook_id = w.id AND status = 'pending'
      )
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
  const isFailing = ({ failingSince }: WebhookFacts) => failingSince !== null;
  const found = [
    ...DISABLED_REASONS.flatMap((reason) => disabledFindings(rows, reason)),
    ...failingFindings(rows.filter(isFailing)),
    ...lateFindings(
      rows.filter((row) => !isFailing(row)),
      now,
    ),
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
        : reason === 'key'
          ? 'Run `petstore webhooks remove ID`, unless a key of its owner gets both scopes: then enable it.'
          : 'When the receiver works, run `petstore webhooks enable ID`; otherwise `petstore webhooks remove ID`.',
    ),
  ];
}

const SEE_RESPONSES =
  'See how the receiver responds: GET /v1/webhooks/{webhookId}/deliveries, or `petstore webhooks test ID`.';

function failingFindings(rows: readonly WebhookFacts[]): Finding[] {
  if (rows.length === 0) return [];
  const since = Math.min(...rows.map(({ failingSince }) => Number(failingSince)));
  const verb = rows.length === 1 ? 'gets' : 'get';
  return [
    advice(
      'database',
      `${webhooks(rows.length)} ${verb} nothing: every attempt fails, since ${recordedTime(since)} UTC (${idsOf(rows)}).`,
      SEE_RESPONSES,
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
      SEE_RESPONSES,
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

/** The starts of the secrets of a webhook, of `KEY_MARK_LENGTH` characters. */
export interface SecretMarks {
  readonly secret: string;
  readonly oldSecret: string | null;
}

/** The statement for `SecretMarks`, on both engines. */
export const SECRET_MARKS = `SELECT substr(secret, 1, ${KEY_MARK_LENGTH}) AS secret,
  substr(old_secret, 1, ${KEY_MARK_LENGTH}) AS "oldSecret" FROM webhooks`;

/** The findings for the stored secrets of webhooks; `keys` is `PETSTORE_SECRET_KEY`. */
export function secretFindings(rows: readonly SecretMarks[], keys: readonly string[]): Finding[] {
  const marks = keys.flatMap((key) => {
    const bytes = secretKeyFromText(key);
    return bytes === undefined ? [] : [keyMark(bytes)];
  });
  const isUnreadable = (text: string) => text.startsWith(ENCRYPTED_MARK) && !marks.includes(text);
  const having = (test: (text: string) => boolean) =>
    rows.filter(({ secret, oldSecret }) => test(secret) || (oldSecret !== null && test(oldSecret)));
  const unreadable = having(isUnreadable).length;
  const plain = having((text) => !text.startsWith(ENCRYPTED_MARK)).length;
  const older = having((text) => text !== marks[0] && !isUnreadable(text)).length;
  const found = [
    ...(unreadable > 0 ? [unreadableFinding(unreadable)] : []),
    ...(marks.length === 0 && plain > 0 ? [plainFinding(plain)] : []),
    ...(marks.length > 0 && older > 0 ? [olderFinding(older)] : []),
  ];
  if (found.length > 0 || rows.length === 0) return found;
  return [passed('database', `The secrets of ${webhooks(rows.length)} are encrypted.`)];
}

function unreadableFinding(count: number): Finding {
  return failed(
    'database',
    `PETSTORE_SECRET_KEY does not contain the key for the secrets of ${webhooks(count)}, which get no events.`,
    'Add the key after a comma, or rotate these secrets.',
  );
}

function plainFinding(count: number): Finding {
  return advice(
    'database',
    `The secrets of ${webhooks(count)} are not encrypted: whoever has a backup can forge events.`,
    'Set PETSTORE_SECRET_KEY to the output of `openssl rand -base64 32`, and restart.',
  );
}

function olderFinding(count: number): Finding {
  return advice(
    'database',
    `The secrets of ${webhooks(count)} are not encrypted with the first key of PETSTORE_SECRET_KEY.`,
    'Restart the service: it encrypts them.',
  );
}
