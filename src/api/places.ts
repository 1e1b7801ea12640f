import type { RouteMatch, RouteTable } from '../http/route-table.ts';
import { decodeOnce, isDecodable, readTarget, type Target } from '../http/target.ts';
import type { Operation } from './operation.ts';

/** Where the interface begins: everything under it needs a key. */
export const API_ROOT = '/v1';

const SLASH = '/';

/** What a request names by its URL and Host, whatever it wants of it. Refuses nothing yet. */
export interface Place {
  readonly target: Target;
  /** Path and query: the name of an answer that depends on nothing else. */
  readonly name: string;
  /** Whether it belongs to the interface, however its characters are encoded. */
  readonly isApi: boolean;
  readonly match: RouteMatch<Operation> | undefined;
}

/** Finds out what URLs name. */
export type FindPlace = (url: string, host: string | null) => Place;

/** How many places are remembered, and how long their URLs may be: 10 MB at the most. */
const PLACES_MAX = 10_000;
const URL_CHARACTERS_MAX = 256;

/**
 * Makes a finder that remembers the places that operations serve: to take a URL apart and match it
 * costs 0.8 µs, to know it 0.1. When it is full it forgets all.
 */
export function createPlaces(table: RouteTable<Operation>): FindPlace {
  const places = new Map<string, Place & { readonly host: string | null }>();

  function remember(url: string, host: string | null, place: Place): void {
    if (url.length > URL_CHARACTERS_MAX) return;
    if (places.size >= PLACES_MAX) places.clear();
    places.set(url, { ...place, host });
  }

  return function findPlace(url, host) {
    const known = places.get(url);
    // With another Host the same URL may come of another target.
    if (known !== undefined && known.host === host) return known;
    const target = readTarget(url, host);
    const isApi = isApiPath(target.path);
    // A target with another problem still names the operation that its answer is one of.
    const isReadable = target.problem === undefined || isDecodable(target.path);
    const match = isApi && isReadable ? table.match(target.path) : undefined;
    const place = { target, name: `${target.path}?${target.query}`, isApi, match };
    if (match !== undefined && target.problem === undefined) remember(url, host, place);
    return place;
  };
}

function isApiPath(path: string): boolean {
  if (path.startsWith(API_ROOT)) {
    return path.length === API_ROOT.length || path[API_ROOT.length] === SLASH;
  }
  return path.startsWith('/%') && isDecodable(path) && isApiPath(decodeOnce(path));
}
