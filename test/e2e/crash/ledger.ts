import type { OrderStatus } from '../../../src/domain/order.ts';
import type { PetStatus } from '../../../src/domain/pet.ts';

/** An animal with all its orders, the oldest first. */
export interface AnimalState {
  readonly status: PetStatus | 'absent';
  readonly categoryId: number;
  readonly orders: readonly OrderStatus[];
}

/** A category: its name, or that there is none. */
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
 * Something that one worker alone changes, one request at a time: so what it is after a kill is
 * what the last answer said, or what the one unanswered request was to make of it.
 */
export interface Tracked<State> {
  /** As a list shows it in the beginning; no two have the same. */
  readonly name: string;
  /** Unknown until an answer has told it. */
  id: number | undefined;
  state: State;
  /** Set while a request is under way. */
  doubt: State | undefined;
  /** The request that is under way, where it may be sent again. */
  repeat: Repeatable | undefined;
}

export type Animal = Tracked<AnimalState>;
export type Category = Tracked<CategoryState>;

/** The response to a repeatable request. */
export interface Told extends Repeatable {
  readonly text: string;
}

/** The responses that clients received, and every contradiction to them. */
export interface Ledger {
  readonly animals: Animal[];
  readonly categories: Category[];
  /** Every id of an animal or order that was ever told: `pets 7`. */
  readonly ids: Set<string>;
  readonly told: Told[];
  readonly problems: string[];
  /** Requests sent, and those that a kill left without a response. */
  requests: number;
  unanswered: number;
  /** Writes that were answered with 503: they had no effect. */
  refused: number;
}

export function createLedger(): Ledger {
  const counts = { requests: 0, unanswered: 0, refused: 0 };
  return { animals: [], categories: [], ids: new Set(), told: [], problems: [], ...counts };
}

export const NO_ANIMAL: AnimalState = { status: 'absent', categoryId: 0, orders: [] };
export const NO_CATEGORY: CategoryState = { name: undefined };

export function isOpen(status: OrderStatus | undefined): boolean {
  return status === 'placed' || status === 'approved';
}

/** Takes what was found for what is so, if it is one of the two states that it may be. */
export function settle<State>(ledger: Ledger, thing: Tracked<State>, found: State): void {
  const text = JSON.stringify(found);
  const allowed = [thing.state, thing.doubt].map((state) => JSON.stringify(state));
  if (!allowed.includes(text)) {
    ledger.problems.push(`${thing.name} is ${text}; told was ${allowed.join(', in doubt ')}`);
  }
  thing.state = found;
  thing.doubt = undefined;
}

/** Notes an id that was told; none may come twice. */
export function noteId(ledger: Ledger, collection: string, id: number): void {
  const name = `${collection} ${id}`;
  if (ledger.ids.has(name)) ledger.problems.push(`the id of ${name} was given twice`);
  ledger.ids.add(name);
}
