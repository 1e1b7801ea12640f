import type { HttpResponse } from '../http/response.ts';

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** A file name with one of the known types. */
export type AssetName = `${string}.${keyof typeof TYPES}`;

/** The path contains the version, so a client never needs to ask again. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Creates the response with an asset. `name` ends in its type. */
export function assetResponse(name: AssetName, body: string | Blob): HttpResponse {
  // The type of `name` guarantees one of these endings.
  const type = name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES;
  return { status: 200, body, headers: { 'content-type': TYPES[type], 'cache-control': FOR_EVER } };
}

/** Responses with the assets by path. All paths change when any asset changes. */
export interface AssetFolder {
  readonly root: string;
  readonly responses: ReadonlyMap<string, HttpResponse>;
}

/** Places files under a path that contains a hash of them all. */
export function assetFolder(files: Readonly<Record<AssetName, string>>): AssetFolder {
  const hash = Bun.hash.wyhash(JSON.stringify(files)).toString(16).padStart(16, '0');
  const root = `/docs/assets/${hash}`;
  const responses = Object.entries(files).map(([name, text]): [string, HttpResponse] => [
    `${root}/${name}`,
    // `Object.entries` widens the names to `string`.
    assetResponse(name as AssetName, text),
  ]);
  return { root, responses: new Map(responses) };
}
