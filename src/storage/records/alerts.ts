import {
  ALERT_MS,
  ALERTS_OF_ADDRESS_MAX,
  type AlertStorage,
  CONFIRM_MS,
  LISTED_FOR_MS,
} from '../../domain/alert.ts';
import { HOUR_MS } from '../../domain/clock.ts';
import { SENT_MAX } from '../../domain/enquiry.ts';
import { isChosen, skipLocked } from '../chosen-rows.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import { integerList, isIn, methodsOf, sql, type Transactions } from '../statements.ts';
import { ALERT, DUE_ALERT, NEWEST_LISTED } from './alert-rows.ts';
import { HELD } from './deliveries.ts';
import { addAlertMail, addCaused, LOCK_FORMS, NOTE_SENT, timeOfCaused } from './mails.ts';

const ADD =
  sql`INSERT INTO alerts (name, email, receiver, search, language, created_at, ends_at, seen_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $6) RETURNING id`.value<bigint>();
const SENT = sql`SELECT count(*) AS n FROM sent_forms
    WHERE sender = $1 AND sent_at > $2 AND sent_at <= $3`.value(number);
/** Marks a form as that of an alert. Enquiries are suspected (1) or not (0). */
const OF_ALERT = 2;
/** Makes room: of the unconfirmed alerts of an address, keeps the newest. */
const TRIM = sql`DELETE FROM alerts WHERE receiver = $1 AND confirmed_at IS NULL AND id NOT IN (
    SELECT id FROM alerts WHERE receiver = $1 AND confirmed_at IS NULL ORDER BY id DESC LIMIT $2
  )`;
const FIND = sql`SELECT ${ALERT.columns} FROM alerts WHERE name = $1 AND ends_at > $2`.as(ALERT);
const CONFIRM = sql`UPDATE alerts SET confirmed_at = $2, seen_at = $2, ends_at = $3
  WHERE name = $1 AND confirmed_at IS NULL AND ends_at > $2 RETURNING ${ALERT.columns}`.as(ALERT);
const END_SAME = sql`DELETE FROM alerts
  WHERE email = $1 AND search = $2 AND id <> $3 AND confirmed_at IS NOT NULL`;
const END_OLDEST = sql`DELETE FROM alerts WHERE email = $1 AND confirmed_at IS NOT NULL AND id NOT IN (
    SELECT id FROM alerts WHERE email = $1 AND confirmed_at IS NOT NULL
    ORDER BY confirmed_at DESC, id DESC LIMIT $2
  )`;
const END = sql`DELETE FROM alerts WHERE name = $1`;
const COUNT = fieldsOf({ search: plain<string>(), confirmed: number, waiting: number });
const COUNTS =
  sql`SELECT search, count(confirmed_at) AS confirmed, count(*) - count(confirmed_at) AS waiting
    FROM alerts WHERE ends_at > $1 GROUP BY search ORDER BY count(*) DESC, search LIMIT $2`.as(
    COUNT,
  );
const SEEN = sql`UPDATE alerts SET seen_at = $2 WHERE id ${isIn('$1')} AND seen_at < $2`;
const REMOVE_ENDED = sql`DELETE FROM alerts WHERE id ${isChosen(sql`
    SELECT id FROM alerts WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2 ${skipLocked}`)}`;

/** Alerts of families. */
export function createAlertStorage(transactions: Transactions): AlertStorage {
  const { reads, writes } = methodsOf<AlertStorage>(transactions);
  return {
    ...reads({
      find: (name, now) => FIND.one(name, now),
      counts: (now, limit) => COUNTS.all(now, limit),
      *due(now, limit) {
        const upTo = yield* NEWEST_LISTED.only(now - LISTED_FOR_MS);
        if (upTo === null) return { upTo: 0, alerts: [] };
        return { upTo, alerts: yield* DUE_ALERT.all(now, upTo, limit) };
      },
    }),
    ...writes({
      *request({ name, email, receiver, sender, search, language, mailName }, at) {
        yield* LOCK_FORMS.run();
        const sent = yield* SENT.only(sender, at - HOUR_MS, at);
        if (sent >= SENT_MAX.byAddressRefused) return false;
        const mail = { kind: 'confirm_alert', name: mailName, receiver, sender } as const;
        const time = yield* timeOfCaused(mail, at);
        yield* NOTE_SENT.run(sender, '', '', OF_ALERT, Number(time !== undefined), at);
        if (time === undefined) return true;
        const id = yield* ADD.only(name, email, receiver, search, language, at, at + CONFIRM_MS);
        yield* TRIM.run(receiver, ALERTS_OF_ADDRESS_MAX);
        yield* addCaused(mail, id, time, at);
        return true;
      },
      *confirm(name, at) {
        const alert = yield* CONFIRM.one(name, at, at + ALERT_MS);
        if (alert === undefined) return undefined;
        yield* END_SAME.run(alert.email, alert.search, alert.id);
        yield* END_OLDEST.run(alert.email, ALERTS_OF_ADDRESS_MAX);
        return alert;
      },
      end: (name) => END.run(name),
      *examined(term, matched, others, seenAt, now) {
        if ((yield* HELD.one(term)) === undefined) return;
        for (const { id, mailName } of matched) yield* addAlertMail(id, mailName, now);
        yield* SEEN.run(integerList(others), seenAt);
      },
      removeEnded: (now, most) => REMOVE_ENDED.changes(now, most),
    }),
  };
}
