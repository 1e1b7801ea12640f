import type { Route, RouteTable } from '../../http/route-table.ts';
import { isDecodable, readTarget, TARGET_BYTES_MAX, type Target } from '../../http/target.ts';
import { type LoggedPath, loggedPathOf } from '../../telemetry/request-line.ts';
import type { ReadySlot } from '../cache/response-cache.ts';
import type { Operation } from '../contract/operation.ts';

/** Where the interface begins: everything under it needs a key. */
export const API_ROOT = '/v1';

/** A path under `API_ROOT`, with either of its characters percent-encoded or not. */
const API_PATH = /^\/(?:v|%76)(?:1|%31)(?:\/|$)/;

/**
 * What a request names by its URL and Host, whatever it wants of it. Refuses nothing yet.
 *
 * All that a ready answer needs of it is in this one object: where many are asked for in turn, each
 * object of one is fetched from slow memory. 1,000 in turn take 4 µs an answer more than 10.
 */
export interface ResolvedTarget extends Target, ReadySlot {
  /** The Host that was sent. */
  readonly host: string | null;
  /** Whether it belongs to the interface, however its characters are encoded. */
  readonly isApi: boolean;
  /** What operations are there; undefined where there is nothing. */
  readonly route: Route<Operation> | undefined;
  /** What stands in the path in place of the route's parameters. */
  readonly parameters: readonly string[];
  /** Its path as the log writes it. */
  readonly loggedPath: LoggedPath;
  /** Whether the next request for it finds this same place. */
  readonly isCached: boolean;
}

/** Finds out what URLs name. */
export type ResolveTarget = (url: string, host: string | null) => ResolvedTarget;

/** How many places are remembered, and the characters of all their texts: 5 MB. */
const PLACES_MAX = 10_000;
const CHARACTERS_MAX = 512 * PLACES_MAX;

/**
 * Makes a finder that remembers the places that operations serve: to take a URL apart and match it
 * costs 0.8 µs, to know it 0.1. When it is full it forgets all.
 */
export function createTargetCache(table: RouteTable<Operation>): ResolveTarget {
  const targets = new Map<string, ResolvedTarget>();
  let characters = 0;
  /** The Host of the place that was remembered last: most have it, and then all have the same text. */
  let lastHost: string | null = null;

  function remember(url: string, target: ResolvedTarget): void {
    if (targets.size >= PLACES_MAX || characters + target.weight > CHARACTERS_MAX) {
      targets.clear();
      characters = 0;
    }
    characters += target.weight;
    targets.set(url, target);
  }

  return function findPlace(url, host) {
    const known = targets.get(url);
    // With another Host the same URL may come of another target.
    if (known !== undefined && known.host === host) return known;
    if (host !== lastHost) lastHost = host;
    const { path, query, problem } = readTarget(url, host);
    const isApi = API_PATH.test(path);
    // A target with a problem elsewhere still names the operation that its response belongs to.
    const isReadable =
      problem === undefined || (path.length <= TARGET_BYTES_MAX && isDecodable(path));
    const match = isApi && isReadable ? table.match(path) : undefined;
    const { route, parameters = [] } = match ?? {};
    const isRemembered = match !== undefined && problem === undefined;
    const loggedPath = loggedPathOf(path);
    const texts = [url, host ?? '', path, query, loggedPath, ...parameters];
    const target: ResolvedTarget = {
      ...{ path, query, problem, host: lastHost, isApi, route, parameters },
      ...{ loggedPath, isCached: isRemembered, ready: undefined },
      weight: texts.reduce((sum, text) => sum + text.length, 0),
    };
    if (isRemembered) remember(url, target);
    return target;
  };
}
