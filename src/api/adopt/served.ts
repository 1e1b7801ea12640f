import type { Language } from '../../adopt/languages.ts';
import { dayOf } from '../../domain/clock.ts';
import type { CountFacets } from '../../domain/facets.ts';
import type { Failure } from '../../domain/failure.ts';
import type { Listing } from '../../domain/listing.ts';
import type { ListingFilter } from '../../domain/listing-filter.ts';
import type { Records } from '../../domain/records.ts';
import { writeJson } from '../../http/json.ts';
import { entityTag, JSON_TYPE, type TextResponse } from '../../http/response.ts';

/** What the pages are made from. */
export interface PageSources {
  readonly storage: Pick<Records, 'listings' | 'pets' | 'shop'>;
  readonly baseUrl: string;
  /** The public address without a path of its own. */
  readonly pagesRoot: string;
  readonly takesEnquiries: boolean;
  readonly countFacets: CountFacets;
  /** Whether families can ask to be told of animals. */
  readonly takesAlerts: boolean;
}

/** A request for a page. */
export interface PageAsk {
  readonly path: string;
  readonly query: string;
  readonly language: Language;
  readonly at: number;
}

/** Pages load files of this service alone, and nothing in an attribute runs or paints. */
const POLICY = [
  ...["default-src 'none'", "img-src 'self'", "style-src 'self'", "script-src 'self'"],
  ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
].join('; ');

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-frame-options': 'DENY',
};

/** Long enough for a reader who goes back, short enough that an adopted animal is soon gone. */
const SHARED = { 'cache-control': 'public, max-age=30', vary: 'Accept-Language, Accept-Encoding' };

/** Returns a page as anybody may keep it for a moment. */
export function pageResponse(body: string, status = 200): TextResponse {
  return { status, body, headers: { ...HEADERS, ...SHARED, etag: entityTag(body) } };
}

/** Any page may read what is for programs. */
const OPEN = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Link' };

/** Returns something for programs, whatever page they run on. */
export function openResponse(type: string, body: string, more = {}): TextResponse {
  const headers = { ...OPEN, ...SHARED, 'content-type': type, etag: entityTag(body), ...more };
  return { status: 200, body, headers };
}

/** Says to a program on any page what is wrong with its request. */
export function openRefusal(failure: Failure): TextResponse {
  const { code, message, status } = failure;
  const headers = { ...OPEN, 'content-type': JSON_TYPE, 'cache-control': 'no-store' };
  return { status, body: writeJson({ code, message, status }), headers };
}

/** Leads to another address for ever. */
export function movedTo(location: string): TextResponse {
  return { status: 301, body: null, headers: { ...SHARED, location } };
}

/** How many other animals a page shows. */
const SOME = 4;

/** Returns some animals of the day, the first of a filter. */
export async function some(
  { listings }: Pick<Records, 'listings'>,
  at: number,
  filter: ListingFilter = {},
  without?: bigint,
): Promise<readonly Listing[]> {
  const request = {
    filter,
    sort: 'fair' as const,
    after: undefined,
    limit: SOME + 1,
    at,
    fairDay: dayOf(at),
  };
  const page = await listings.list(request);
  return page.items.filter(({ pet }) => pet.id !== without).slice(0, SOME);
}
