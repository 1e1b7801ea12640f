import type { Answer, Fields } from './answer.ts';

/** Fields of every answer, of the interface and of pages alike. */
const ALWAYS = {
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
};

/** The fields of an answer, for its sender to set its own: those of one that is prepared, or new. */
export function fieldsOf(answer: Answer, isAsPrepared: boolean): Fields {
  if (isAsPrepared && answer.prepared !== undefined) return answer.prepared;
  const headers = headersOf(answer);
  const set = (name: string, value: string) => headers.set(name, value);
  return { headers, set, keep: set };
}

/**
 * An answer that is sent many times, with one list of fields for all of them, in which only what
 * has changed since the last is set. A list made anew costs 1.9 µs, each field 0.1 µs. Whatever
 * is set must be set whenever the list is used: else what was said to the one before would stay.
 */
export function prepare<A extends Answer>(answer: A): A {
  const headers = headersOf(answer);
  const values = new Map<string, string>();
  const prepared: Fields = {
    headers,
    set: (name, value) => headers.set(name, value),
    keep(name, value) {
      if (values.get(name) === value) return;
      values.set(name, value);
      headers.set(name, value);
    },
  };
  return { ...answer, prepared };
}

function headersOf({ headers }: Answer): Headers {
  return new Headers({ ...ALWAYS, ...headers });
}
