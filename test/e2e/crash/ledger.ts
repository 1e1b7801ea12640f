import type { OrderStatus } from '../../../src/domain/order.ts';
import type { PetStatus } from '../../../src/domain/pet.ts';

/** An animal with all its orders, the oldest first. */
export interface AnimalState {
  readonly status: PetStatus | 'absent';
  readonly categoryId: number;
  readonly orders: readonly OrderStatus[];
}

/** A category's name; undefined if it does not exist. */
export interface CategoryState {
  readonly name: string | undefined;
}

/** A POST with an Idempotency-Key. */
export interface Repeatable {
  readonly path: string;
  readonly body: string;
  readonly key: string;
}

/**
 * A record that only one worker changes, one request at a time. After a kill it must be in the state
 * of the last response, or in the state that the one request without a response asked for.
 */
export interface Tracked<State> {
  /** Its first name in lists, unique. */
  readonly name: string;
  /** Unknown until a response contains it. */
  id: number | undefined;
  state: State;
  /** The state after the request in flight, if there is one. */
  doubt: State | undefined;
  /** The request in flight, if it can be retried. */
  repeat: Repeatable | undefined;
}

export type Animal = Tracked<AnimalState>;
export type Category = Tracked<CategoryState>;

/** The response to a repeatable request. */
export interface Acknowledged extends Repeatable {
  readonly text: string;
}

/** The responses that clients received, and every contradiction to them. */
export interface Ledger {
  readonly animals: Animal[];
  readonly categories: Category[];
  /** Every id that a response contained, such as `/v1/pets 7`. */
  readonly ids: Set<string>;
  readonly acknowledged: Acknowledged[];
  readonly problems: string[];
  /** Number of requests sent. */
  requests: number;
  /** Requests that a kill left without a response. */
  unanswered: number;
  /** Writes refused with 503: they had no effect. */
  refused: number;
}

export function createLedger(): Ledger {
  const counts = { requests: 0, unanswered: 0, refused: 0 };
  return { animals: [], categories: [], ids: new Set(), acknowledged: [], problems: [], ...counts };
}

export const NO_ANIMAL: AnimalState = { status: 'absent', categoryId: 0, orders: [] };
export const NO_CATEGORY: CategoryState = { name: undefined };

export function isOpen(status: OrderStatus | undefined): boolean {
  return status === 'placed' || status === 'approved';
}

/** Accepts the state found; reports a problem unless it is one of the two possible states. */
export function settle<State>(ledger: Ledger, thing: Tracked<State>, found: State): void {
  const text = JSON.stringify(found);
  const allowed = [thing.state, thing.doubt].map((state) => JSON.stringify(state));
  if (!allowed.includes(text)) {
    ledger.problems.push(`${thing.name} is ${text}; expected ${allowed.join(', in doubt ')}`);
  }
  thing.state = found;
  thing.doubt = undefined;
}

/** Records the id in a response; no two records may get the same. */
export function noteId(ledger: Ledger, collection: string, id: number): void {
  const name = `${collection} ${id}`;
  if (ledger.ids.has(name)) ledger.problems.push(`${name} was assigned twice`);
  ledger.ids.add(name);
}
