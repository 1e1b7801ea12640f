import { Failure } from '../domain/failure.ts';

/** The longest accepted request target, in bytes: enough for 100 ids and a name. */
export const TARGET_BYTES_MAX = 8_192;

/** The parts of a request target (RFC 9112, section 3.2), still percent-encoded. */
export interface Target {
  /** Starts with `/`; empty if the target is not a path. */
  readonly path: string;
  /** The text after the first `?`, or empty. */
  readonly query: string;
  /** An invalid target is only reported once the caller is authenticated, as all errors are. */
  readonly problem: Failure | undefined;
}

/**
 * A `Host` that is valid in a URL: a name, an IPv4 address or a bracketed IPv6 address, with an
 * optional port. User names, paths, spaces and repeated values are refused.
 */
const HOST = /^(?:[A-Za-z0-9._~%!$&'()*+;=-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?$/;

/**
 * Reads the target of a request. The runtime gives the URL with the scheme and the Host that was
 * sent, or the bare target if that Host makes no URL; so the URL is split here, never parsed.
 */
export function readTarget(url: string, host: string | null): Target {
  const pathAt = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3);
  if (pathAt < 0 || (pathAt > 0 && !url.startsWith('http'))) {
    return { path: '', query: '', problem: invalid('The request target must be a path.') };
  }
  const queryAt = url.indexOf('?', pathAt);
  const path = queryAt < 0 ? url.slice(pathAt) : url.slice(pathAt, queryAt);
  const query = queryAt < 0 ? '' : url.slice(queryAt + 1);
  return { path, query, problem: targetProblem(url, pathAt, host) };
}

function targetProblem(url: string, pathAt: number, host: string | null): Failure | undefined {
  if (url.length - pathAt > TARGET_BYTES_MAX) {
    return new Failure('uri_too_long', `The URL must have at most ${TARGET_BYTES_MAX} bytes.`);
  }
  // HTTP/1.0 may leave Host out; the runtime refuses HTTP/1.1 without it.
  if (host !== null && !HOST.test(host)) {
    return invalid('The Host header must be given once, as a host name with an optional port.');
  }
  if (url.includes('#', pathAt)) return invalid('The URL must not contain a fragment ("#").');
  if (url.includes('%', pathAt) && !isDecodable(url.slice(pathAt))) {
    return invalid('The URL contains percent-encoding that is not valid UTF-8.');
  }
  return undefined;
}

function invalid(message: string): Failure {
  return new Failure('invalid_request', message);
}

/** Returns whether the percent-encoding is complete and valid UTF-8. */
export function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Decodes the percent-encoding of a validated part of a target, once. */
export function decodeOnce(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text;
}

/** Parameters by name, each with its values in the order sent. */
export type Query = ReadonlyMap<string, readonly string[]>;

const EMPTY: Query = new Map();

/**
 * Reads a query as browsers and URLSearchParams write it (application/x-www-form-urlencoded):
 * `&` between pairs, `+` for a space, percent-encoding decoded once.
 */
export function readQuery(text: string): Query {
  if (text === '') return EMPTY;
  const query = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equalsAt = pair.indexOf('=');
    const name = decode(equalsAt < 0 ? pair : pair.slice(0, equalsAt));
    const value = equalsAt < 0 ? '' : decode(pair.slice(equalsAt + 1));
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return query;
}

function decode(text: string): string {
  return decodeOnce(text.includes('+') ? text.replaceAll('+', ' ') : text);
}
