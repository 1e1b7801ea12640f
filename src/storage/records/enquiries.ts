import { changedFields, changedText } from '../../domain/audit.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { HOUR_MS } from '../../domain/clock.ts';
import {
  alreadyOrdered,
  type Enquiry,
  type EnquiryChange,
  type EnquiryQuery,
  type EnquiryStorage,
  type NewEnquiry,
  noSuchOwner,
  type Receipt,
  SENT_MAX,
  TAKEN_IN_HOUR_MAX,
  WAITING_MAX,
} from '../../domain/enquiry.ts';
import { foldName } from '../../domain/name.ts';
import { CONTACT_MAX } from '../../domain/order.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import { isChosen, skipLocked } from '../chosen-rows.ts';
import { number } from '../fields.ts';
import { listed } from '../lists.ts';
import {
  forUpdate,
  integerList,
  isIn,
  methodsOf,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { ENQUIRY } from './enquiry-rows.ts';
import { addCaused, LOCK_FORMS, NOTE_SENT, timeOfCaused } from './mails.ts';
import { noteParts } from './notes.ts';
import { eraseAdopter, placeOrder } from './orders.ts';
import { IS_STAFF, STAFF_BY_ID } from './people.ts';

const ENQUIRIES = sql`SELECT ${ENQUIRY.columns} FROM enquiries`.as(ENQUIRY);
const BY_ID = sql`${ENQUIRIES.sql} WHERE id = $1`.as(ENQUIRY);
const LOCKED = sql`${BY_ID.sql} ${forUpdate}`.as(ENQUIRY);
const INSERT = sql`INSERT INTO enquiries
      (pet_id, status, name, email, telephone, message, answers, language, suspected, received_at, updated_at)
    VALUES ($1, 'new', $2, $3, $4, $5, $6, $7, $8, $9, $9)
    RETURNING ${ENQUIRY.columns}`.as(ENQUIRY);
const SAVE = sql`UPDATE enquiries SET status = $2, order_id = $3, owner_id = $4, note = $5, updated_at = $6
  WHERE id = $1`;

/** Counts rows, no more than a limit. */
function counted(from: string, most: number) {
  return sql`SELECT count(*) AS n FROM (SELECT 1 FROM ${from} LIMIT ${most}) AS counted`.value(
    number,
  );
}
const LISTED = counted('listings WHERE pet_id = $1', 1);
/** A clock that was ahead leaves times that are still to come: they count for nothing. */
const WITHIN = 'sent_at > $2 AND sent_at <= $3';
const BY_PAIR = counted(`sent_forms WHERE pair = $1 AND ${WITHIN}`, SENT_MAX.refused);
const BY_SENDER = counted(`sent_forms WHERE sender = $1 AND ${WITHIN}`, SENT_MAX.byAddressRefused);
const SAME = counted(`sent_forms WHERE digest = $1 AND ${WITHIN}`, 1);
/** Those that may be spam, and the others, have limits of their own. */
const TAKEN = counted(`sent_forms WHERE suspected = $1 AND ${WITHIN}`, TAKEN_IN_HOUR_MAX);
const NEW = counted(`enquiries WHERE status = 'new' AND suspected = $1`, WAITING_MAX);

/** Enquiries without an owner, or whose owner was removed or may no longer answer. */
const OF_NOBODY = sql`NOT EXISTS (SELECT 1 FROM api_keys JOIN people ON key_id = api_keys.id
  WHERE api_keys.id = owner_id AND ${IS_STAFF})`;

const ERASE = sql`DELETE FROM enquiries WHERE id ${isChosen(sql`
    SELECT id FROM enquiries WHERE received_at <= $1 LIMIT $2 ${skipLocked}`)}
  RETURNING order_id AS "orderId"`.value<bigint | null>();
const FORGET_SENT = sql`DELETE FROM sent_forms WHERE id ${isChosen(sql`
    SELECT id FROM sent_forms WHERE sent_at <= $1 OR sent_at > $2 LIMIT $3 ${skipLocked}`)}`;

const PERSONAL = ['name', 'email', 'telephone', 'message', 'answers', 'note'];

/** What the audit shows of an enquiry. */
function shown({ id: _, receivedAt: __, updatedAt: ___, answers, ...fields }: Enquiry): object {
  return { ...fields, answers: answers.length === 0 ? undefined : JSON.stringify(answers) };
}

/** Returns what an adoption stores about the person who enquired. */
function adopterOf({ petId, name, email, telephone, message, answers }: Enquiry) {
  const contact = [email, telephone].filter(Boolean).join(', ');
  // Both may be longer together than a contact may be.
  return {
    petId,
    adopter: name,
    contact: contact.length > CONTACT_MAX ? email : contact,
    note: message,
    answers: answers.length === 0 ? undefined : JSON.stringify(answers),
  };
}

/** The most enquiries that one page of a search reads: more than may wait for an answer. */
const SEARCHED_MAX = 2_000;
const NAMES = sql`SELECT id, name FROM pets WHERE id ${isIn('$1')}`.as(
  ({ id, name }: { readonly id: bigint; readonly name: string }) => [id, name] as const,
);

function* list(wanted: EnquiryQuery, page: PageRequest): Work<Page<Enquiry>> {
  const { status, suspected, petId, ownerId, sort, words } = wanted;
  const mark = suspected === undefined ? undefined : Number(suspected);
  const isDescending = sort !== 'oldest';
  const read = (request: PageRequest) =>
    listed(ENQUIRIES, { ...request, isDescending }, [
      ['status', status],
      ['suspected', mark],
      ['pet_id', petId],
      ['owner_id', ownerId === 'none' ? undefined : ownerId],
      ownerId === 'none' ? OF_NOBODY : undefined,
    ]);
  if (words === undefined) return yield* read(page);
  const { items, more } = yield* read({ afterId: page.afterId, limit: SEARCHED_MAX });
  const names = new Map(yield* NAMES.all(integerList([...new Set(items.map((one) => one.petId))])));
  const found = items.filter(({ name, email, telephone, message, answers, note, petId: about }) => {
    const answered = answers.map(({ answer }) => answer);
    const letter = [name, email, telephone, message, ...answered, note, names.get(about)];
    const text = foldName(letter.filter((part) => part !== undefined).join('\n'));
    return words.every((word) => text.includes(word));
  });
  if (found.length > page.limit) return pageOf(found, page.limit);
  const resumeAfter = more ? items.at(-1)?.id : undefined;
  return { items: found, more, ...(resumeAfter !== undefined && { resumeAfter }) };
}

/** Returns an enquiry after a change. Throws `person_not_found`. */
function* after(enquiry: Enquiry, change: EnquiryChange): Work<Enquiry> {
  const { status = enquiry.status, note = enquiry.note, ownerId } = change;
  const changed = { ...enquiry, status, note: note ?? undefined };
  if (ownerId === null) return { ...changed, ownerId: undefined, ownerName: undefined };
  // A person who was removed since stays the owner.
  if (ownerId === undefined || ownerId === enquiry.ownerId) return changed;
  const owner = yield* STAFF_BY_ID.one(ownerId);
  if (owner === undefined) throw noSuchOwner(ownerId);
  return { ...changed, ownerId, ownerName: owner.name };
}

/** Decides about an enquiry: whether to store it, and as suspected or not; or why not. */
function* judge(
  { petId, sender, pair, digest, suspected: isOdd }: NewEnquiry,
  at: number,
): Work<Receipt | { readonly suspected: boolean }> {
  if ((yield* LISTED.only(petId)) === 0) return 'unlisted';
  const hour = [at - HOUR_MS, at] as const;
  // Somebody went back and sent it again.
  if ((yield* SAME.only(digest, ...hour)) > 0) return 'received';
  const byPair = yield* BY_PAIR.only(pair, ...hour);
  const bySender = yield* BY_SENDER.only(sender, ...hour);
  if (byPair >= SENT_MAX.refused || bySender >= SENT_MAX.byAddressRefused) return 'tooMany';
  const isMuch = byPair >= SENT_MAX.marked || bySender >= SENT_MAX.byAddressMarked;
  const suspected = isOdd || isMuch;
  if ((yield* TAKEN.only(Number(suspected), ...hour)) >= TAKEN_IN_HOUR_MAX) return 'full';
  return (yield* NEW.only(Number(suspected))) >= WAITING_MAX ? 'full' : { suspected };
}

/** Adds a mail with a copy for the enquirer, unless it may be spam or would exceed a limit. */
function* copyTo({ copy, sender }: NewEnquiry, received: Enquiry, at: number): Work<boolean> {
  if (copy === undefined || received.email === undefined || received.suspected) return false;
  const mail = { ...copy, kind: 'copy', sender } as const;
  const time = yield* timeOfCaused(mail, at);
  if (time !== undefined) yield* addCaused(mail, received.id, time, at);
  return time !== undefined;
}

function noteEnquiry(before: Enquiry | undefined, after: Enquiry, stamp: ChangeStamp): Work<void> {
  const { id, petId } = after;
  const changed = changedText(changedFields(before && shown(before), shown(after), PERSONAL));
  // The service assigned the id, so a `number` represents it exactly.
  const part = { petId, data: JSON.stringify({ enquiryId: Number(id) }), changed };
  const type = before === undefined ? 'enquiry.received' : 'enquiry.updated';
  return noteParts(type, [part], stamp);
}

function* save(before: Enquiry, changed: Enquiry, stamp: ChangeStamp): Work<Enquiry> {
  const { id, status, orderId = null, ownerId = null, note = null, updatedAt } = changed;
  yield* SAVE.run(id, status, orderId, ownerId, note, updatedAt);
  yield* noteEnquiry(before, changed, stamp);
  return changed;
}

/** Enquiries. */
export function createEnquiryStorage(transactions: Transactions): EnquiryStorage {
  const { reads, writes } = methodsOf<EnquiryStorage>(transactions);
  return {
    ...reads({ list, find: (id) => BY_ID.one(id) }),
    ...writes({
      *receive(enquiry, at) {
        const { petId, name, email = null, telephone = null, message, answers, language } = enquiry;
        yield* LOCK_FORMS.run();
        const judged = yield* judge(enquiry, at);
        if (typeof judged === 'string') return judged;
        const suspected = Number(judged.suspected);
        const text = answers.length === 0 ? null : JSON.stringify(answers);
        const letter = [name, email, telephone, message, text, language, suspected];
        const received = yield* INSERT.only(petId, ...letter, at);
        const mailed = Number(yield* copyTo(enquiry, received, at));
        const { sender, pair, digest } = enquiry;
        yield* NOTE_SENT.run(sender, pair, digest, suspected, mailed, at);
        yield* noteEnquiry(undefined, received, { at, keyId: null });
        return 'received';
      },
      *update(id, change, stamp, precondition) {
        const enquiry = yield* LOCKED.one(id);
        if (enquiry === undefined) return undefined;
        precondition(enquiry);
        const changed = yield* after(enquiry, change);
        if (Object.keys(changedFields(enquiry, changed)).length === 0) return enquiry;
        return yield* save(enquiry, { ...changed, updatedAt: stamp.at }, stamp);
      },
      *order(id, stamp) {
        const enquiry = yield* LOCKED.one(id);
        if (enquiry === undefined) return undefined;
        if (enquiry.orderId !== undefined) throw alreadyOrdered(id, enquiry.orderId);
        const placed = yield* placeOrder(adopterOf(enquiry), stamp);
        const status = enquiry.status === 'new' ? 'answered' : enquiry.status;
        const changed = { ...enquiry, status, orderId: placed.id, updatedAt: stamp.at };
        yield* save(enquiry, changed, stamp);
        return placed;
      },
      // Who adopts is erased too in the orders that came from them: of open ones at their end.
      *removeExpired(time, most, stamp) {
        const orderIds = yield* ERASE.all(time, most);
        for (const orderId of orderIds) {
          if (orderId !== null) yield* eraseAdopter(orderId, stamp);
        }
        return orderIds.length;
      },
      forgetSent: (...step) => FORGET_SENT.changes(...step),
    }),
  };
}
