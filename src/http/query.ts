import { decodeOnce } from './target.ts';

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
