import { version } from '../../packages/client/package.json';
import { entityTag, type HttpResponse } from '../http/response.ts';
import { FOR_EVER } from './assets.ts';
import module from './client/petstore-client.js' with { type: 'text' };
import tarball from './client/petstore-client.tgz' with { type: 'file' };

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

/**
 * Returns the client as the service hands it out, by path: what npm installs, and one module for
 * browsers and Deno. `npm run openapi` makes both.
 */
export function clientPages(): ReadonlyMap<string, () => HttpResponse> {
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
  ]);
}
