/*
 * Loaded before the API tests: sends their requests through Prism, which validates each response
 * against the document. Prism knows only one server, but every test has its own, so a header tells
 * the switchboard behind Prism which server to use.
 */

const prism = process.env['PRISM_URL'] ?? '';
/** The methods of operations: Prism responds to others itself. */
const METHODS = new Set(['GET', 'POST', 'PATCH', 'DELETE']);
/** A path under `/v1` without empty segments: Prism takes `/pets/` for `/pets/{petId}`. */
const API = /^(http:\/\/127\.0\.0\.1:\d+)\/v1((?:\/[^/?]+)+(?:\?.*)?)$/;

/** Prism ends when it cannot decode a path. */
function isDecodable(target: string): boolean {
  try {
    decodeURIComponent(target);
    return true;
  } catch {
    return false;
  }
}

/** Prism parses bodies, and never responds to one that is not JSON. */
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
  const isSupported = METHODS.has(init.method ?? 'GET') && isJson(init.body);
  if (upstream === undefined || !isSupported || !isDecodable(`${target}`)) return direct(url, init);
  const headers = new Headers(init.headers);
  headers.set('x-upstream', upstream);
  const received = await direct(`${prism}${target}`, { ...init, headers });
  const response = new Response(
    received.status === 304 ? null : await received.arrayBuffer(),
    received,
  );
  // Prism adds these; the service does not send them.
  for (const name of [...response.headers.keys()]) {
    if (name.startsWith('access-control-') || name.startsWith('sl-')) response.headers.delete(name);
  }
  Object.defineProperty(response, 'url', { value: url });
  return response;
}

// The tests call `fetch` only with a string and an object.
globalThis.fetch = ((url: string, init: RequestInit = {}) =>
  throughPrism(url, init)) as unknown as typeof fetch;
