import { dayOf } from '../domain/clock.ts';
import type { CountFacets } from '../domain/facets.ts';
import type { Failure } from '../domain/failure.ts';
import type { Listing } from '../domain/listing.ts';
import type { ListingFilter } from '../domain/listing-filter.ts';
import type { Pet } from '../domain/pet.ts';
import { type Profile, profileAt } from '../domain/profile.ts';
import type { Records } from '../domain/records.ts';
import { writeJson } from '../http/json.ts';
import { entityTag, type HttpResponse, JSON_TYPE, type TextResponse } from '../http/response.ts';
import type { Language } from './languages.ts';

/** What the pages are made from. */
export interface PageSources {
  readonly storage: Pick<Records, 'listings' | 'pets' | 'shop' | 'stays'>;
  readonly baseUrl: string;
  /** The public address without a path of its own. */
  readonly pagesRoot: string;
  readonly takesEnquiries: boolean;
  readonly countFacets: CountFacets;
  /** Whether families can ask to be told of animals. */
  readonly takesAlerts: boolean;
  /** The language in which staff write, unless the shop says so itself. */
  readonly contentLanguage: string | undefined;
  /** Origins that may show the pages in a frame. */
  readonly frameAncestors: readonly string[];
}

/** A request for a page. */
export interface PageAsk {
  readonly path: string;
  readonly query: string;
  readonly language: Language;
  readonly at: number;
}

/**
 * Pages load files of this service alone, and nothing in an attribute runs or paints. A film of an animal is
 * somewhere else, and is loaded once somebody wants to see it.
 */
const POLICY = [
  ...["default-src 'none'", "img-src 'self'", "style-src 'self'", "script-src 'self'"],
  ...["connect-src 'self'", 'media-src https:'],
  'frame-src https://www.youtube-nocookie.com https://player.vimeo.com',
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

/** Returns a page as these origins may show it in a frame. */
export function framed<R extends HttpResponse>(response: R, ancestors: readonly string[]): R {
  const policy = response.headers['content-security-policy'];
  if (policy === undefined || ancestors.length === 0) return response;
  const { 'x-frame-options': _, ...headers } = response.headers;
  const allowed = `frame-ancestors 'self' ${ancestors.join(' ')}`;
  const own = String(policy).replace("frame-ancestors 'none'", allowed);
  return { ...response, headers: { ...headers, 'content-security-policy': own } };
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

/** How many other animals a page shows, and among how many it chooses them. */
const SOME = 4;
const CANDIDATES = 24;

/** What the others of a page are to be like, and whose page it is. */
export interface Likeness {
  readonly pet: Pick<Pet, 'id'>;
  readonly profile: Profile;
}

/**
 * Returns some animals that nobody has reserved: other ones on each page, so that all are seen; first those of the
 * same species that are alike in size and age.
 */
export async function some(
  { listings }: Pick<Records, 'listings'>,
  at: number,
  to?: Likeness,
): Promise<readonly Listing[]> {
  const read = async (filter: ListingFilter) => {
    const turn = to === undefined ? 0 : Number(BigInt.asUintN(20, to.pet.id)) * 7_919;
    const status = ['available'] as const;
    const page = await listings.list({
      ...{ filter: { ...filter, status }, sort: 'fair', after: undefined },
      ...{ limit: CANDIDATES, at, fairDay: dayOf(at) + turn },
    });
    return page.items.filter(({ pet }) => pet.id !== to?.pet.id);
  };
  if (to === undefined) return (await read({})).slice(0, SOME);
  const { species } = to.profile;
  const same = species === null ? [] : await read({ species: [species] });
  const alike = same.toSorted((a, b) => likeness(b.profile, to, at) - likeness(a.profile, to, at));
  if (alike.length >= SOME) return alike.slice(0, SOME);
  const others = (await read({})).filter(({ profile }) => profile.species !== species);
  return [...alike, ...others].slice(0, SOME);
}

function likeness(profile: Profile, { profile: other }: Likeness, at: number): number {
  const [one, two] = [profileAt(profile, at), profileAt(other, at)];
  const isSame = (name: 'size' | 'ageGroup') =>
    Number(one[name] !== null && one[name] === two[name]);
  return isSame('size') + isSame('ageGroup');
}
