import type { Answer } from './answer.ts';

/** Fields of every answer, of the interface and of pages alike. */
const ALWAYS = {
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
};

/**
 * Makes the response of an answer. `extra` goes on top: what the stages of the pipeline add. The
 * runtime leaves the body of a HEAD request out and gives its length.
 */
export function respond(answer: Answer, extra: Readonly<Record<string, string>>): Response {
  const headers = { ...ALWAYS, ...answer.headers, ...extra };
  return new Response(answer.body, { status: answer.status, headers });
}
