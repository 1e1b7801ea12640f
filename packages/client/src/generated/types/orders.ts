// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';
import type { OrderStatus } from './shared-words.ts';

/** An adoption to place. */
export interface NewOrder {
  /** Id of the animal to adopt; it must be available. */
  petId: Int64;
  /**
   * The adopter: a name, or a reference of your own. Personal data: only keys with the scope
   * `write` see it.
   */
  adopter?: string | undefined;
  /**
   * How to reach the adopter, such as an e-mail address or a telephone number. Personal data: only
   * keys with the scope `write` see it.
   */
  contact?: string | undefined;
  /**
   * Any other notes. May have several lines. Personal data: only keys with the scope `write` see
   * it.
   */
  note?: string | undefined;
}

/** The changes to make to an adoption. */
export interface OrderChange {
  status?: OrderStatus | undefined;
  /**
   * The adopter: a name, or a reference of your own. Personal data: only keys with the scope
   * `write` see it. `null` erases it.
   */
  adopter?: string | null | undefined;
  /**
   * How to reach the adopter, such as an e-mail address or a telephone number. Personal data: only
   * keys with the scope `write` see it. `null` erases it.
   */
  contact?: string | null | undefined;
  /**
   * Any other notes. May have several lines. Personal data: only keys with the scope `write` see
   * it. `null` erases it.
   */
  note?: string | null | undefined;
  /**
   * Why the animal came back. Personal data: only keys with the scope `write` see it. `null`
   * erases it.
   */
  returnReason?: string | null | undefined;
  /** The answers to the questions of the shop. `null` erases them. */
  answers?: null | undefined;
  /** The day on which the animal left, for an order that becomes `completed`: today by default. */
  completedOn?: string | undefined;
}

/** The return of an animal. */
export interface OrderReturn {
  /** The day on which it came back: today by default. */
  date?: string | undefined;
  /** Why the animal came back. Personal data: only keys with the scope `write` see it. */
  reason?: string | undefined;
}

/** What to list. */
export interface ListOrdersQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
  /** Only orders with these statuses. */
  status?: OrderStatus | readonly OrderStatus[] | undefined;
  /** Only orders for this animal. */
  petId?: Int64 | undefined;
  /** By time of placing: `oldest` first, which is the default, or `newest`. */
  sort?: 'oldest' | 'newest' | undefined;
  /**
   * Only orders with each of these words, or parts of them, in adopter, contact or the name of the
   * animal, ignoring case and accents. Adopter and contact count only for keys with the scope
   * `write`.
   */
  q?: string | undefined;
  /** The step that `from` and `to` are about: `placed`, which is the default, or a later one. */
  step?: OrderStatus | undefined;
  /** Only orders that took the step at this time or later (RFC 3339). */
  from?: string | undefined;
  /** Only orders that took the step before this time (RFC 3339). */
  to?: string | undefined;
}
