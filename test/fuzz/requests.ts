import type { ExpectedResponse } from './input.ts';

/** A valid request, and the statuses allowed for it. */
export interface ValidRequest {
  readonly text: string;
  readonly response: ExpectedResponse;
  /** True if the response is sent in the same turn of the event loop. */
  readonly isQuick: boolean;
}

/** Number of animals and categories at the start, with ids from 1. */
export const ANIMALS = 200;
export const CATEGORIES = 20;
/** First id of animals created later, far from any id in an altered request. */
export const FIRST_LATER_ID = 1_000_000_000;

/** A request with a Content-Length. Bodies are Latin-1: one byte per character. */
export function requestWith(line: string, headers: readonly string[], body?: string): string {
  const length = body === undefined ? [] : [`Content-Length: ${body.length}`];
  const head = [`${line} HTTP/1.1`, 'Host: petstore.example', ...headers, ...length];
  return `${head.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

/** The text as a chunked body: one chunk and the last chunk. */
export function chunked(body: string): string {
  return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

const JSON_BODY = 'Content-Type: application/json';
const PATCH_BODY = 'Content-Type: application/merge-patch+json';
const CHUNKED = 'Transfer-Encoding: chunked';

/** Requests for every operation and page, with a key that has every scope. */
export function validRequests(key: string): readonly ValidRequest[] {
  const auth = `Authorization: Bearer ${key}`;
  const rex = '{"name":"Rex","categoryId":9223372036854775807,"status":"pending"}';
  const spread = `{"name":"R\xc3\xa9x ${'x'.repeat(90)}","categoryId":-1}`;
  const valid = (status: number, text: string): ValidRequest => ({
    text,
    // 409 if a request with the same Idempotency-Key is in progress.
    response: {
      statuses: text.includes('Idempotency-Key') ? [status, 409] : [status],
      bodyless: text.startsWith('HEAD '),
    },
    isQuick: /^(?:GET|HEAD) /.test(text) && !text.includes('/openapi.json'),
  });
  const read = (target: string, ...more: string[]) =>
    valid(200, requestWith(`GET ${target}`, [auth, ...more]));
  const open = (target: string, ...more: string[]) =>
    valid(200, requestWith(`GET ${target}`, more));
  const post = (path: string, body: string, ...more: string[]) =>
    valid(201, requestWith(`POST ${path}`, [auth, JSON_BODY, ...more], body));
  const inChunks = (body: string) =>
    valid(201, requestWith('POST /v1/pets', [auth, JSON_BODY, CHUNKED]) + chunked(body));

  return [
    read('/v1/pets'),
    read('/v1/pets?status=available&limit=2', 'Accept: */*', 'X-Request-Id: fuzz-1'),
    read('/v1/pets?id=1,2,-9223372036854775808&name=r%C3%A9x&categoryId=7'),
    read('/v1/pets/7', 'If-None-Match: "0000000000000000", W/"1"'),
    read('/v1/%70ets/7', 'X-Forwarded-For: 203.0.113.7, 2001:db8::1', 'Origin: https://a.example'),
    read('/v1/categories?limit=100'),
    read('/v1/store/orders?limit=5'),
    read('/v1/usage', 'Connection: keep-alive'),
    valid(200, requestWith('HEAD /v1/pets?limit=3', [auth])),
    post('/v1/pets', rex),
    post('/v1/pets', spread, 'Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324"'),
    inChunks(rex),
    inChunks(spread),
    valid(200, requestWith('PATCH /v1/pets/9', [auth, PATCH_BODY], '{"categoryId":12}')),
    valid(412, requestWith('PATCH /v1/pets/9', [auth, PATCH_BODY, 'If-Match: "x"'], '{}')),
    valid(404, requestWith('DELETE /v1/pets/-5', [auth])),
    valid(200, requestWith('PATCH /v1/categories/3', [auth, PATCH_BODY], '{}')),
    valid(
      404,
      requestWith('POST /v1/store/orders', [auth, JSON_BODY], '{"petId":-9,"adopter":"A. B."}'),
    ),
    valid(401, requestWith('GET /v1/pets', ['Authorization: Bearer petstore_live_no'])),
    valid(404, requestWith('GET /v1/nothing', [auth])),
    valid(405, requestWith('PUT /v1/pets', [auth])),
    open('/livez'),
    open('/readyz'),
    open('/docs', 'Accept-Encoding: gzip, br;q=0.5'),
    open('/openapi.json', 'If-None-Match: "x"'),
    valid(404, requestWith('GET /nothing', [])),
  ];
}
