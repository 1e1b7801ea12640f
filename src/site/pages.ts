import { version } from '../../packages/client/package.json';
import { entityTag, type HttpResponse } from '../http/response.ts';
import { assets, FOR_EVER } from './assets.ts';
import module from './client/petstore-client.js' with { type: 'text' };
import tarball from './client/petstore-client.tgz' with { type: 'file' };
import wheel from './client/petstore-client.whl' with { type: 'file' };
import { doorsPage } from './doors.ts';
import { guidePage, missingPage, NOTICES_PATH, noticesResponse, ofServer } from './guides.ts';
import { GUIDES, INDEX_PATH } from './navigation.ts';
import { BUNDLE_PATH, bundleResponse, referencePage } from './reference.ts';
import { createSearchPage } from './search-page.ts';
import { MISSING_PAGE, SEARCH_PATH } from './site.ts';

/** Pages and their assets by path. Each is rendered on first request. */
export type Pages = ReadonlyMap<string, (query: string) => HttpResponse>;

/** Leads to the animals. Not for ever: the setting may change. */
const ANIMALS: HttpResponse = { status: 302, body: null, headers: { location: '/adopt' } };

/** Creates all pages. `baseUrl` appears in the examples; `baseUrls` are the configured ones. */
export function createPages(
  baseUrl: string,
  baseUrls: readonly (string | undefined)[],
  hasPublicPages = true,
  home: 'doors' | 'adopt' = 'doors',
): Pages {
  const reference = once(() => referencePage(baseUrls));
  const guides = new Map([...GUIDES].map(([path, text]) => [path, ofServer(text, baseUrl)]));
  const index = guides.get(INDEX_PATH) ?? '';
  const pages = new Map<string, (query: string) => HttpResponse>([
    ['/docs', reference],
    ['/docs/', reference],
    [BUNDLE_PATH, once(bundleResponse)],
    [NOTICES_PATH, once(noticesResponse)],
    ['/', once(() => (home === 'adopt' && hasPublicPages ? ANIMALS : doorsPage(hasPublicPages)))],
    [MISSING_PAGE, once(missingPage)],
    ...clientPages(),
    [SEARCH_PATH, createSearchPage(guides)],
    ['/llms.txt', once(() => llmsResponse(index, baseUrl))],
    // What links between the guides' files call the index.
    ['/docs/README.md', once(() => markdownResponse(index))],
  ]);
  for (const [path, text] of guides) {
    const guide = once(() => guidePage(path, text));
    const markdown = once(() => markdownResponse(text));
    pages.set(path, guide).set(`${path}.md`, markdown);
  }
  for (const [path, response] of assets.responses) pages.set(path, () => response);
  return pages;
}

function once(make: () => HttpResponse): () => HttpResponse {
  let made: HttpResponse | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Returns a guide as its text in Markdown, whose links between guides work at its address too. */
function markdownResponse(body: string): HttpResponse {
  const headers = { 'content-type': 'text/markdown; charset=utf-8', etag: entityTag(body) };
  return { status: 200, body, headers };
}

/**
 * Returns `/llms.txt`: what the service is and where programs find the rest, with the addresses of this
 * server. `index` is the text of the guides' index, which has a line for each guide.
 */
function llmsResponse(index: string, baseUrl: string): HttpResponse {
  const root = new URL(baseUrl).origin;
  const guides = index.slice(index.indexOf('\n## Start')).replace(/\n## Reference\n[\s\S]*$/, '\n');
  const linked = guides.replace(/\]\(([a-z-]+\.md(?:#[a-z-]+)?)\)/g, `](${root}/docs/$1)`);
  const body = `# Petstore

> A store or shelter publishes the animals that it has for adoption. Programs read and change that list over HTTP, in JSON,
> at ${baseUrl}.

Every request needs an API key: \`Authorization: Bearer <API key>\`. Only the operator of the service can create one; ask for
the smallest scope that will do: \`read\`, \`adopt\` or \`write\`. [Getting started](${root}/docs/getting-started.md) shows a
first request, and [Authentication](${root}/docs/authentication.md) what each scope may do.

## Documents

- [Tools](${root}/mcp): the Model Context Protocol, for assistants that speak it; a key adds tools that its scope allows
- [OpenAPI, small](${root}/openapi-small.json): the operations of \`read\`, \`adopt\` and \`write\` alone, for tools of an assistant
- [OpenAPI](${root}/openapi.json): everything, with examples of every response; also [as YAML](${root}/openapi.yaml) and in [version 3.0](${root}/openapi-3.0.json)
- [Errors](${root}/docs/errors.md): every code, its meaning, and what to do
${linked}`;
  const headers = { 'content-type': 'text/plain; charset=utf-8', etag: entityTag(body) };
  return { status: 200, body, headers };
}

/** Seconds after which a page asks whether there is another module. */
const MODULE_AGE = 300;

const MODULE_HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'content-encoding': 'gzip',
  // It is no secret, and pages of other origins import it.
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  etag: entityTag(module),
};

const WHEEL_PATH = `/client/petstore_client-${version}-py3-none-any.whl`;
const WHEEL_HEADERS = { 'content-type': 'application/zip', 'cache-control': FOR_EVER };

/**
 * Returns the client as the service hands it out, by path: what npm installs, one module for
 * browsers and Deno, and what pip installs. `npm run openapi` makes them.
 */
function clientPages(): ReadonlyMap<string, () => HttpResponse> {
  const body = new Blob([Bun.gzipSync(module)]);
  const moduleFor = (cache: string) => () => {
    return { status: 200, body, headers: { ...MODULE_HEADERS, 'cache-control': cache } };
  };
  const packed = { 'content-type': 'application/gzip', 'cache-control': FOR_EVER };
  const path = `/client/petstore-client-${version}`;
  return new Map<string, () => HttpResponse>([
    [`${path}.tgz`, () => ({ status: 200, body: Bun.file(tarball), headers: packed })],
    [`${path}.js`, moduleFor(FOR_EVER)],
    ['/client/petstore-client.js', moduleFor(`public, max-age=${MODULE_AGE}`)],
    [WHEEL_PATH, () => ({ status: 200, body: Bun.file(wheel), headers: WHEEL_HEADERS })],
  ]);
}
