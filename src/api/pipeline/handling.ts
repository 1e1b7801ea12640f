import { redactKeys } from '../../domain/api-key.ts';
import { Failure } from '../../domain/failure.ts';
import { namesIn } from '../../http/target.ts';
import type { OperationDefinition } from '../contract/operation.ts';

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
  const seen = new Set<string>();
  let list = '';
  for (const name of namesIn(query)) {
    if (name === '' || Object.hasOwn(known, name) || seen.has(name)) continue;
    seen.add(name);
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
