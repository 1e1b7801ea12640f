import { matchesWeakly } from './conditional.ts';
import type { HttpResponse } from './response.ts';

/**
 * Returns the form of a shared response that a client needs: 304 if it already has it, and plain
 * bytes if it does not accept the stored gzip.
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

/** Inflated bodies by their compressed ones, so that all readers share one copy. */
const copies = new WeakMap<Blob, Promise<Blob>>();

function inflated(body: Blob): Promise<Blob> {
  const known = copies.get(body);
  if (known !== undefined) return known;
  const copy = inflate(body);
  copies.set(body, copy);
  // Let the next request try again.
  copy.catch(() => copies.delete(body));
  return copy;
}

function inflate(body: Blob): Promise<Blob> {
  return new Response(body.stream().pipeThrough(new DecompressionStream('gzip'))).blob();
}

/** Reads the inflated size from the last four bytes of a gzip file (RFC 1952, section 2.3). */
async function inflatedSize(body: Blob): Promise<number> {
  const trailer = await body.slice(body.size - 4).arrayBuffer();
  return new DataView(trailer).getUint32(0, true);
}

/** Looks for gzip in Accept-Encoding; a weight of 0 refuses it. */
function takesGzip(header: string | null): boolean {
  return (header ?? '')
    .toLowerCase()
    .split(',')
    .some((item) => /^\s*(?:gzip|x-gzip|\*)\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/.test(item));
}
