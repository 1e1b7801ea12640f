// Made from openapi.json by `npm run openapi`.
import type { Scope } from './shared-words.ts';

/** The quota status of an API key. */
export interface Usage {
  key: OwnKey;
  /** The plan of the API key; `staff` is that of people. */
  plan: 'free' | 'pro' | 'business' | 'enterprise' | 'staff';
  minute: UsageWindow;
  day: UsageWindow;
  /** The current ban, or null. */
  ban: {
    /** When the ban ends, in Unix seconds. */
    until: number;
  } | null;
}

/** The API key of the request. */
export interface OwnKey {
  /** Id of the key. */
  id: number;
  /** Who the key is for. */
  name: string;
  /** What the key may do. Each scope includes those before it, except `webhooks`. */
  scopes: readonly Scope[];
  /** When the key ends; null for never, in UTC. */
  expiresAt: string | null;
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
