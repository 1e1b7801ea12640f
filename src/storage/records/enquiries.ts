import { changedFields, changedText } from '../../domain/audit.ts';
import type { ChangeStamp, Precondition } from '../../domain/change-stamp.ts';
import { HOUR_MS } from '../../domain/clock.ts';
import {
  alreadyOrdered,
  type Enquiry,
  type EnquiryQuery,
  type EnquiryStatus,
  type EnquiryStorage,
  type NewEnquiry,
  type Receipt,
  SENT_BY_ADDRESS_MAX,
  TAKEN_IN_HOUR_MAX,
  WAITING_MAX,
} from '../../domain/enquiry.ts';
import { foldName } from '../../domain/name.ts';
import { CONTACT_MAX, type Order } from '../../domain/order.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import { listed } from '../lists.ts';
import {
  all,
  changes,
  forUpdate,
  integerList,
  isIn,
  one,
  only,
  onPostgres,
  query,
  run,
  type Sql,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { optional } from './order-search.ts';
import { placeOrder } from './orders.ts';
import type { RecordWrites } from './pets.ts';

/** An enquiry in its row. */
const READERS = {
  id: plain<bigint>(),
  petId: plain<bigint>(),
  orderId: (cell: bigint | null) => cell ?? undefined,
  status: plain<EnquiryStatus>(),
  name: plain<string>(),
  email: optional,
  telephone: optional,
  message: plain<string>(),
  language: plain<string>(),
  receivedAt: number,
  updatedAt: number,
};
export const ENQUIRY = { ...fieldsOf(READERS), readers: READERS };
const enquiries = (text: Sql) => query<object, Enquiry>(ENQUIRY.of, text);

const ENQUIRIES = enquiries(sql`SELECT ${ENQUIRY.columns} FROM enquiries`);
const BY_ID = enquiries(sql`${ENQUIRIES.sql} WHERE id = $1`);
const LOCKED = enquiries(sql`${BY_ID.sql} ${forUpdate}`);
const INSERT = enquiries(
  sql`INSERT INTO enquiries
      (pet_id, status, name, email, telephone, message, language, received_at, updated_at)
    VALUES ($1, 'new', $2, $3, $4, $5, $6, $7, $7) RETURNING ${ENQUIRY.columns}`,
);
const NOTE_SENDER = sql`INSERT INTO enquiry_senders (enquiry_id, sender, received_at)
  VALUES ($1, $2, $3)`;
const SAVE = sql`UPDATE enquiries SET status = $2, order_id = $3, updated_at = $4 WHERE id = $1`;
/** One at a time, so that no limit is passed, and mails find the ids in order. */
const LOCK = onPostgres('LOCK TABLE enquiries IN SHARE ROW EXCLUSIVE MODE');

/** Counts rows, no more than a limit. */
function counted(from: string, most: number) {
  return query(
    ({ n }: { readonly n: bigint }) => Number(n),
    sql`SELECT count(*) AS n FROM (SELECT 1 FROM ${from} LIMIT ${most}) AS counted`,
  );
}
const LISTED = counted('listings WHERE pet_id = $1', 1);
/** A clock that was ahead leaves times that are still to come: they count for nothing. */
const SENT = counted(
  'enquiry_senders WHERE sender = $1 AND received_at > $2 AND received_at <= $3',
  SENT_BY_ADDRESS_MAX,
);
const TAKEN = counted(
  'enquiry_senders WHERE received_at > $1 AND received_at <= $2',
  TAKEN_IN_HOUR_MAX,
);
const NEW = counted(`enquiries WHERE status = 'new'`, WAITING_MAX);

const skipLocked = onPostgres('FOR UPDATE SKIP LOCKED');
const ERASE = sql`DELETE FROM enquiries WHERE id IN (
    SELECT id FROM enquiries WHERE received_at <= $1 LIMIT $2 ${skipLocked}
  )`;
const FORGET_SENDERS = sql`DELETE FROM enquiry_senders WHERE enquiry_id IN (
    SELECT enquiry_id FROM enquiry_senders
    WHERE received_at <= $1 OR received_at > $2 LIMIT $3 ${skipLocked}
  )`;

const PERSONAL = ['name', 'email', 'telephone', 'message'];

/** What the audit shows of an enquiry. */
function shown({ id: _, receivedAt: __, updatedAt: ___, ...fields }: Enquiry): object {
  return fields;
}

/** Returns what an adoption stores about the person who enquired. */
function adopterOf({ petId, name, email, telephone, message }: Enquiry) {
  const contact = [email, telephone].filter(Boolean).join(', ');
  // Both may be longer together than a contact may be.
  return {
    petId,
    adopter: name,
    contact: contact.length > CONTACT_MAX ? email : contact,
    note: message,
  };
}

/** Enquiries that one page of a search reads at most. All that may wait for an answer are fewer. */
const SEARCHED_MAX = 2_000;
const NAMES = query(
  ({ id, name }: { readonly id: bigint; readonly name: string }) => [id, name] as const,
  sql`SELECT id, name FROM pets WHERE id ${isIn('$1')}`,
);

function* list(wanted: EnquiryQuery, page: PageRequest): Work<Page<Enquiry>> {
  const { status, petId, sort, words } = wanted;
  const isDescending = sort !== 'oldest';
  const read = (request: PageRequest) =>
    listed(ENQUIRIES, { ...request, isDescending }, [
      [(parameter) => sql`status = ${parameter}`, status],
      [(parameter) => sql`pet_id = ${parameter}`, petId],
    ]);
  if (words === undefined) return yield* read(page);
  const { items, more } = yield* read({ afterId: page.afterId, limit: SEARCHED_MAX });
  const names = new Map(
    yield* all(NAMES, integerList([...new Set(items.map((one) => one.petId))])),
  );
  const found = items.filter(({ name, email, telephone, message, petId: about }) => {
    const letter = [name, email, telephone, message, names.get(about)];
    const text = foldName(letter.filter((part) => part !== undefined).join('\n'));
    return words.every((word) => text.includes(word));
  });
  if (found.length > page.limit) return pageOf(found, page.limit);
  const resumeAfter = more ? items.at(-1)?.id : undefined;
  return { items: found, more, ...(resumeAfter !== undefined && { resumeAfter }) };
}

/** Enquiries. */
export function createEnquiryStorage(
  { read, write }: Transactions,
  writes: RecordWrites,
): EnquiryStorage {
  function note(before: Enquiry | undefined, after: Enquiry, stamp: ChangeStamp) {
    const { id, petId } = after;
    const changed = changedText(changedFields(before && shown(before), shown(after), PERSONAL));
    // The service assigned the id, so a `number` represents it exactly.
    const part = { petId, data: JSON.stringify({ enquiryId: Number(id) }), changed };
    const type = before === undefined ? 'enquiry.received' : 'enquiry.updated';
    return writes.noteParts(type, [part], stamp);
  }

  function* receive(enquiry: NewEnquiry, at: number): Work<Receipt> {
    const { petId, name, email = null, telephone = null, message, language, sender } = enquiry;
    yield* run(LOCK);
    if ((yield* only(LISTED, petId)) === 0) return 'unlisted';
    const hourAgo = at - HOUR_MS;
    if ((yield* only(SENT, sender, hourAgo, at)) >= SENT_BY_ADDRESS_MAX) return 'tooMany';
    if ((yield* only(TAKEN, hourAgo, at)) >= TAKEN_IN_HOUR_MAX) return 'full';
    if ((yield* only(NEW)) >= WAITING_MAX) return 'full';
    const letter = [name, email, telephone, message, language];
    const received = yield* only(INSERT, petId, ...letter, at);
    yield* run(NOTE_SENDER, received.id, sender, at);
    yield* note(undefined, received, { at, keyId: null });
    return 'received';
  }

  function* save(before: Enquiry, changed: Enquiry, stamp: ChangeStamp): Work<Enquiry> {
    const { id, status, orderId = null, updatedAt } = changed;
    yield* run(SAVE, id, status, orderId, updatedAt);
    yield* note(before, changed, stamp);
    return changed;
  }

  function* update(
    id: bigint,
    status: EnquiryStatus | undefined,
    stamp: ChangeStamp,
    precondition: Precondition<Enquiry>,
  ): Work<Enquiry | undefined> {
    const enquiry = yield* one(LOCKED, id);
    if (enquiry === undefined) return undefined;
    precondition(enquiry);
    if (status === undefined || status === enquiry.status) return enquiry;
    return yield* save(enquiry, { ...enquiry, status, updatedAt: stamp.at }, stamp);
  }

  function* order(id: bigint, stamp: ChangeStamp): Work<Order | undefined> {
    const enquiry = yield* one(LOCKED, id);
    if (enquiry === undefined) return undefined;
    if (enquiry.orderId !== undefined) throw alreadyOrdered(id, enquiry.orderId);
    const placed = yield* placeOrder(writes, adopterOf(enquiry), stamp);
    const status = enquiry.status === 'new' ? 'answered' : enquiry.status;
    const changed = { ...enquiry, status, orderId: placed.id, updatedAt: stamp.at };
    yield* save(enquiry, changed, stamp);
    return placed;
  }

  return {
    list: (wanted, page) => read(() => list(wanted, page)),
    find: (id) => read(() => one(BY_ID, id)),
    countNew: () => read(() => only(NEW)),
    receive: (enquiry, at) => write(() => receive(enquiry, at)),
    update: (id, status, stamp, precondition) =>
      write(() => update(id, status, stamp, precondition)),
    order: (id, stamp) => write(() => order(id, stamp)),
    removeExpired: (time, most) => write(() => changes(ERASE, time, most)),
    forgetSenders: (...step) => write(() => changes(FORGET_SENDERS, ...step)),
  };
}
