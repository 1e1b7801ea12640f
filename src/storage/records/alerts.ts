import {
  ALERT_MS,
  ALERTS_OF_ADDRESS_MAX,
  type Alert,
  type AlertCount,
  type AlertStorage,
  CONFIRM_MS,
  type DueAlerts,
  LISTED_FOR_MS,
  type NewAlert,
} from '../../domain/alert.ts';
import { HOUR_MS } from '../../domain/clock.ts';
import { SENT_MAX } from '../../domain/enquiry.ts';
import {
  all,
  changes,
  integerList,
  isIn,
  one,
  only,
  onPostgres,
  query,
  run,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { ALERT, alerts, DUE_ALERT, NEWEST_LISTED } from './alert-rows.ts';
import { HELD } from './deliveries.ts';
import { addAlertMail, addCaused, timeOfCaused } from './mails.ts';

const count = ({ n }: { readonly n: bigint }) => Number(n);

/** One at a time, with those who send enquiries, so that no limit is passed. */
const LOCK = onPostgres('LOCK TABLE enquiries IN SHARE ROW EXCLUSIVE MODE');
const ADD = query(
  ({ id }: { readonly id: bigint }) => id,
  sql`INSERT INTO alerts (name, email, receiver, search, language, created_at, ends_at, seen_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $6) RETURNING id`,
);
const SENT = query(
  count,
  sql`SELECT count(*) AS n FROM sent_forms WHERE sender = $1 AND sent_at > $2 AND sent_at <= $3`,
);
/** Apart from enquiries, which are suspected (1) or not (0). */
const NOTE_SENT = sql`INSERT INTO sent_forms (sender, pair, digest, suspected, mailed, sent_at)
  VALUES ($1, '', '', 2, $2, $3)`;
/** Makes room: of those of an address that are not confirmed, the newest few stay. */
const TRIM = sql`DELETE FROM alerts WHERE receiver = $1 AND confirmed_at IS NULL AND id NOT IN (
    SELECT id FROM alerts WHERE receiver = $1 AND confirmed_at IS NULL ORDER BY id DESC LIMIT $2
  )`;
const FIND = alerts(sql`SELECT ${ALERT.columns} FROM alerts WHERE name = $1 AND ends_at > $2`);
const CONFIRM = alerts(sql`UPDATE alerts SET confirmed_at = $2, seen_at = $2, ends_at = $3
  WHERE name = $1 AND confirmed_at IS NULL AND ends_at > $2 RETURNING ${ALERT.columns}`);
const END_SAME = sql`DELETE FROM alerts
  WHERE email = $1 AND search = $2 AND id <> $3 AND confirmed_at IS NOT NULL`;
const END_OLDEST = sql`DELETE FROM alerts WHERE email = $1 AND confirmed_at IS NOT NULL AND id NOT IN (
    SELECT id FROM alerts WHERE email = $1 AND confirmed_at IS NOT NULL
    ORDER BY confirmed_at DESC, id DESC LIMIT $2
  )`;
const END = sql`DELETE FROM alerts WHERE name = $1`;
const COUNTS = query(
  ({ search, confirmed, n }: { search: string; confirmed: bigint; n: bigint }): AlertCount => ({
    ...{ search, confirmed: Number(confirmed), waiting: Number(n - confirmed) },
  }),
  sql`SELECT search, count(confirmed_at) AS confirmed, count(*) AS n FROM alerts
    WHERE ends_at > $1 GROUP BY search ORDER BY count(*) DESC, search LIMIT $2`,
);
const SEEN = sql`UPDATE alerts SET seen_at = $2 WHERE id ${isIn('$1')} AND seen_at < $2`;
const REMOVE_ENDED = sql`DELETE FROM alerts WHERE id IN (
    SELECT id FROM alerts WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2
    ${onPostgres('FOR UPDATE SKIP LOCKED')}
  )`;

function* request(alert: NewAlert, at: number): Work<boolean> {
  const { name, email, receiver, sender, search, language, mailName } = alert;
  yield* run(LOCK);
  const sent = yield* only(SENT, sender, at - HOUR_MS, at);
  if (sent >= SENT_MAX.byAddressRefused) return false;
  const mail = { kind: 'confirm_alert', name: mailName, receiver, sender } as const;
  const time = yield* timeOfCaused(mail, at);
  yield* run(NOTE_SENT, sender, Number(time !== undefined), at);
  if (time === undefined) return true;
  const id = yield* only(ADD, name, email, receiver, search, language, at, at + CONFIRM_MS);
  yield* run(TRIM, receiver, ALERTS_OF_ADDRESS_MAX);
  yield* addCaused(mail, id, time, at);
  return true;
}

function* confirm(name: string, at: number): Work<Alert | undefined> {
  const alert = yield* one(CONFIRM, name, at, at + ALERT_MS);
  if (alert === undefined) return undefined;
  yield* run(END_SAME, alert.email, alert.search, alert.id);
  yield* run(END_OLDEST, alert.email, ALERTS_OF_ADDRESS_MAX);
  return alert;
}

function* due(now: number, limit: number): Work<DueAlerts> {
  const upTo = yield* only(NEWEST_LISTED, now - LISTED_FOR_MS);
  if (upTo === null) return { upTo: 0, alerts: [] };
  return { upTo, alerts: yield* all(DUE_ALERT, now, upTo, limit) };
}

function* examined(
  term: bigint,
  matched: Parameters<AlertStorage['examined']>[1],
  others: readonly bigint[],
  seenAt: number,
  now: number,
): Work<void> {
  if ((yield* one(HELD, term)) === undefined) return;
  for (const { id, mailName } of matched) yield* addAlertMail(id, mailName, now);
  yield* run(SEEN, integerList(others), seenAt);
}

/** Alerts of families. */
export function createAlertStorage({ read, write }: Transactions): AlertStorage {
  return {
    request: (alert, at) => write(() => request(alert, at)),
    find: (name, now) => read(() => one(FIND, name, now)),
    confirm: (name, at) => write(() => confirm(name, at)),
    end: (name) => write(() => run(END, name)),
    counts: (now, limit) => read(() => all(COUNTS, now, limit)),
    due: (now, limit) => read(() => due(now, limit)),
    examined: (...of) => write(() => examined(...of)),
    removeEnded: (now, most) => write(() => changes(REMOVE_ENDED, now, most)),
  };
}
