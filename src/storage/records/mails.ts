import {
  MAIL_GIVEN_UP_MS,
  MAIL_LEASE_MS,
  MAIL_PAUSE_MS,
  type MailStorage,
  QUOTED_MAX,
  type TakenMail,
} from '../../domain/mail.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import {
  all,
  one,
  only,
  onPostgres,
  query,
  run,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { ENQUIRY } from './enquiries.ts';

const MAIL = fieldsOf({
  id: plain<bigint>(),
  name: plain<string>(),
  createdAt: number,
  attempts: number,
  firstEnquiryId: plain<bigint>(),
  lastEnquiryId: plain<bigint>(),
});
const LOCK = onPostgres('LOCK TABLE mails IN SHARE ROW EXCLUSIVE MODE');
const OPEN = query(
  (row: { readonly due_from: bigint }) => Number(row.due_from),
  sql`SELECT CASE WHEN $1 > 0 THEN leased_until
      WHEN leased_until > next_attempt_at THEN leased_until ELSE next_attempt_at END AS due_from
    FROM mails WHERE ended_at IS NULL`,
);
const TAKE = query(
  MAIL.of,
  sql`UPDATE mails SET attempts = attempts + 1, leased_until = $1
    WHERE ended_at IS NULL RETURNING ${MAIL.columns}`,
);
/** What came since the last mail, unless that was a moment ago, and nobody has answered. */
const SINCE = sql`FROM enquiries WHERE status = 'new'
  AND id > coalesce((SELECT max(last_enquiry_id) FROM mails), 0)
  AND NOT EXISTS (SELECT 1 FROM mails WHERE created_at > $1 AND created_at <= $2)`;
const FOUND = query(
  (row: { readonly first: bigint | null; readonly last: bigint }) => row,
  sql`SELECT min(id) AS first, max(id) AS last ${SINCE}`,
);
const ADD = sql`INSERT INTO mails
    (name, first_enquiry_id, last_enquiry_id, created_at, attempts, next_attempt_at, leased_until)
  VALUES ($1, $2, $3, $4, 0, 0, 0)`;
/** The newest stays: it says where the next one starts. */
const FORGET = sql`DELETE FROM mails WHERE ended_at IS NOT NULL AND id < (SELECT max(id) FROM mails)`;
const COUNT = query(
  ({ n }: { readonly n: bigint }) => Number(n),
  sql`SELECT count(*) AS n FROM enquiries WHERE id BETWEEN $1 AND $2`,
);
const QUOTED = fieldsOf(
  { ...ENQUIRY.readers, petName: plain<string | null>() },
  { petName: '(SELECT pets.name FROM pets WHERE pets.id = pet_id)' },
);
const QUOTE = query(
  QUOTED.of,
  sql`SELECT ${QUOTED.columns} FROM enquiries WHERE id BETWEEN $1 AND $2 ORDER BY id LIMIT $3`,
);
const END = sql`UPDATE mails SET ended_at = $2 WHERE id = $1`;
const RETRY = sql`UPDATE mails SET next_attempt_at = $2, leased_until = 0 WHERE id = $1`;

function* isDue(now: number, atStart: boolean): Work<boolean> {
  const from = yield* one(OPEN, Number(atStart));
  // A clock that was ahead leaves times that are never reached.
  if (from !== undefined) return from <= now || from > now + MAIL_GIVEN_UP_MS;
  return (yield* only(FOUND, now - MAIL_PAUSE_MS, now)).first !== null;
}

function* take(name: string, now: number, atStart: boolean): Work<TakenMail | undefined> {
  yield* run(LOCK);
  if (!(yield* isDue(now, atStart))) return undefined;
  if ((yield* one(OPEN, 0)) === undefined) {
    const { first, last } = yield* only(FOUND, now - MAIL_PAUSE_MS, now);
    yield* run(ADD, name, first, last, now);
    yield* run(FORGET);
  }
  const { firstEnquiryId, lastEnquiryId, ...mail } = yield* only(TAKE, now + MAIL_LEASE_MS);
  const count = yield* only(COUNT, firstEnquiryId, lastEnquiryId);
  return { mail, count, quoted: yield* all(QUOTE, firstEnquiryId, lastEnquiryId, QUOTED_MAX) };
}

/** Mails to staff. */
export function createMailStorage({ read, write }: Transactions): MailStorage {
  return {
    isDue: (now, atStart) => read(() => isDue(now, atStart)),
    take: (name, now, atStart) => write(() => take(name, now, atStart)),
    end: (id, now) => write(() => run(END, id, now)),
    retry: (id, nextAttemptAt) => write(() => run(RETRY, id, nextAttemptAt)),
  };
}
