/*
 * Loaded before the API tests: sends what they ask of the interface through Prism, which holds
 * each answer against the document. Prism knows one server, and every test has its own; so the
 * switchboard behind Prism is told in a header which one is meant.
 */

const prism = process.env['PRISM_URL'] ?? '';
/** Methods of operations: Prism answers others by itself. */
const METHODS = new Set(['GET', 'POST', 'PATCH', 'DELETE']);
const API = /^(http:\/\/127\.0\.0\.1:\d+)\/v1(\/.*)$/;

const direct = globalThis.fetch;

async function throughPrism(url: string, init: RequestInit): Promise<Response> {
  const [, upstream, target] = API.exec(url) ?? [];
  if (upstream === undefined || !METHODS.has(init.method ?? 'GET')) return direct(url, init);
  const headers = new Headers(init.headers);
  headers.set('x-upstream', upstream);
  const answer = await direct(`${prism}${target}`, { ...init, headers });
  const response = new Response(answer.status === 304 ? null : await answer.arrayBuffer(), answer);
  // What Prism adds is not the service's.
  for (const name of [...response.headers.keys()]) {
    if (name.startsWith('access-control-') || name.startsWith('sl-')) response.headers.delete(name);
  }
  Object.defineProperty(response, 'url', { value: url });
  return response;
}

// The tests call `fetch` with a text and an object, and with nothing else.
globalThis.fetch = ((url: string, init: RequestInit = {}) =>
  throughPrism(url, init)) as unknown as typeof fetch;
