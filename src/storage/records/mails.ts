import { LISTED_FOR_MS } from '../../domain/alert.ts';
import { DAY_MS, HOUR_MS } from '../../domain/clock.ts';
import {
  CAUSED_MAX,
  MAIL_PAUSE_MS,
  type Mail,
  type MailContent,
  type MailKind,
  type MailStorage,
  QUOTED_MAX,
} from '../../domain/mail.ts';
import { isChosen, skipLocked } from '../chosen-rows.ts';
import { fieldsOf, number, numberOrNull, plain } from '../fields.ts';
import { methodsOf, onPostgres, sql, type Transactions, type Work } from '../statements.ts';
import { ALERT_BY_ID, DUE_ALERT, END_ALERT, NEWEST_LISTED, TOLD_ALERT } from './alert-rows.ts';
import { HELD } from './deliveries.ts';
import { ENQUIRY } from './enquiry-rows.ts';

const MAIL = fieldsOf({
  id: plain<bigint>(),
  kind: plain<MailKind>(),
  subjectId: plain<bigint | null>(),
  name: plain<string>(),
  createdAt: number,
  attempts: number,
  nextAttemptAt: numberOrNull,
});
const isTrue = (n: bigint) => n > 0n;

const ADD = sql`INSERT INTO mails
    (name, kind, subject_id, receiver, created_at, next_attempt_at, status, attempts)
  VALUES ($1, $2, $3, $4, $5, $6, 'pending', 0) RETURNING id`.value<bigint>();

/** New enquiries that staff were not told of, unless the last mail to them is too recent. */
const UNTOLD = sql`FROM enquiries WHERE mail_id IS NULL AND status = 'new'
  AND NOT EXISTS (SELECT 1 FROM mails WHERE kind = 'enquiries' AND created_at > $1 AND created_at <= $2)`;
const IS_UNTOLD = sql`SELECT count(*) AS n FROM (SELECT 1 ${UNTOLD} LIMIT 1) AS found`.value(
  isTrue,
);
/** A clock that was ahead leaves times that are never reached. */
const IS_DUE = sql`SELECT count(*) AS n FROM (SELECT 1 FROM mails WHERE status = 'pending'
      AND (next_attempt_at IS NULL OR next_attempt_at <= $1 OR next_attempt_at > $2)
    LIMIT 1) AS found`.value(isTrue);
const TELL = sql`UPDATE enquiries SET mail_id = $1 WHERE mail_id IS NULL AND status = 'new'`;
/** Forms are taken, and collected into mails, one at a time: so no limit is exceeded, and mails find the ids in order. */
export const LOCK_FORMS = onPostgres('LOCK TABLE enquiries IN SHARE ROW EXCLUSIVE MODE');
export const NOTE_SENT = sql`INSERT INTO sent_forms (sender, pair, digest, suspected, mailed, sent_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

const COUNT =
  sql`SELECT count(*) AS n, min(created_at) AS oldest FROM mails WHERE status = 'pending'`.as(
    ({ n, oldest }: { readonly n: bigint; readonly oldest: bigint | null }) => ({
      count: Number(n),
      oldestAt: Number(oldest),
    }),
  );
const PENDING = sql`SELECT ${MAIL.columns} FROM mails WHERE status = 'pending'
  ORDER BY CASE WHEN next_attempt_at > $1 THEN next_attempt_at ELSE 0 END, id LIMIT $2`.as(MAIL);
const QUOTED = fieldsOf(
  { ...ENQUIRY.readers, petName: plain<string | null>() },
  { ...ENQUIRY.stored, petName: '(SELECT pets.name FROM pets WHERE pets.id = pet_id)' },
);
/** Those that may be spam come last. */
const OF_MAIL = sql`SELECT ${QUOTED.columns} FROM enquiries
    WHERE mail_id = $1 AND mail_id > 0 ORDER BY suspected, id LIMIT $2`.as(QUOTED);
const NUMBER_OF_MAIL =
  sql`SELECT count(*) AS n FROM enquiries WHERE mail_id = $1 AND mail_id > 0`.value(number);
const OF_ENQUIRY = sql`SELECT ${QUOTED.columns} FROM enquiries WHERE id = $1`.as(QUOTED);

const RECORD = sql`UPDATE mails SET status = $2, attempts = $3, next_attempt_at = $4
    WHERE id = $1 RETURNING kind, subject_id AS "subjectId"`.as<Pick<Mail, 'kind' | 'subjectId'>>();
const RETRY_ALL = sql`UPDATE mails SET next_attempt_at = NULL WHERE status = 'pending' AND attempts > 0`;
const FORGET = sql`DELETE FROM mails WHERE id ${isChosen(sql`
    SELECT id FROM mails WHERE created_at <= $1 AND status <> 'pending'
    ORDER BY created_at LIMIT $2 ${skipLocked}`)}`;

/** The newest mail to an address, and their number within a day. Times of a clock that was far ahead are ignored. */
const CAUSED = sql`SELECT count(*) AS n, max(created_at) AS newest FROM mails
    WHERE receiver = $1 AND kind <> 'alert' AND created_at > $2 AND created_at <= $3`.as(
  ({ n, newest }: { readonly n: bigint; readonly newest: bigint | null }) => ({
    count: Number(n),
    newest: newest === null ? Number.NEGATIVE_INFINITY : Number(newest),
  }),
);
const CAUSED_BY = sql`SELECT count(*) AS n FROM sent_forms
    WHERE mailed = 1 AND sender = $1 AND sent_at > $2 AND sent_at <= $3`.value(number);
const CAUSED_IN_ALL = sql`SELECT count(*) AS n FROM sent_forms
    WHERE mailed = 1 AND sent_at > $1 AND sent_at <= $2`.value(number);

/** A mail that a stranger asks for. */
interface CausedMail {
  readonly kind: Extract<MailKind, 'copy' | 'confirm_alert'>;
  readonly name: string;
  readonly receiver: string;
  readonly sender: string;
}

/**
 * Returns when a mail that a stranger asks for may be sent: at most one an hour and three a day to one address. Undefined
 * if it may not be sent at all. The caller holds the lock of forms.
 */
export function* timeOfCaused(
  { receiver, sender }: Pick<CausedMail, 'receiver' | 'sender'>,
  at: number,
): Work<number | undefined> {
  const hourAgo = at - HOUR_MS;
  if ((yield* CAUSED_BY.only(sender, hourAgo, at)) >= CAUSED_MAX.byVisitor) return undefined;
  if ((yield* CAUSED_IN_ALL.only(hourAgo, at)) >= CAUSED_MAX.inHour) return undefined;
  const sent = yield* CAUSED.only(receiver, at - DAY_MS, at + DAY_MS);
  if (sent.count >= CAUSED_MAX.day) return undefined;
  return Math.max(at, sent.newest + HOUR_MS / CAUSED_MAX.hour);
}

/** Adds a mail about a record, to be sent at a time. */
export function* addCaused(
  { kind, name, receiver }: CausedMail,
  subjectId: bigint,
  time: number,
  at: number,
): Work<void> {
  yield* ADD.only(name, kind, subjectId, receiver, time, time > at ? time : null);
}

/** Adds a mail with the animals of an alert. */
export function* addAlertMail(subjectId: bigint, name: string, at: number): Work<void> {
  yield* ADD.only(name, 'alert', subjectId, null, at, null);
}

function* content({ id, kind, subjectId }: Mail): Work<MailContent> {
  const nothing = { count: 0, quoted: [], alert: undefined };
  if (kind === 'enquiries') {
    const number = yield* NUMBER_OF_MAIL.only(id);
    return { ...nothing, count: number, quoted: yield* OF_MAIL.all(id, QUOTED_MAX) };
  }
  if (kind === 'copy') {
    const quoted = yield* OF_ENQUIRY.all(subjectId);
    return { ...nothing, count: quoted.length, quoted };
  }
  return { ...nothing, alert: yield* ALERT_BY_ID.one(subjectId) };
}

/** Mails to staff and to families. */
export function createMailStorage(transactions: Transactions): MailStorage {
  const { reads, writes } = methodsOf<MailStorage>(transactions);
  return {
    ...reads({
      *isDue(now) {
        if (yield* IS_DUE.only(now, now + DAY_MS)) return true;
        if (yield* IS_UNTOLD.only(now - MAIL_PAUSE_MS, now)) return true;
        const newest = yield* NEWEST_LISTED.only(now - LISTED_FOR_MS);
        return newest !== null && (yield* DUE_ALERT.one(now, newest, 1)) !== undefined;
      },
      *pending(now, limit) {
        const found = yield* COUNT.only();
        if (found.count === 0) return undefined;
        const next = yield* PENDING.all(now, limit);
        // A clock that was ahead leaves times that are never reached.
        const isReached = ({ nextAttemptAt }: Mail) => (nextAttemptAt ?? 0) <= now + DAY_MS;
        return {
          ...found,
          next: next.map((mail) => (isReached(mail) ? mail : { ...mail, nextAttemptAt: null })),
        };
      },
      content,
    }),
    ...writes({
      *collect(term, name, now) {
        if ((yield* HELD.one(term)) === undefined) return;
        yield* LOCK_FORMS.run();
        if (!(yield* IS_UNTOLD.only(now - MAIL_PAUSE_MS, now))) return;
        const id = yield* ADD.only(name, 'enquiries', null, null, now, null);
        yield* TELL.run(id);
      },
      *retryAll(term) {
        if ((yield* HELD.one(term)) !== undefined) yield* RETRY_ALL.run();
      },
      *record(term, attempt, retries) {
        if ((yield* HELD.one(term)) === undefined) return false;
        const { id, status, attempts, nextAttemptAt, isRefused, toldUpTo, at } = attempt;
        const mail = yield* RECORD.one(id, status, attempts, nextAttemptAt);
        const { kind, subjectId = null } = mail ?? {};
        if (subjectId !== null && (kind === 'alert' || kind === 'confirm_alert')) {
          if (isRefused) yield* END_ALERT.run(subjectId);
          // A mail that was given up is not made again at once.
          else if (kind === 'alert' && status !== 'pending')
            yield* TOLD_ALERT.run(subjectId, toldUpTo ?? null, at);
        }
        if (retries) yield* RETRY_ALL.run();
        return true;
      },
      forget: (time, most) => FORGET.changes(time, most),
    }),
  };
}
