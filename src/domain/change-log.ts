import type { Category } from './category.ts';
import type { ChangeStamp } from './change-stamp.ts';
import { Failure } from './failure.ts';
import type { Order, Personal, StepTime } from './order.ts';
import type { Pet } from './pet.ts';

/**
 * All types of events, by resource. Whatever else a resource needs, such as its record, is keyed by this list, so that
 * a new resource does not compile without it.
 */
const EVENTS = {
  pet: ['created', 'updated', 'deleted', 'restored'],
  category: ['created', 'updated', 'deleted'],
  order: ['placed', 'updated'],
  profile: ['updated'],
  photo: ['added', 'updated', 'removed'],
  stay: ['started', 'ended'],
  shop: ['updated'],
  enquiry: ['received', 'updated'],
  store: ['reset'],
} as const;
export type EventResource = keyof typeof EVENTS;
type TypeOf<Resource extends EventResource> = {
  [R in Resource]: `${R}.${(typeof EVENTS)[R][number]}`;
}[Resource];
export type ChangeType = TypeOf<EventResource>;

/** Returns the types of the events of a resource. */
export function typesOf<R extends EventResource>(resource: R): readonly TypeOf<R>[] {
  // TypeScript cannot infer that the verbs are those of the resource.
  return EVENTS[resource].map((verb) => `${resource}.${verb}` as TypeOf<R>);
}

/** The resources that have events. */
export const EVENT_RESOURCES = Object.keys(EVENTS) as readonly EventResource[];
// The list is not empty.
export const CHANGE_TYPES = EVENT_RESOURCES.flatMap(typesOf) as readonly ChangeType[] as readonly [
  ChangeType,
  ...ChangeType[],
];

/** Returns the resource of a type of event. */
export function resourceOf(type: ChangeType): EventResource {
  return type.slice(0, type.indexOf('.')) as EventResource;
}

/** An order as the log keeps it: personal fields can be erased, and the log is never rewritten. */
export type LoggedOrder = Omit<Order, keyof Personal | StepTime>;

type PartResource = 'profile' | 'photo' | 'stay' | 'shop' | 'enquiry';
/** The changes of records that belong to an animal, such as its profile, or of the shop. */
export type PartChangeType = TypeOf<PartResource>;

/** What the log keeps of a record that belongs to an animal, or of the shop: its public fields, as JSON. */
interface LoggedPart {
  /** Null for the shop. */
  readonly petId: bigint | null;
  readonly data: string;
}

/** The same, with what the audit shows of the change: the changed fields, private ones too, as JSON. */
export interface NotedPart extends LoggedPart {
  readonly changed: string;
  /** Set if only the audit shows it, because nothing public has changed. */
  readonly isPrivate?: boolean;
}

/**
 * A change, with the record as it was right after it; for a removal, as it last was. A write that
 * changes nothing makes none. With `store.reset` the records were replaced as a whole: all were removed, or
 * a backup was restored.
 */
export type Change =
  | { readonly type: TypeOf<'pet'>; readonly pet: Pet }
  | { readonly type: TypeOf<'category'>; readonly category: Category }
  | { readonly type: TypeOf<'order'>; readonly order: LoggedOrder }
  | { [R in PartResource]: { readonly type: TypeOf<R>; readonly part: LoggedPart } }[PartResource]
  | { readonly type: TypeOf<'store'> };

/** A change of a resource. */
export type ChangeOf<R extends EventResource> = Extract<Change, { readonly type: TypeOf<R> }>;

/** The record of an event about all records, which is delivered in order with each of them. */
const EVERY_RECORD = '*';

const ofPet = ({ part }: { readonly part: LoggedPart }) => `pet ${part.petId}`;
const RECORDS: { readonly [R in EventResource]: (change: ChangeOf<R>) => string } = {
  pet: ({ pet }) => `pet ${pet.id}`,
  category: ({ category }) => `category ${category.id}`,
  order: ({ order }) => `order ${order.id}`,
  profile: ofPet,
  photo: ofPet,
  stay: ({ part }) => `stay ${JSON.parse(part.data).stayId}`,
  shop: () => 'shop',
  enquiry: ({ part }) => `enquiry ${JSON.parse(part.data).enquiryId}`,
  store: () => EVERY_RECORD,
};

/** Names the record that a change is about. Events of one record are delivered in their order. */
export function recordOf(change: Change): string {
  // The function takes changes of this resource.
  return RECORDS[resourceOf(change.type)](change as never);
}

/** A change with its position in the log, its time and its author. */
export type LoggedChange = Change &
  ChangeStamp & {
    /** Its position. Only grows, and is never given again. */
    readonly id: bigint;
  };

/** The part of the log to read. */
export interface ChangeRequest {
  /** Only changes with a greater id; undefined starts at the oldest that is kept. */
  readonly after: bigint | undefined;
  /** Only changes of these types; undefined for all. */
  readonly types?: readonly ChangeType[] | undefined;
  /** 1 to 100. */
  readonly limit: number;
}

/** Changes in ascending order of id. */
export interface ChangePage {
  readonly changes: readonly LoggedChange[];
  /**
   * The id to continue after. With `types` it is that of the last change that was read, so that a
   * reader of rare types does not read the others again.
   */
  readonly resumeAfter: bigint;
}

/** Changes that one call with a filter by type reads: bounds how long other requests wait. */
export const CHANGES_SCANNED_MAX = 2_000;

/** How the numbering of changes keeps up. Both are 0 on an engine that numbers them as it writes. */
export interface NumberingLag {
  /** Committed changes without an id. */
  readonly waiting: number;
  /** The age of the oldest of them, in milliseconds. */
  readonly oldestMs: number;
}

/**
 * The change log: each change of an animal, its profile or photos, a category, an order, an enquiry or the shop,
 * written in the transaction that makes it. A reader that continues after the last id it has seen misses nothing,
 * however many processes write, and sees the changes of one record in the order in which they were made.
 */
export interface ChangeLog {
  /** Reads a part of the log. Throws `events_expired` if changes after `after` have been removed. */
  list(request: ChangeRequest): Promise<ChangePage>;
  /** Returns the greatest id; 0 for an empty log. */
  newest(): Promise<bigint>;
  /**
   * Calls `listener` when changes made by this process can be listed. Those of other processes are
   * found with `newest`. Returns a function that stops this.
   */
  listen(listener: () => void): () => void;
  /**
   * Ends the events made at or before `time`, from the start of the log, at most `most` of them; the
   * newest always stays, and so does every one after `upTo`, if given. The audit still shows them. Returns
   * their number. Other work waits meanwhile, so `most` should be small.
   */
  removeExpired(time: number, most: number, upTo?: bigint): Promise<number>;
  /** Removes changes that are no longer events, in the same way. */
  removeFromAudit(time: number, most: number): Promise<number>;
  lag(): Promise<NumberingLag>;
}

/** Tells a cache of changes. */
export interface ChangeTracker {
  /**
   * Calls back if any process has made changes since the last call, and returns true: every change acknowledged before
   * this turn of the event loop has then been seen. Returns false if that cannot be known, so that nothing cached may
   * be used. Never throws.
   */
  catchUp(): boolean | Promise<boolean>;
}

/** The failure of an `after` that lies before the oldest change that is kept, or beyond the newest. */
export function eventsExpired(): Failure {
  return new Failure(
    'events_expired',
    'Events after this one have been removed, or an older backup was restored. Read the lists again, then continue with after=latest.',
  );
}

/** How a wait for changes ended; `refused` because too many requests waited. */
export const WAIT_ENDS = [
  'changes',
  'time',
  'disconnected',
  'shutdown',
  'failed',
  'refused',
] as const;
export type WaitEnd = (typeof WAIT_ENDS)[number];

/** The waits for changes, for the metrics. */
export interface WaitReport {
  /** Requests that wait now. */
  readonly waiting: number;
  /** Waits that ended, by how. */
  readonly ended: Readonly<Record<WaitEnd, number>>;
}

/** A reader that has seen every change up to `after`. */
export interface WaitRequest extends ChangeRequest {
  readonly after: bigint;
}

/** Who waits. */
export interface WaitingClient {
  /** The first key of the caller's family: a successor shares its places. */
  readonly keyId: bigint;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** The change log for readers that follow it. */
export interface ChangeFeed extends Pick<ChangeLog, 'list' | 'newest'> {
  /**
   * Waits for what follows on a page that was not full: until there are changes, and then for a
   * moment longer, so that changes that come together leave together. Returns them with those of the
   * page. Returns none when `waitMs` are over, when the client goes away or when the service stops.
   * Throws `service_unavailable` if too many requests wait, of this key or in all, unless the page
   * has changes, or if the log still cannot be read when the time is over.
   *
   * Waits for the same changes get the same page.
   */
  next(
    page: ChangePage,
    request: Omit<ChangeRequest, 'after'>,
    waitMs: number,
    client: WaitingClient,
  ): Promise<ChangePage>;
  /** Returns the page as `write` writes it: once for all waits that get the same page. */
  textOf(page: ChangePage, write: (page: ChangePage) => string): string;
}
