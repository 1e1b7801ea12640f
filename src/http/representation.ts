import { matchesWeakly } from './conditional.ts';
import type { HttpResponse } from './response.ts';

/**
 * What a client gets of an answer that many ask for: nothing, where it has it already, and plain
 * bytes, where it does not take the gzip that the answer is kept in.
 */
export function representationFor(
  response: HttpResponse,
  method: string,
  headers: Headers,
): HttpResponse | Promise<HttpResponse> {
  const etag = response.headers['etag'];
  const known = headers.get('if-none-match');
  if (etag !== undefined && known !== null && matchesWeakly(known, etag)) {
    const { 'content-type': _, ...rest } = response.headers;
    return { status: 304, body: null, headers: rest };
  }
  const { body } = response;
  const { 'content-encoding': encoding, ...plain } = response.headers;
  if (encoding !== 'gzip' || !(body instanceof Blob)) return response;
  const vary = 'Accept-Encoding';
  if (takesGzip(headers.get('accept-encoding'))) {
    return { ...response, headers: { ...response.headers, vary } };
  }
  if (method === 'HEAD') {
    return inflatedSize(body).then((size) => {
      return { ...response, body: null, headers: { ...plain, vary, 'content-length': `${size}` } };
    });
  }
  return inflated(body).then((copy) => ({ ...response, body: copy, headers: { ...plain, vary } }));
}

/** What was inflated, by the compressed body: one copy, which all who read it share. */
const copies = new WeakMap<Blob, Promise<Blob>>();

function inflated(body: Blob): Promise<Blob> {
  const known = copies.get(body);
  if (known !== undefined) return known;
  const copy = inflate(body);
  copies.set(body, copy);
  // The next request tries again.
  copy.catch(() => copies.delete(body));
  return copy;
}

function inflate(body: Blob): Promise<Blob> {
  return new Response(body.stream().pipeThrough(new DecompressionStream('gzip'))).blob();
}

/** How long it is once inflated: the last four bytes of a gzip file say so (RFC 1952, section 2.3). */
async function inflatedSize(body: Blob): Promise<number> {
  const trailer = await body.slice(body.size - 4).arrayBuffer();
  return new DataView(trailer).getUint32(0, true);
}

/** Whether an Accept-Encoding field names gzip, other than to refuse it with a weight of 0. */
function takesGzip(field: string | null): boolean {
  return (field ?? '')
    .toLowerCase()
    .split(',')
    .some((item) => /^\s*(?:gzip|x-gzip|\*)\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/.test(item));
}
