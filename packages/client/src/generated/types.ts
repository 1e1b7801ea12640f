// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../json.ts';

/** Why a request failed. */
export type ServiceErrorCode =
  | 'invalid_json'
  | 'invalid_body'
  | 'invalid_parameter'
  | 'invalid_cursor'
  | 'invalid_idempotency_key'
  | 'invalid_request'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'insufficient_scope'
  | 'pet_not_found'
  | 'order_not_found'
  | 'category_not_found'
  | 'key_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'idempotency_in_progress'
  | 'operation_removed'
  | 'events_expired'
  | 'precondition_failed'
  | 'body_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'rate_limit_minute'
  | 'rate_limit_day'
  | 'api_key_banned'
  | 'headers_too_large'
  | 'internal_error'
  | 'service_unavailable';

/** Availability of an animal. */
export type PetStatus = 'available' | 'pending' | 'sold';

/** An animal to add. */
export interface NewPet {
  /** The animal's name, stored exactly as sent. */
  name: string;
  /** Id of the category that the animal belongs to. The category need not exist. */
  categoryId: Int64;
  /** Availability of the animal: `available` if omitted. */
  status?: PetStatus | undefined;
}

/** The changes to make to an animal. */
export interface PetChange {
  /** The animal's name, stored exactly as sent. */
  name?: string | undefined;
  /** Id of the category that the animal belongs to. The category need not exist. */
  categoryId?: Int64 | undefined;
  status?: PetStatus | undefined;
}

/** A category to add. */
export interface NewCategory {
  /** The name of the category. No two names differ only in case. */
  name: string;
}

/** The changes to make to a category. */
export interface CategoryChange {
  /** The name of the category. No two names differ only in case. */
  name?: string | undefined;
}

/**
 * The progress of an adoption: `placed`, then `approved`, then `completed`. A placed or approved
 * order can become `cancelled`.
 */
export type OrderStatus = 'placed' | 'approved' | 'completed' | 'cancelled';

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
}

/** An API key to create. */
export interface NewKey {
  /** Who the key is for. */
  name: string;
  /** The plan, which sets the limits. `enterprise` needs `perMinute` and `perDay`. */
  plan: 'free' | 'pro' | 'business' | 'enterprise';
  /** Requests that the key may send in a UTC minute. Only for `enterprise`. */
  perMinute?: number | undefined;
  /** Requests that the key may send in a UTC day. Only for `enterprise`. */
  perDay?: number | undefined;
  /** What the key may do. Each scope includes those before it. `write` if omitted. */
  scopes?: readonly ('read' | 'adopt' | 'write' | 'admin')[] | undefined;
  /** When the key ends. Never if omitted (RFC 3339). */
  expiresAt?: string | undefined;
}

/** The changes to make to an API key. */
export interface KeyChange {
  /** Who the key is for. */
  name?: string | undefined;
  /** The plan, which sets the limits. `enterprise` needs `perMinute` and `perDay`. */
  plan?: 'free' | 'pro' | 'business' | 'enterprise' | undefined;
  /** Requests that the key may send in a UTC minute. Only for `enterprise`. */
  perMinute?: number | undefined;
  /** Requests that the key may send in a UTC day. Only for `enterprise`. */
  perDay?: number | undefined;
  /** What the key may do. Each scope includes those before it. */
  scopes?: readonly ('read' | 'adopt' | 'write' | 'admin')[] | undefined;
  expiresAt?: string | null | undefined;
}

/** How to replace an API key. */
export interface KeyRotation {
  /** How long the old key keeps working, unless it ends sooner. A day if omitted. */
  overlapSeconds?: number | undefined;
}

/** An animal. It always has a status. */
export interface Pet {
  /** Unique identifier assigned by the service on creation. */
  id: number;
  /** The animal's name, stored exactly as sent. */
  name: string;
  /** Id of the category that the animal belongs to. The category need not exist. */
  categoryId: Int64;
  status: PetStatus;
}

/** A change of the status of an animal. */
export interface StatusChange {
  /** Number of the change in the history of the animal, starting at 1. */
  id: number;
  /** The new status of the animal. */
  status: 'available' | 'pending' | 'sold';
  /** When the status changed, in UTC. */
  changedAt: string;
  /**
   * Id of the API key that made the change. Absent if the operator made it from the command line.
   */
  keyId?: number | undefined;
}

/** A kind of animal. */
export interface Category {
  /** Unique identifier assigned by the service on creation. */
  id: number;
  /** The name of the category. No two names differ only in case. */
  name: string;
}

/** The adoption of an animal. */
export interface Order {
  /** Unique identifier assigned by the service when the order is placed. */
  id: number;
  /** Id of the animal. */
  petId: number;
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
  status: OrderStatus;
  /** When the order was placed, in UTC. */
  placedAt: string;
  /** When it last changed, in UTC. */
  updatedAt: string;
}

/** A change. */
export type Event = PetEvent | CategoryEvent | OrderEvent | ResetEvent;

/** A change of an animal. `data` is the animal right after it, or as it last was. */
export interface PetEvent {
  /** Position of the event. Grows from one event to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  /** What happened. */
  type: 'pet.created' | 'pet.updated' | 'pet.deleted';
  data: Pet;
}

/** A change of a category. `data` is the category right after it, or as it last was. */
export interface CategoryEvent {
  /** Position of the event. Grows from one event to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  /** What happened. */
  type: 'category.created' | 'category.updated' | 'category.deleted';
  data: Category;
}

/** A change of an adoption, as it was right after it. */
export interface OrderEvent {
  /** Position of the event. Grows from one event to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  /** What happened. */
  type: 'order.placed' | 'order.updated';
  data: EventOrder;
}

/** An adoption without its personal data. */
export interface EventOrder {
  /** Unique identifier assigned by the service when the order is placed. */
  id: number;
  /** Id of the animal. */
  petId: number;
  status: OrderStatus;
  /** When the order was placed, in UTC. */
  placedAt: string;
  /** When it last changed, in UTC. */
  updatedAt: string;
}

/**
 * The records were replaced as a whole: by a reset of staging, or by a backup that was restored.
 * Read the lists again. It has no `data`.
 */
export interface ResetEvent {
  /** Position of the event. Grows from one event to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  /** What happened. */
  type: 'store.reset';
}

/** The quota status of an API key. */
export interface Usage {
  /** The plan of the API key. */
  plan: 'free' | 'pro' | 'business' | 'enterprise';
  minute: UsageWindow;
  day: UsageWindow;
  /** The current ban, or null. */
  ban: {
    /** When the ban ends, in Unix seconds. */
    until: number;
  } | null;
}

/** Quota status in one window of the plan. */
export interface UsageWindow {
  /** Requests allowed in the window. */
  limit: number;
  /** Requests remaining in the window. */
  remaining: number;
  /** When the window ends, in Unix seconds. */
  reset: number;
}

/** An API key, without the key itself. */
export interface Key {
  /** Unique identifier assigned by the service on creation. */
  id: number;
  /** Who the key is for. */
  name: string;
  /** The plan, which sets the limits. */
  plan: 'free' | 'pro' | 'business' | 'enterprise';
  /** What the key may do. Each scope includes those before it. */
  scopes: readonly ('read' | 'adopt' | 'write' | 'admin')[];
  /** Requests that the key may send in a UTC minute. */
  perMinute: number;
  /** Requests that the key may send in a UTC day. */
  perDay: number;
  /** When the key was created, in UTC. */
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
  /** Whether the key works. */
  status: 'active' | 'expired' | 'revoked';
  /** The current ban of the key and those it shares limits with, or null. */
  ban: {
    /** When the ban ends, in UTC. */
    until: string;
  } | null;
}

/** A new API key. */
export interface IssuedKey {
  /** Unique identifier assigned by the service on creation. */
  id: number;
  /** The key itself. Save it now: it is not stored and cannot be shown again. */
  key: string;
  /** Who the key is for. */
  name: string;
  /** The plan, which sets the limits. */
  plan: 'free' | 'pro' | 'business' | 'enterprise';
  /** What the key may do. Each scope includes those before it. */
  scopes: readonly ('read' | 'adopt' | 'write' | 'admin')[];
  /** Requests that the key may send in a UTC minute. */
  perMinute: number;
  /** Requests that the key may send in a UTC day. */
  perDay: number;
  /** When the key was created, in UTC. */
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
  /** Whether the key works. */
  status: 'active' | 'expired' | 'revoked';
  /** The current ban of the key and those it shares limits with, or null. */
  ban: {
    /** When the ban ends, in UTC. */
    until: string;
  } | null;
}

/** What to list. */
export interface ListPetsQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
  /** Only animals with this availability. */
  status?: PetStatus | undefined;
  /**
   * Only animals with these ids, comma-separated or repeated. With a single id, the `ETag` is that
   * of the animal itself and works in `If-Match`.
   */
  id?: Int64 | readonly Int64[] | undefined;
  /** Only animals of this category. */
  categoryId?: Int64 | undefined;
  /** Only animals whose name contains this text, ignoring case. */
  name?: string | undefined;
}

/** What to list. */
export interface ListPetHistoryQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
}

/** What to list. */
export interface ListCategoriesQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
}

/** What to list. */
export interface ListOrdersQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
  /** Only orders with this status. */
  status?: OrderStatus | undefined;
  /** Only orders for this animal. */
  petId?: Int64 | undefined;
}

/** What to list. */
export interface ListEventsQuery {
  /**
   * Only events with a greater id. `latest` returns none, and a link that continues from now. By
   * default, from the oldest event that is kept.
   */
  after?: Int64 | 'latest' | undefined;
  /** The largest number of items on a page. */
  limit?: number | undefined;
  /**
   * Only events of these types, comma-separated or repeated. A response may then be empty although
   * more follow.
   */
  type?:
    | 'pet.created'
    | 'pet.updated'
    | 'pet.deleted'
    | 'category.created'
    | 'category.updated'
    | 'category.deleted'
    | 'order.placed'
    | 'order.updated'
    | 'store.reset'
    | readonly (
        | 'pet.created'
        | 'pet.updated'
        | 'pet.deleted'
        | 'category.created'
        | 'category.updated'
        | 'category.deleted'
        | 'order.placed'
        | 'order.updated'
        | 'store.reset'
      )[]
    | undefined;
  /** Seconds to wait for an event if there is none yet: at most 30. Such a request counts once. */
  wait?: number | undefined;
}

/** What to list. */
export interface ListKeysQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
}
