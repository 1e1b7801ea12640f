import { monthsBetween } from './age.ts';
import type { ChangeStamp, Precondition } from './change-stamp.ts';
import { DAY_MS } from './clock.ts';
import { Failure } from './failure.ts';
import type { Order } from './order.ts';
import {
  dateText,
  HELD_CARES,
  isInFuture,
  type Profile,
  SPECIES,
  type Species,
} from './profile.ts';
import { INTAKE_TYPES, type IntakeType, OUTCOME_TYPES, type OutcomeType } from './stay-types.ts';

export {
  INTAKE_TYPES,
  type IntakeType,
  OUTCOME_TYPES,
  type OutcomeType,
} from './stay-types.ts';

/** Outcomes that count as live releases. */
const LIVE_RELEASES: readonly OutcomeType[] = ['adopted', 'to_owner', 'transferred', 'to_field'];

export const STAY_NOTE_MAX = 500;
/** More stays of one animal are refused. */
export const STAYS_MAX = 100;

/**
 * The time from the day on which an animal came to the day on which it left. Only staff may know: callers
 * with the scope `write`. An animal has at most one open stay, which it has unless it is `sold`, and its
 * stays do not overlap; one may end on the day on which the next begins.
 */
export interface Stay {
  readonly id: bigint;
  readonly petId: bigint;
  /** A date. */
  readonly intakeDate: string;
  /** Null if it is not known. */
  readonly intakeType: IntakeType | null;
  /** Both null while the stay is open. */
  readonly outcomeDate: string | null;
  readonly outcomeType: OutcomeType | null;
  /** Follows the rules of text of several lines: see name.ts. */
  readonly note: string | null;
}

/** What an animal's stay says, without its id. */
export type StayFields = Omit<Stay, 'id' | 'petId'>;

/** A stay to add: the intake is today by default, and an outcome without a date too. */
export type NewStay = { readonly [Name in keyof StayFields]?: StayFields[Name] | undefined };

/** A change of a stay; undefined leaves a value as it is, and no outcome opens it. */
export type StayChange = NewStay;

/** The date of a time, in UTC. */
export function today({ at }: Pick<ChangeStamp, 'at'>): string {
  return dateText(at);
}

/** The later of two dates. A stay may begin a day ahead of UTC. */
export function laterOf(one: string, other: string | null): string {
  return other !== null && other > one ? other : one;
}

/** Returns whether a date is today or yesterday, so that the status may have been set by mistake. */
export function isWithinADay(date: string, { at }: Pick<ChangeStamp, 'at'>): boolean {
  return date >= dateText(at - DAY_MS);
}

/** Returns the stays of one animal in their order: an open one comes last. */
export function inOrder<S extends Pick<Stay, 'id' | 'intakeDate' | 'outcomeDate'>>(
  stays: Iterable<S>,
): S[] {
  const end = ({ outcomeDate }: S) => outcomeDate ?? '~';
  return [...stays].sort(
    (a, b) => compare(a.intakeDate, b.intakeDate) || compare(end(a), end(b)) || Number(a.id - b.id),
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Returns a stay with a change applied. An outcome without a date gets today's. Throws `invalid_body`. */
export function changedStay<S extends StayFields>(stay: S, change: StayChange, at: number): S {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const next: S = { ...stay, ...Object.fromEntries(given) };
  if (next.outcomeType === null) {
    if (change.outcomeDate != null) {
      throw new Failure('invalid_body', 'outcomeDate needs an outcomeType.');
    }
    return checkedDates({ ...next, outcomeDate: null }, at);
  }
  if (change.outcomeDate === null) {
    throw new Failure('invalid_body', 'outcomeDate can be null only with outcomeType null.');
  }
  const date = next.outcomeDate ?? laterOf(dateText(at), next.intakeDate);
  return checkedDates({ ...next, outcomeDate: date }, at);
}

/** Throws `invalid_body` for a date after today, or an outcome before its intake. */
function checkedDates<S extends StayFields>(stay: S, at: number): S {
  for (const name of ['intakeDate', 'outcomeDate'] as const) {
    const date = stay[name];
    if (date !== null && isInFuture(date, at)) {
      throw new Failure('invalid_body', `${name} must not be after today.`);
    }
  }
  if (stay.outcomeDate !== null && stay.outcomeDate < stay.intakeDate) {
    throw new Failure('invalid_body', 'outcomeDate must not be before intakeDate.');
  }
  return stay;
}

/** Returns whether each of these ordered stays ends before the next one begins, or on that day. */
export function areApart(stays: readonly StayFields[]): boolean {
  return stays.every(({ outcomeDate }, n) => {
    const next = stays[n + 1];
    return next === undefined || (outcomeDate !== null && outcomeDate <= next.intakeDate);
  });
}

/** The failure of a stay that overlaps another one of its animal. */
export function overlaps(petId: bigint): Failure {
  return new Failure('conflict', `Animal ${petId} had another stay then: stays do not overlap.`);
}

/** The failure of a second open stay. */
export function isHere(petId: bigint): Failure {
  return new Failure('conflict', `Animal ${petId} is here already: its newest stay is open.`);
}

/**
 * Throws `conflict` for an animal in quarantine, medical care or on hold on a date: until `careUntil` is over
 * it cannot be adopted.
 */
export function requireNotHeld(petId: bigint, { care, careUntil }: Profile, date: string): void {
  if (!HELD_CARES.some((held) => held === care) || (careUntil ?? date) < date) return;
  const end = careUntil === null ? 'until its care changes' : `until ${careUntil} is over`;
  throw new Failure('conflict', `Animal ${petId} is in ${care} ${end}: it cannot be adopted yet.`);
}

/** Ages at intake. */
export const STAY_AGES = ['juvenile', 'adult', 'unknown'] as const;
type StayAge = (typeof STAY_AGES)[number];
/** Younger animals are juvenile. */
const ADULT_MONTHS = 5;

/** Returns the age of an animal on a date. */
export function ageAt(birthDate: string | null, date: string): StayAge {
  if (birthDate === null) return 'unknown';
  return monthsBetween(birthDate, date) < ADULT_MONTHS ? 'juvenile' : 'adult';
}

/** How many days a report may cover, both ends included. */
export const REPORT_DAYS_MAX = 370;

/** Numbers of animals of one species and age between two dates, both included. */
export type StayReportRow = {
  readonly species: Species | 'unknown';
  readonly age: StayAge;
  /** Animals in care before the first day. */
  readonly start: number;
  readonly intakes: Readonly<Record<IntakeType | 'unknown', number>>;
  readonly outcomes: Readonly<Record<OutcomeType, number>>;
  /** Animals in care after the last day: start + intakes - outcomes. */
  readonly end: number;
  /** The share of live releases among the outcomes; null without outcomes. */
  readonly liveReleaseRate: number | null;
  /** Length of stay of the animals that left. */
  readonly medianDays: number | null;
  readonly meanDays: number | null;
};

export type StayReport = {
  readonly rows: readonly StayReportRow[];
  readonly total: Omit<StayReportRow, 'species' | 'age'>;
};

/** Stays that count alike. */
export interface StayGroup {
  readonly species: Species | 'unknown';
  readonly age: StayAge;
  /** How they began within the time of the report; null if they began before it. */
  readonly intake: IntakeType | 'unknown' | null;
  /** How they ended within it; null if they did not. */
  readonly outcome: OutcomeType | null;
  /** How long they were, if they ended. */
  readonly days: number | null;
  readonly count: number;
}

const SPECIES_AND_UNKNOWN = [...SPECIES, 'unknown'] as const;

/** Makes a report of groups: a row for each species and age that occurs, in a fixed order. */
export function reportOf(groups: readonly StayGroup[]): StayReport {
  const rows = SPECIES_AND_UNKNOWN.flatMap((species) =>
    STAY_AGES.flatMap((age) => {
      const own = groups.filter((group) => group.species === species && group.age === age);
      return own.length === 0 ? [] : [{ species, age, ...countsOf(own) }];
    }),
  );
  return { rows, total: countsOf(groups) };
}

function countsOf(groups: readonly StayGroup[]): StayReport['total'] {
  const sum = (some: readonly StayGroup[]) => some.reduce((n, { count }) => n + count, 0);
  const countBy = <T extends string>(names: readonly T[], nameOf: (group: StayGroup) => T | null) =>
    Object.fromEntries(
      names.map((name) => [name, sum(groups.filter((group) => nameOf(group) === name))]),
    ) as Record<T, number>;
  const left = groups.filter(({ outcome }) => outcome !== null);
  const released = left.filter(
    ({ outcome }) => outcome !== null && LIVE_RELEASES.includes(outcome),
  );
  const all = sum(left);
  const days = left.reduce((total, group) => total + (group.days ?? 0) * group.count, 0);
  return {
    start: sum(groups.filter(({ intake }) => intake === null)),
    intakes: countBy([...INTAKE_TYPES, 'unknown'], ({ intake }) => intake),
    outcomes: countBy(OUTCOME_TYPES, ({ outcome }) => outcome),
    end: sum(groups) - all,
    liveReleaseRate: all === 0 ? null : sum(released) / all,
    medianDays: all === 0 ? null : medianOf(left, all),
    meanDays: all === 0 ? null : days / all,
  };
}

/** The middle of the days of all stays, or the mean of the two middle ones. */
function medianOf(left: readonly StayGroup[], all: number): number {
  const sorted = left.toSorted((a, b) => (a.days ?? 0) - (b.days ?? 0));
  function at(place: number): number {
    let before = 0;
    for (const { count, days } of sorted) {
      before += count;
      if (before > place) return days ?? 0;
    }
    return 0;
  }
  return (at(Math.floor((all - 1) / 2)) + at(Math.floor(all / 2))) / 2;
}

/** The storage contract of stays. */
export interface StayStorage {
  /** Returns the stays of animals by animal, each in their order. */
  findAll(petIds: readonly bigint[]): Promise<ReadonlyMap<bigint, readonly Stay[]>>;
  /** Returns the stays of an animal in their order; undefined if it does not exist. */
  list(petId: bigint): Promise<readonly Stay[] | undefined>;
  /**
   * Adds a stay. An open one for an animal that had left makes it available and unpublished. Throws
   * `conflict` for one that overlaps another or a second open one. Returns undefined if the animal does not exist.
   */
  create(petId: bigint, stay: NewStay, stamp: ChangeStamp): Promise<Stay | undefined>;
  /**
   * Changes a stay, and the animal with its newest one. Throws what the precondition throws, `conflict` as
   * `create` does, or for an adoption of an animal that is held. Returns undefined if the stay does not exist.
   */
  update(
    petId: bigint,
    stayId: bigint,
    change: StayChange,
    stamp: ChangeStamp,
    precondition: Precondition<Stay>,
  ): Promise<Stay | undefined>;
  /**
   * Brings back the animal of a completed order, with a new stay of the type `return`; `date` is today by
   * default. Throws `conflict` for another order, one that was returned, or an animal that is here. Returns
   * undefined if the order does not exist.
   */
  returnOrder(
    orderId: bigint,
    back: { readonly date?: string | undefined; readonly reason?: string | undefined },
    stamp: ChangeStamp,
  ): Promise<Order | undefined>;
  /** Counts between two dates, both included. */
  report(from: string, to: string): Promise<StayReport>;
}
