import type { HttpResponse } from '../http/response.ts';

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The path of an asset says which version it is, so a client need not ask for it again. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The answer that holds an asset. `name` ends in its type. */
export function assetResponse(
  name: `${string}.${keyof typeof TYPES}`,
  body: string | Blob,
): HttpResponse {
  // The type of `name` says that its last part is one of these.
  const type = name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES;
  return { status: 200, body, headers: { 'content-type': TYPES[type], 'cache-control': FOR_EVER } };
}

/** Assets that belong together, by their paths, which change when any of them changes. */
export interface AssetFolder {
  readonly root: string;
  readonly answers: ReadonlyMap<string, HttpResponse>;
}

/** Puts files under a path that is made from all that they hold. */
export function assetFolder(
  files: Readonly<Record<`${string}.${keyof typeof TYPES}`, string>>,
): AssetFolder {
  const hash = Bun.hash.wyhash(JSON.stringify(files)).toString(16).padStart(16, '0');
  const root = `/docs/assets/${hash}`;
  const responses = Object.entries(files).map(([name, text]): [string, HttpResponse] => [
    `${root}/${name}`,
    // `Object.entries` forgets which names the record may have.
    assetResponse(name as keyof typeof files, text),
  ]);
  return { root, answers: new Map(responses) };
}
