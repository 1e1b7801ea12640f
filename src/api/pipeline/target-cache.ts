import { redactKeys } from '../../domain/api-key.ts';
import { Failure } from '../../domain/failure.ts';
import type { Route, RouteTable } from '../../http/route-table.ts';
import {
  isDecodable,
  readQuery,
  readTarget,
  TARGET_BYTES_MAX,
  type Target,
} from '../../http/target.ts';
import { type LoggedPath, loggedPathOf } from '../../telemetry/log.ts';
import type { CacheTarget } from '../cache/response-cache.ts';
import type { Operation, OperationDefinition } from '../contract/operation.ts';

/** The root of the interface. Everything under it needs a key. */
export const API_ROOT = '/v1';

/** Files that robots, browsers and telephones look for at the root. */
const ROOT_FILES = ['/robots.txt', '/favicon.ico', '/apple-touch-icon.png'];

/** Returns whether a path is one of the public pages. */
export function isPublicPath(path: string): boolean {
  return path === '/adopt' || path.startsWith('/adopt/') || ROOT_FILES.includes(path);
}

/** Matches paths under `API_ROOT`, whether its characters are percent-encoded or not. */
const API_PATH = /^\/(?:v|%76)(?:1|%31)(?:\/|$)/;

/**
 * The target of a URL and Host, for any method. Nothing is refused yet: problems are only noted.
 */
export interface ResolvedTarget extends Target, CacheTarget {
  /** The Host header. */
  readonly host: string | null;
  /** True if the path is under `API_ROOT`, however its characters are encoded. */
  readonly isApi: boolean;
  /** The operations of the path; undefined if there are none. */
  readonly route: Route<Operation> | undefined;
  /** The values of the route's parameters. */
  readonly parameters: readonly string[];
  /** What `unknownParameters` returns for GET: found once for a cached target. */
  readonly unknown: string | undefined;
  /** The path as it appears in the log. */
  readonly loggedPath: LoggedPath;
}

/** Resolves a URL and Host to a target. */
export type ResolveTarget = (url: string, host: string | null) => ResolvedTarget;

/** Bounds of the cache: targets, and the characters of all their texts (5 MB). */
const TARGETS_MAX = 10_000;
const CHARACTERS_MAX = 512 * TARGETS_MAX;

const NO_PARAMETERS: readonly string[] = [];

/**
 * Creates a resolver that caches the targets that operations serve, from the second request for
 * their URL on. Most URLs are requested once, and what is stored for them would only replace what
 * others come back for. A full cache is emptied.
 */
export function createTargetCache(table: RouteTable<Operation>): ResolveTarget {
  const targets = new Map<string, ResolvedTarget>();
  const cameBefore = createDoorkeeper();
  let characters = 0;
  /** The Host of the last target: most have the same one, and then share one string. */
  let lastHost: string | null = null;

  function store(url: string, target: ResolvedTarget): void {
    if (targets.size >= TARGETS_MAX || characters + target.weight > CHARACTERS_MAX) {
      targets.clear();
      characters = 0;
    }
    characters += target.weight;
    targets.set(url, target);
  }

  function resolve(url: string, host: string | null): ResolvedTarget {
    const { path, query, problem } = readTarget(url, host);
    const isApi = API_PATH.test(path);
    // With a problem outside the path, the response still belongs to an operation.
    const isReadable =
      problem === undefined || (path.length <= TARGET_BYTES_MAX && isDecodable(path));
    const match = isApi && isReadable ? table.match(path) : undefined;
    const { route, parameters = NO_PARAMETERS } = match ?? {};
    const loggedPath = loggedPathOf(path);
    const get = query === '' || problem !== undefined ? undefined : route?.byMethod.get('GET');
    const unknown = get && unknownParameters(query, get);
    const isServed = match !== undefined || isPublicPath(path);
    const isCached = isServed && problem === undefined && cameBefore(url);
    return {
      path,
      query,
      problem,
      host,
      isApi,
      route,
      parameters,
      unknown,
      loggedPath,
      isCached,
      weight: isCached
        ? weightOf(url, host, path, query, unknown ?? null, loggedPath, ...parameters)
        : 0,
    };
  }

  return function resolveTarget(url, host) {
    const cached = targets.get(url);
    // The same URL with a different Host may be a different target.
    if (cached !== undefined && cached.host === host) return cached;
    if (host !== lastHost) lastHost = host;
    const target = resolve(url, lastHost);
    if (target.isCached) store(url, target);
    return target;
  };
}

function weightOf(...texts: readonly (string | null)[]): number {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

/** A power of two. The hashes of this many URLs take 128 KiB. */
const PLACES = 32_768;

/**
 * Creates a function that decides which URLs are worth caching, as the doorkeeper of TinyLFU does (Einziger, Friedman
 * and Manes, 2017): it returns whether a URL came before, recently. It knows the last few tens of thousands of URLs by
 * their hashes: each has one place, where a later URL replaces it. Two URLs with the same hash count as one, so a URL
 * may be admitted too early, which costs only memory.
 */
export function createDoorkeeper(): (url: string) => boolean {
  const hashes = new Uint32Array(PLACES);

  return (url) => {
    const hash = Bun.hash.xxHash32(url);
    const place = hash & (PLACES - 1);
    if (hashes[place] === hash) return true;
    hashes[place] = hash;
    return false;
  };
}

/** How a request wants unknown parameters to be handled (RFC 7240, section 4.4). */
export type Handling = 'strict' | 'lenient';

/** Only the first `handling` counts. The value is never empty: between two runs of spaces that would be quadratic. */
const HANDLING = /(?:^|,)\s*handling\s*=\s*("?)([^",;\s]+)\1\s*(?=[;,]|$)/i;

/** Reads the Prefer header; undefined if it says nothing that is known of the handling. */
export function readHandling(prefer: string | null): Handling | undefined {
  const asked = prefer === null ? undefined : HANDLING.exec(prefer)?.[2];
  return asked === 'strict' || asked === 'lenient' ? asked : undefined;
}

/** The longest list of names, and the most code points of one name, of which each takes up to 12. */
const LIST_LENGTH_MAX = 1_000;
const NAME_POINTS_MAX = 64;

/**
 * Returns the parameters of a query that an operation does not know, as the header lists them: each
 * once, percent-encoded, as many as fit. Undefined if there are none. The target was validated.
 */
export function unknownParameters(
  query: string,
  { queryParameters }: Pick<OperationDefinition, 'queryParameters'>,
): string | undefined {
  const known = queryParameters?.shape ?? {};
  let list = '';
  for (const name of readQuery(query).keys()) {
    if (name === '' || Object.hasOwn(known, name)) continue;
    const next = list === '' ? encoded(name) : `${list}, ${encoded(name)}`;
    if (next.length > LIST_LENGTH_MAX) break;
    list = next;
  }
  return list === '' ? undefined : list;
}

function encoded(name: string): string {
  const points = [...redactKeys(name).slice(0, 2 * NAME_POINTS_MAX)];
  return encodeURIComponent(points.slice(0, NAME_POINTS_MAX).join('').toWellFormed());
}

/** The failure of parameters that an operation does not know, for a client that asked for it. */
export function unknownParametersRefused(
  names: string,
  { queryParameters }: Pick<OperationDefinition, 'queryParameters'>,
): Failure {
  const known = Object.keys(queryParameters?.shape ?? {}).join(', ');
  const rule = known === '' ? 'there are no parameters here' : `the parameters here are ${known}`;
  return new Failure('invalid_parameter', `Unknown parameters: ${names}; ${rule}.`);
}
