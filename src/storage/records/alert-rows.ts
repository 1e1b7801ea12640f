import { ALERT_PAUSE_MS } from '../../domain/alert.ts';
import { fieldsOf, number, numberOrNull, plain } from '../fields.ts';
import { sql } from '../statements.ts';

/** An alert in its row. */
export const ALERT = fieldsOf({
  id: plain<bigint>(),
  name: plain<string>(),
  email: plain<string>(),
  search: plain<string>(),
  language: plain<string>(),
  createdAt: number,
  confirmedAt: numberOrNull,
  endsAt: number,
  seenAt: number,
});
export const ALERT_BY_ID = sql`SELECT ${ALERT.columns} FROM alerts WHERE id = $1`.as(ALERT);

/** When the newest animal was listed, up to a time; null without any. */
export const NEWEST_LISTED =
  sql`SELECT max(listed_at) AS at FROM listings WHERE listed_at <= $1`.value(numberOrNull);

/** Confirmed alerts without a mail for a day that were not checked against the animals listed up to a time. */
const DUE = fieldsOf({ id: plain<bigint>(), search: plain<string>(), seenAt: number });
export const DUE_ALERT = sql`SELECT ${DUE.columns} FROM alerts
    WHERE confirmed_at IS NOT NULL AND ends_at > $1
      AND seen_at < $2
      AND (told_at IS NULL OR told_at <= $1 - ${ALERT_PAUSE_MS} OR told_at > $1)
      AND NOT EXISTS (SELECT 1 FROM mails
        WHERE status = 'pending' AND kind = 'alert' AND subject_id = alerts.id)
    ORDER BY seen_at, id LIMIT $3`.as(DUE);

/** Erases an alert. */
export const END_ALERT = sql`DELETE FROM alerts WHERE id = $1`;
/** Notes when somebody was told of the animals listed up to a time, or of none that time. */
export const TOLD_ALERT = sql`UPDATE alerts SET told_at = $3, seen_at = coalesce(CAST($2 AS bigint), seen_at) WHERE id = $1`;
