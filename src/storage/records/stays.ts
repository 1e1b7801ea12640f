import type { ChangeStamp, Precondition } from '../../domain/change-stamp.ts';
import { Failure } from '../../domain/failure.ts';
import type { Order } from '../../domain/order.ts';
import type { Pet } from '../../domain/pet.ts';
import { isInFuture } from '../../domain/profile.ts';
import {
  areApart,
  changedStay,
  inOrder,
  isHere,
  laterOf,
  type NewStay,
  overlaps,
  reportOf,
  requireNotHeld,
  STAYS_MAX,
  type Stay,
  type StayChange,
  type StayFields,
  type StayGroup,
  type StayReport,
  type StayStorage,
  today,
} from '../../domain/stay.ts';
import type { ImportedOutcome } from '../../domain/stay-types.ts';
import { fieldsOf, number, numberOrNull, plain } from '../fields.ts';
import { methodsOf, type Sql, sql, type Transactions, type Work } from '../statements.ts';
import { followIntake, isGone, newestOf, OPENED, profileOf, savePets } from './followed-stays.ts';
import { LOCKED_ORDER, saveOrder, settleOrder } from './order-rows.ts';
import { LOCKED_PET } from './pet-rows.ts';
import { addStay, FORGET_STAYS, requireApart, saveStay, staysOf } from './stay-rows.ts';

const IS_THERE = sql`SELECT 1 FROM pets WHERE id = $1`.as(() => true);
const DAYS: Sql = {
  sqlite: 'CAST(julianday(outcome_date) - julianday(intake_date) AS INTEGER)',
  postgres: 'CAST(CAST(outcome_date AS date) - CAST(intake_date AS date) AS bigint)',
};
const GROUP = fieldsOf({
  species: plain<StayGroup['species'] & string>(),
  age: plain<StayGroup['age']>(),
  intake: plain<StayGroup['intake']>(),
  outcome: plain<StayGroup['outcome']>(),
  days: numberOrNull,
  count: number,
});
/** Stays that a report reads in one turn of the event loop: a few milliseconds. */
const STAYS_AT_ONCE = 10_000n;
const NEWEST = sql`SELECT coalesce(max(id), 0) AS id FROM stays`.value<bigint>();
const STAYS: Sql = { sqlite: 'stays NOT INDEXED', postgres: 'stays' };
/** Groups stays between two dates. One that began before has no intake, one that ended after no outcome. */
const GROUPS = sql`SELECT species, age, intake, outcome, days, count(*) AS count FROM (
      SELECT species, age, CASE WHEN intake_date >= CAST($1 AS text) THEN coalesce(intake_type, 'unknown') END AS intake,
        CASE WHEN outcome_date <= CAST($2 AS text) THEN outcome_type END AS outcome,
        CASE WHEN outcome_date <= CAST($2 AS text) THEN ${DAYS} END AS days
      FROM ${STAYS}
      WHERE id > $3 AND id <= $4 AND intake_date <= CAST($2 AS text) AND (outcome_date IS NULL OR outcome_date >= CAST($1 AS text))
    ) AS within GROUP BY species, age, intake, outcome, days`.as(GROUP);

/** The animal after a change of its stays: here while the newest one is open, otherwise gone. */
function* followStay(
  pet: Pet,
  { outcomeType }: Stay,
  isReopening: boolean,
  stamp: ChangeStamp,
): Work<void> {
  if (outcomeType !== null) {
    yield* settleOrder(pet.id, outcomeType === 'adopted' ? 'completed' : 'cancelled', stamp);
  }
  // A stay that is added open, and any outcome but an adoption, is not for the public.
  const isHidden = outcomeType === null ? !isReopening && isGone(pet) : outcomeType !== 'adopted';
  const status = outcomeType === null ? (isGone(pet) ? 'available' : pet.status) : 'sold';
  yield* followIntake(pet.id, stamp, isHidden ? false : undefined);
  if (status !== pet.status) {
    yield* savePets([{ before: pet, pet: { ...pet, status }, hasStay: true }], stamp);
  }
}

/** A stay that an import or a person has entered, checked. */
function* insertStay(
  pet: Pet,
  { intakeDate = '', ...given }: NewStay,
  stamp: ChangeStamp,
): Work<Stay> {
  const own = (yield* staysOf([pet.id])).get(pet.id) ?? [];
  if (own.length >= STAYS_MAX) {
    throw new Failure('conflict', `Animal ${pet.id} has ${STAYS_MAX} stays: no more are kept.`);
  }
  const last = own.at(-1);
  const date = intakeDate || laterOf(today(stamp), last?.outcomeDate ?? null);
  const fields = changedStay({ ...OPENED, intakeDate: date }, given, stamp.at);
  if (fields.outcomeDate === null && last !== undefined && last.outcomeDate === null) {
    throw isHere(pet.id);
  }
  requireApart(own, { id: -1n, petId: pet.id, ...fields });
  const known = yield* profileOf(pet.id);
  const stay = yield* addStay(pet.id, fields, known, stamp);
  if ((yield* newestOf(pet.id))?.id === stay.id) yield* followStay(pet, stay, false, stamp);
  return stay;
}

/**
 * Replaces the first stay of an animal that an import has just added by those of its file, but for stays that overlap
 * an earlier one. The status of the animal must match the last one.
 */
export function* replaceStays(
  petId: bigint,
  stays: readonly StayFields[],
  stamp: ChangeStamp,
): Work<void> {
  if (stays.length === 0) return;
  const known = yield* profileOf(petId);
  yield* FORGET_STAYS.run(petId);
  const kept: Stay[] = [];
  for (const fields of stays) {
    if (!areApart(inOrder([...kept, { id: -1n, ...fields }]))) continue;
    kept.push(yield* addStay(petId, fields, known, stamp));
  }
  yield* followIntake(petId, stamp);
}

/** Ends the open stay of an animal that has left according to an import, not before its intake. */
export function* leave(
  pet: Pet,
  { type = 'other', date }: Partial<ImportedOutcome> = {},
  stamp: ChangeStamp,
): Work<void> {
  const newest = yield* newestOf(pet.id);
  if (newest === undefined || newest.outcomeDate !== null) return;
  const outcomeDate = laterOf(newest.intakeDate, date ?? today(stamp));
  const ended = changedStay(newest, { outcomeType: type, outcomeDate }, stamp.at);
  yield* saveStay(newest, ended, yield* profileOf(pet.id), stamp);
  yield* followStay(pet, ended, false, stamp);
}

/** Counts the stays between two days. Each is in one turn, so the numbers add up while others change some. */
async function report(read: Transactions['read'], from: string, to: string): Promise<StayReport> {
  const newest = await read(() => NEWEST.only());
  const groups: StayGroup[] = [];
  for (let after = 0n; after < newest; after += STAYS_AT_ONCE) {
    const last = after + STAYS_AT_ONCE;
    const end = last < newest ? last : newest;
    groups.push(...(await read(() => GROUPS.all(from, to, after, end))));
    await Bun.sleep(0);
  }
  return reportOf(groups);
}

function* update(
  petId: bigint,
  stayId: bigint,
  change: StayChange,
  stamp: ChangeStamp,
  precondition: Precondition<Stay>,
): Work<Stay | undefined> {
  const pet = yield* LOCKED_PET.one(petId);
  const own = (yield* staysOf([petId])).get(petId) ?? [];
  const stay = own.find(({ id }) => id === stayId);
  if (pet === undefined || stay === undefined) return undefined;
  precondition(stay);
  const changed = changedStay(stay, change, stamp.at);
  const isNewest = own.at(-1)?.id === stayId;
  const wasOpen = stay.outcomeType === null;
  if (!isNewest && changed.outcomeType === null) throw overlaps(petId);
  requireApart(own, changed);
  const known = yield* profileOf(petId);
  if (changed.outcomeType === 'adopted' && wasOpen) {
    requireNotHeld(petId, known, today(stamp));
  }
  yield* saveStay(stay, changed, known, stamp);
  const newest = yield* newestOf(petId);
  if (newest !== undefined && (isNewest || newest.id === stayId)) {
    // A note or a date does not say again that the animal left.
    if (changed.outcomeType === stay.outcomeType) yield* followIntake(petId, stamp);
    else yield* followStay(pet, newest, stay.id === newest.id, stamp);
  }
  return changed;
}

function* returnOrder(
  orderId: bigint,
  { date, reason }: { readonly date?: string | undefined; readonly reason?: string | undefined },
  stamp: ChangeStamp,
): Work<Order | undefined> {
  const order = yield* LOCKED_ORDER.one(orderId);
  if (order === undefined) return undefined;
  if (order.status !== 'completed' || order.returnedAt !== undefined) {
    const state = order.status === 'completed' ? 'returned already' : order.status;
    throw new Failure(
      'conflict',
      `Order ${orderId} is ${state}: only a completed one can be returned, once.`,
    );
  }
  if (date !== undefined && isInFuture(date, stamp.at)) {
    throw new Failure('invalid_body', 'date must not be after today.');
  }
  const pet = yield* LOCKED_PET.one(order.petId);
  if (pet === undefined) throw new Failure('conflict', `Animal ${order.petId} was removed.`);
  if (!isGone(pet)) throw isHere(pet.id);
  const { at } = stamp;
  const returned = { ...order, returnReason: reason, returnedAt: at, updatedAt: at };
  yield* saveOrder(order, returned, stamp);
  yield* insertStay(pet, { intakeDate: date, intakeType: 'return' }, stamp);
  return returned;
}

/** Stays. */
export function createStayStorage(transactions: Transactions): StayStorage {
  const { reads, writes } = methodsOf<StayStorage>(transactions);
  return {
    ...reads({
      findAll: staysOf,
      *list(petId) {
        const isThere = yield* IS_THERE.one(petId);
        return isThere === undefined ? undefined : ((yield* staysOf([petId])).get(petId) ?? []);
      },
    }),
    ...writes({
      *create(petId, stay, stamp) {
        const pet = yield* LOCKED_PET.one(petId);
        return pet && (yield* insertStay(pet, stay, stamp));
      },
      update,
      returnOrder,
    }),
    report: (from, to) => report(transactions.read, from, to),
  };
}
