import { type HttpResponse, matchesWeakly } from './response.ts';

/**
 * Returns the form of a shared response that a client needs: 304 if it already has it, brotli or
 * gzip if these are stored and it accepts them, else plain bytes.
 */
export function representationFor(
  response: HttpResponse,
  method: string,
  headers: Headers,
): HttpResponse | Promise<HttpResponse> {
  const coded = codedFor(response, headers.get('accept-encoding') ?? '');
  const etag = coded.headers['etag'];
  const known = headers.get('if-none-match');
  if (etag !== undefined && known !== null && matchesWeakly(known, etag)) {
    const { 'content-type': _, 'content-encoding': __, ...rest } = coded.headers;
    return { status: 304, body: null, headers: rest };
  }
  const { body } = coded;
  const isStored = !(body instanceof Blob) || coded.headers['content-encoding'] !== undefined;
  if (response.headers['content-encoding'] !== 'gzip' || isStored) return coded;
  if (method === 'HEAD') {
    return inflatedSize(body).then((size) => {
      return { ...coded, body: null, headers: { ...coded.headers, 'content-length': `${size}` } };
    });
  }
  return inflated(body).then((copy) => ({ ...coded, body: copy }));
}

/**
 * Returns a stored form that the client accepts. If there is none, the headers are those of the
 * plain form and the body is still compressed. Each form has an entity tag of its own.
 */
function codedFor(response: HttpResponse, accepted: string): HttpResponse {
  const { brotli, ...shared } = response;
  const { 'content-encoding': stored, ...plain } = response.headers;
  if (stored !== 'gzip' || !(response.body instanceof Blob)) return response;
  const best = acceptedCoding(accepted);
  const coding =
    best === 'br' && !brotli ? accepts(accepted, 'gzip', 'x-gzip', '*') && 'gzip' : best;
  const { etag } = plain;
  const headers = {
    ...plain,
    vary: 'Accept-Encoding',
    ...(coding && { 'content-encoding': coding }),
    ...(coding && etag && { etag: `${etag.slice(0, -1)}-${coding}"` }),
  };
  return { ...shared, body: (coding === 'br' && brotli) || response.body, headers };
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

/** Returns the best coding that a client accepts; undefined if it wants plain bytes. */
export function acceptedCoding(header: string): 'br' | 'gzip' | undefined {
  if (accepts(header, 'br', '*')) return 'br';
  return accepts(header, 'gzip', 'x-gzip', '*') ? 'gzip' : undefined;
}

/** Whether a header such as Accept lists one of these names: the first of them decides, and a weight of 0 refuses it. */
export function accepts(header: string, ...names: readonly string[]): boolean {
  const items = header.split(',').map((item) => item.trim().toLowerCase());
  const found = names.map((name) => items.find((item) => item.split(';', 1)[0]?.trim() === name));
  const item = found.find((one) => one !== undefined);
  return item !== undefined && !/;\s*q=0(?:\.0*)?$/.test(item);
}
