import type { Answer } from './answer.ts';
import { matchesWeakly } from './conditional.ts';

/**
 * What a client gets of an answer that many ask for: nothing, where it has it already, and plain
 * bytes, where it does not take the gzip that the answer is kept in.
 */
export function representationFor(answer: Answer, headers: Headers): Answer | Promise<Answer> {
  const etag = answer.headers['etag'];
  const known = headers.get('if-none-match');
  if (etag !== undefined && known !== null && matchesWeakly(known, etag)) {
    const { 'content-type': _, ...rest } = answer.headers;
    return { status: 304, body: null, headers: rest };
  }
  if (answer.headers['content-encoding'] !== 'gzip') return answer;
  const varying = { ...answer.headers, vary: 'Accept-Encoding' };
  if (takesGzip(headers.get('accept-encoding'))) return { ...answer, headers: varying };
  return decompressed({ ...answer, headers: varying });
}

async function decompressed(answer: Answer): Promise<Answer> {
  const { 'content-encoding': _, ...headers } = answer.headers;
  const compressed = new Response(answer.body).body;
  const plain = compressed?.pipeThrough(new DecompressionStream('gzip'));
  return { ...answer, body: await new Response(plain).blob(), headers };
}

/** Whether an Accept-Encoding field names gzip, other than to refuse it with a weight of 0. */
function takesGzip(field: string | null): boolean {
  return (field ?? '')
    .toLowerCase()
    .split(',')
    .some((item) => /^\s*(?:gzip|x-gzip|\*)\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/.test(item));
}
