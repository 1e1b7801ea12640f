import type { Answer } from './answer.ts';

/** Fields of every answer, of the interface and of pages alike. */
const ALWAYS = {
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
};

/** The header fields of an answer, in a list that is the caller's to add to. */
export function headersOf({ headers, prepared }: Answer): Headers {
  return new Headers(prepared ?? { ...ALWAYS, ...headers });
}

/** The same answer, with its fields made ready: for one that is sent many times. */
export function prepare<A extends Answer>(answer: A): A {
  return { ...answer, prepared: headersOf(answer) };
}
