import type { ChannelDisabledReason, ChannelKind } from '../domain/channel.ts';
import { HOUR_MS } from '../domain/clock.ts';
import { ENCRYPTED_MARK, KEY_MARK_LENGTH, keyMark, secretKeyFromText } from '../domain/secrets.ts';
import { DISABLED_BECAUSE, DISABLED_REASONS, type DisabledReason } from '../domain/webhook.ts';
import { recordedTime } from './clock.ts';
import { type Finding, findingsOf } from './finding.ts';

const { good, advice, bad } = findingsOf('database');

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

const REMEDIES: Readonly<Partial<Record<DisabledReason, string>>> = {
  copied: 'If this database replaces the original, run `petstore webhooks enable ID` for each.',
  key: 'Run `petstore webhooks remove ID`, unless a key of its owner gets both scopes: then enable it.',
};
const OTHER_REMEDY =
  'When the receiver works, run `petstore webhooks enable ID`; otherwise `petstore webhooks remove ID`.';
const SEE_RESPONSES =
  'See how the receiver responds: GET /v1/webhooks/{webhookId}/deliveries, or `petstore webhooks test ID`.';

/** The findings about rows: what is wrong or, if nothing is, that all is well. */
function orGood(rows: readonly unknown[], wrong: Iterable<Finding>, text: string): Finding[] {
  const found = [...wrong];
  return found.length > 0 || rows.length === 0 ? found : [good(text)];
}

/** The findings for webhooks that get nothing, or get it late. */
export function webhookFindings(rows: readonly WebhookFacts[], now: number): Finding[] {
  return orGood(
    rows,
    idleWebhooks(rows, now),
    `${webhooks(rows, 'gets its', 'get their')} events.`,
  );
}

function* idleWebhooks(rows: readonly WebhookFacts[], now: number): Generator<Finding> {
  for (const reason of DISABLED_REASONS) {
    const off = rows.filter(({ disabledReason }) => disabledReason === reason);
    const judge = reason === 'requested' ? good : advice;
    if (off.length > 0) {
      yield judge(`${webhooks(off, 'is', 'are')} disabled: ${DISABLED_BECAUSE[reason]} (${idsOf(off)}).
        → ${REMEDIES[reason] ?? OTHER_REMEDY}`);
    }
  }
  const failing = rows.filter(({ failingSince }) => failingSince !== null);
  if (failing.length > 0) {
    const since = recordedTime(Math.min(...failing.map((row) => Number(row.failingSince))));
    yield advice(`${webhooks(failing, 'gets', 'get')} nothing: every attempt fails, since ${since} UTC (${idsOf(failing)}).
      → ${SEE_RESPONSES}`);
  }
  /** The age of the oldest event that a webhook has still to get. */
  const ageOf = ({ pendingAt, unreadAt }: WebhookFacts) =>
    now - Math.min(Number(pendingAt ?? now), Number(unreadAt ?? now));
  const late = rows.filter((row) => row.failingSince === null && ageOf(row) > HOUR_MS);
  if (late.length > 0) {
    const hours = Math.floor(Math.max(...late.map(ageOf)) / HOUR_MS).toLocaleString('en-US');
    yield advice(`${webhooks(late, 'has', 'have')} events to get that are older than an hour, the oldest ${hours} h (${idsOf(late)}).
      → ${SEE_RESPONSES}`);
  }
}

/** Formats a number of webhooks, with a verb in singular or plural. */
function webhooks(rows: readonly unknown[], one = '', many = ''): string {
  const isOne = rows.length === 1;
  const noun = isOne ? 'webhook' : 'webhooks';
  return `${rows.length.toLocaleString('en-US')} ${noun} ${isOne ? one : many}`.trimEnd();
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

/** What secrets start with that one of these keys has encrypted. */
function marksOf(keys: readonly string[]): readonly string[] {
  return keys.flatMap((key) => {
    const bytes = secretKeyFromText(key);
    return bytes === undefined ? [] : [keyMark(bytes)];
  });
}

/** The findings for the stored secrets of webhooks; `keys` is `PETSTORE_SECRET_KEY`. */
export function secretFindings(rows: readonly SecretMarks[], keys: readonly string[]): Finding[] {
  const wrong = wrongSecrets(rows, marksOf(keys));
  return orGood(rows, wrong, `The secrets of ${webhooks(rows)} are encrypted.`);
}

function* wrongSecrets(rows: readonly SecretMarks[], marks: readonly string[]): Generator<Finding> {
  const isUnreadable = (text: string) => text.startsWith(ENCRYPTED_MARK) && !marks.includes(text);
  const having = (test: (text: string) => boolean) =>
    rows.filter(({ secret, oldSecret }) => test(secret) || (oldSecret !== null && test(oldSecret)));
  const unreadable = having(isUnreadable);
  if (unreadable.length > 0) {
    yield bad(`PETSTORE_SECRET_KEY does not contain the key for the secrets of ${webhooks(unreadable)}, which get no events.
      → Add the key after a comma, or rotate these secrets.`);
  }
  const plain = having((text) => !text.startsWith(ENCRYPTED_MARK));
  if (marks.length === 0 && plain.length > 0) {
    yield advice(`The secrets of ${webhooks(plain)} are not encrypted: whoever has a backup can forge events.
      → Set PETSTORE_SECRET_KEY to the output of \`openssl rand -base64 32\`, and restart.`);
  }
  const older = having((text) => text !== marks[0] && !isUnreadable(text));
  if (marks.length > 0 && older.length > 0) {
    yield advice(`The secrets of ${webhooks(older)} are not encrypted with the first key of PETSTORE_SECRET_KEY.
      → Restart the service: it encrypts them.`);
  }
}

/** A channel of an inspected database. Engines return numbers or bigints. */
export interface ChannelFacts {
  readonly id: bigint | number;
  readonly kind: ChannelKind;
  readonly address: string;
  readonly disabledReason: ChannelDisabledReason | null;
  readonly failures: bigint | number;
  readonly problem: string | null;
  /** The start of its secret, of `KEY_MARK_LENGTH` characters. */
  readonly mark: string | null;
}

/** The statement for `ChannelFacts`, on both engines. */
export const CHANNEL_FACTS = `SELECT id, kind, address, disabled_reason AS "disabledReason", failures, problem,
  substr(secret, 1, ${KEY_MARK_LENGTH}) AS mark FROM channels ORDER BY id`;

const BECAUSE: Readonly<Partial<Record<ChannelDisabledReason, string>>> = {
  sign_in: 'the place refuses the sign-in',
  host_key: 'the server has another key',
  copied: 'the database was restored or copied',
};

/** The findings for channels; `keys` is `PETSTORE_SECRET_KEY`. */
export function channelFindings(rows: readonly ChannelFacts[], keys: readonly string[]): Finding[] {
  const marks = marksOf(keys);
  const wrong = rows.flatMap((row) => channelTrouble(row, marks) ?? []);
  const count = rows.length === 1 ? '1 channel gets its' : `${rows.length} channels get their`;
  return orGood(rows, wrong, `${count} files.`);
}

function channelTrouble(row: ChannelFacts, marks: readonly string[]): Finding | undefined {
  const { disabledReason: reason, mark } = row;
  const name = `Channel ${row.id} (${row.kind})`;
  if (mark?.startsWith(ENCRYPTED_MARK) && !marks.includes(mark)) {
    return bad(`PETSTORE_SECRET_KEY lacks the key for the password of ${name}.
      → Add the key after a comma, or store the password again.`);
  }
  if (reason !== null && reason !== 'requested') {
    return advice(`${name} gets no files: ${BECAUSE[reason] ?? 'for a reason of a later release'}.
      → Look at it on the page Channels of the console, and enable it again.`);
  }
  if (reason === null && Number(row.failures) > 0) {
    return advice(`${name} did not get its last file: ${row.problem}
      → Test it on the page Channels of the console, or send the file on purpose.`);
  }
  if (!/^ftp:/i.test(row.address)) return undefined;
  return advice(`${name} sends its password in the clear (ftp).
    → Use ftps or sftp if the place has them.`);
}
