import type { ChannelDisabledReason, ChannelKind } from './channel.ts';
import { DAY_MS } from './clock.ts';
import type { ListedStatus } from './listing-filter.ts';
import type { OrderStatus } from './order.ts';
import type { DisabledReason } from './webhook.ts';

/** The most items shown of each kind of work: the longest waiting, or the latest imports. */
export const WORK_SHOWN = 5;
/** The most items counted of each kind, so that counting takes milliseconds. */
export const WORK_COUNTED = 1_000;
/** After this time, an open order has waited too long. */
export const ORDER_WAIT_DAYS = 3;
/** After this time, an animal has been in care for long. */
export const LONG_CARE_DAYS = 60;
/** Rejected rows of older imports are no longer work. */
export const RECENT_IMPORT_DAYS = 7;

export interface WorkGroup<Item> {
  /** At most `WORK_COUNTED`. */
  readonly count: number;
  /** At most `WORK_SHOWN`. */
  readonly first: readonly Item[];
}

/** An open order that was placed days ago, without its personal fields. */
interface WaitingOrder {
  readonly id: bigint;
  readonly petId: bigint;
  readonly petName: string;
  readonly status: OrderStatus;
  readonly placedAt: number;
}

/** An enquiry that nobody has answered, without its personal fields. */
interface WaitingEnquiry {
  readonly id: bigint;
  readonly petId: bigint;
  /** Null if the animal was removed. */
  readonly petName: string | null;
  readonly receivedAt: number;
}

/** A listed animal that has been in care for long. */
interface WaitingAnimal {
  readonly petId: bigint;
  readonly petName: string;
  /** A date. */
  readonly since: string;
}

interface AnimalWithoutPhoto {
  readonly petId: bigint;
  readonly petName: string;
  readonly status: ListedStatus;
}

/** An animal in quarantine, in medical care or on hold whose last day has come. */
interface EndedHold {
  readonly petId: bigint;
  readonly petName: string;
  /** A date. */
  readonly careUntil: string;
}

/** An import whose file had rows that could not become animals. */
interface IncompleteImport {
  readonly id: bigint;
  readonly endedAt: number;
  readonly rejected: number;
}

/** A webhook whose endpoint refuses, or that the service has disabled. */
interface FailingWebhook {
  readonly id: bigint;
  readonly url: string;
  readonly failingSince: number | null;
  readonly disabledReason: DisabledReason | null;
}

/** A channel whose last file was not sent, or that gets none any more. */
interface StoppedChannel {
  readonly id: bigint;
  readonly kind: ChannelKind;
  readonly problem: string | null;
  readonly disabledReason: ChannelDisabledReason | null;
}

export interface WorkList {
  /** Orders and enquiries, the oldest first. */
  readonly orders: WorkGroup<WaitingOrder>;
  readonly enquiries: WorkGroup<WaitingEnquiry>;
  readonly longInCare: WorkGroup<WaitingAnimal>;
  readonly withoutPhoto: WorkGroup<AnimalWithoutPhoto>;
  readonly endedHolds: WorkGroup<EndedHold>;
  /** The latest first. */
  readonly imports: WorkGroup<IncompleteImport>;
  readonly webhooks: WorkGroup<FailingWebhook>;
  readonly channels: WorkGroup<StoppedChannel>;
}

/** The storage contract of the work list. It is read from indexes of what is on it. */
export interface WorkStorage {
  /** Returns what there is to do at a time in milliseconds since the Unix epoch. */
  list(at: number): Promise<WorkList>;
}

/** Returns the time some days before another one. */
export function daysBefore(at: number, days: number): number {
  return at - days * DAY_MS;
}
