import type { FieldList, Fields, HeaderValues, HttpResponse } from './response.ts';

/** Fields of every answer, of the interface and of pages alike. */
const ALWAYS = {
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
};

/** The fields of an answer, for its sender to set its own: those of one that is prepared, or new. */
export function fieldsOf(response: HttpResponse, isAsPrepared: boolean): Fields {
  if (isAsPrepared && response.prepared !== undefined)
    return response.prepared.for(response.headers);
  const headers = headersOf(response);
  return {
    headers,
    init: { status: response.status, headers },
    set: (name, value) => headers.set(name, value),
    keep: (group) => setAll(headers, group),
  };
}

/** The lists of prepared answers, by what these say themselves, in its order: a handful. */
const lists = new Map<string, FieldList>();

/**
 * An answer that is sent many times, with one list of fields for all that say the same kind of
 * things, in which only what has changed since the last answer is set. A list made anew costs
 * 1.9 µs, each field 0.1 µs; and a list for each answer would be out of the processor's cache by the
 * time that it is used again, where many are asked for in turn. Whatever is set must be set whenever
 * the list is used: else what was said to the one before would stay.
 */
export function prepare<A extends HttpResponse>(response: A): A {
  const { status } = response;
  let kind = String(status);
  for (const name in response.headers) kind += `,${name}`;
  let prepared = lists.get(kind);
  if (prepared === undefined) {
    prepared = createList(status, Object.keys(response.headers));
    lists.set(kind, prepared);
  }
  return { ...response, prepared };
}

function createList(status: number, names: readonly string[]): FieldList {
  // The runtime copies a response faster than it reads an object: 0.5 µs, not 0.6.
  const init = new Response(null, { status, headers: ALWAYS });
  const { headers } = init;
  let last: HeaderValues = {};
  let stored: readonly HeaderValues[] = [];
  const fields: Fields = {
    headers,
    init,
    set: (name, value) => headers.set(name, value),
    keep(group) {
      if (stored.includes(group)) return;
      const replaces = (other: HeaderValues) => Object.keys(group).some((name) => name in other);
      stored = [...stored.filter((other) => !replaces(other)), group];
      setAll(headers, group);
    },
  };

  return {
    for(own) {
      if (own === last) return fields;
      for (const name of names) {
        const value = own[name] ?? '';
        if (value !== last[name]) headers.set(name, value);
      }
      last = own;
      return fields;
    },
  };
}

/** Sets all fields of a group in a list. */
export function setAll(headers: Headers, group: HeaderValues): void {
  for (const name in group) headers.set(name, group[name] ?? '');
}

function headersOf({ headers }: HttpResponse): Headers {
  return new Headers({ ...ALWAYS, ...headers });
}
