// Made from openapi.json by `npm run openapi`.
import type { Scope } from './shared-words.ts';

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
  /**
   * What the key may do. Each scope includes those before it, except `webhooks`. `write` if
   * omitted.
   */
  scopes?: readonly Scope[] | undefined;
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
  /** What the key may do. Each scope includes those before it, except `webhooks`. */
  scopes?: readonly Scope[] | undefined;
  /** When the key ends. `null` for never (RFC 3339). */
  expiresAt?: string | null | undefined;
}

/** How to replace an API key. */
export interface KeyRotation {
  /** How long the old key keeps working, unless it ends sooner. A day if omitted. */
  overlapSeconds?: number | undefined;
}

/** An API key, without the key itself. */
export interface Key {
  /** Unique identifier assigned by the service on creation. */
  id: number;
  /** Who the key is for. */
  name: string;
  /** The plan, which sets the limits; `staff` is that of people. */
  plan: 'free' | 'pro' | 'business' | 'enterprise' | 'staff';
  /** What the key may do. Each scope includes those before it, except `webhooks`. */
  scopes: readonly Scope[];
  /** Requests that the key may send in a UTC minute. */
  perMinute: number;
  /** Requests that the key may send in a UTC day. */
  perDay: number;
  /** When the key was created, in UTC. */
  createdAt: string;
  /** When the key ends; null for never, in UTC. */
  expiresAt: string | null;
  /** When the key was revoked, or null, in UTC. */
  revokedAt: string | null;
  /** When the key was last used, or null; up to a second late, in UTC. */
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
export interface IssuedKey extends Key {
  /** The key itself. Save it now: it is not stored and cannot be shown again. */
  key: string;
}

/** The requests of an API key in an hour or a day of UTC. */
export interface KeyUsage {
  /** When the hour or day starts, in UTC. */
  start: string;
  /** Charged requests. */
  requests: number;
  /** Requests answered with 429. They are not charged. */
  refused: number;
  /** Charged requests answered with 5xx. */
  errors: number;
}

/** What to list. */
export interface ListKeysQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
}

/** What to list. */
export interface GetKeyUsageQuery {
  /** `hour` or `day`; `hour` if omitted. */
  per?: 'hour' | 'day' | undefined;
  /**
   * The first hour or day is the one with this time. A day before `to` if omitted, or 30 days with
   * `per=day` (RFC 3339).
   */
  from?: string | undefined;
  /** The last hour or day is the one that starts before this time. Now if omitted (RFC 3339). */
  to?: string | undefined;
}
