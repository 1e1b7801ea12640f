/*
 * Loaded before the API tests: sends what they ask of the interface through Prism, which holds
 * each answer against the document. Prism knows one server, and every test has its own; so the
 * switchboard behind Prism is told in a header which one is meant.
 */

const prism = process.env['PRISM_URL'] ?? '';
/** Methods of operations: Prism answers others by itself. */
const METHODS = new Set(['GET', 'POST', 'PATCH', 'DELETE']);
/** A path under `/v1` without empty parts: Prism takes `/pets/` for `/pets/{petId}`. */
const API = /^(http:\/\/127\.0\.0\.1:\d+)\/v1((?:\/[^/?]+)+(?:\?.*)?)$/;

/** Prism reads bodies itself, and never answers where one is not JSON. */
function isJson(body: unknown): boolean {
  if (body === undefined || body === null) return true;
  try {
    JSON.parse(String(body));
    return true;
  } catch {
    return false;
  }
}

const direct = globalThis.fetch;

async function throughPrism(url: string, init: RequestInit): Promise<Response> {
  const [, upstream, target] = API.exec(url) ?? [];
  const carried = METHODS.has(init.method ?? 'GET') && isJson(init.body);
  if (upstream === undefined || !carried) return direct(url, init);
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
