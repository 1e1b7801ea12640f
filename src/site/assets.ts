import type { HttpResponse } from '../http/response.ts';
import codeCss from './code.css' with { type: 'text' };
import doorsCss from './doors.css' with { type: 'text' };
import guideCss from './guide.css' with { type: 'text' };
import guideScript from './guide.js' with { type: 'text' };
import guideFrameCss from './guide-frame.css' with { type: 'text' };
import icon from './icon.svg' with { type: 'text' };
import pageCss from './page.css' with { type: 'text' };
import controls from './reference/controls.js' with { type: 'text' };
import document from './reference/document.js' with { type: 'text' };
import start from './reference/start.js' with { type: 'text' };
import themeCss from './reference/theme.css' with { type: 'text' };
import tokensCss from './tokens.css' with { type: 'text' };

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** A file name with one of the known types. */
export type AssetName = `${string}.${keyof typeof TYPES}`;

/** The path contains the version, so a client never needs to ask again. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

/** Creates the response with an asset. `name` ends in its type. */
export function assetResponse(name: AssetName, body: string | Blob): HttpResponse {
  // The type of `name` guarantees one of these endings.
  const type = name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES;
  return { status: 200, body, headers: { 'content-type': TYPES[type], 'cache-control': FOR_EVER } };
}

const FILES: Readonly<Record<AssetName, string>> = {
  'tokens.css': tokensCss,
  'page.css': pageCss,
  'doors.css': doorsCss,
  'guide.css': guideCss,
  'guide-frame.css': guideFrameCss,
  'code.css': codeCss,
  'guide.js': guideScript,
  'icon.svg': icon,
  'reference/theme.css': themeCss,
  'reference/start.js': start,
  'reference/document.js': document,
  'reference/controls.js': controls,
};

/** The path of all files contains a hash of them: it changes when any of them does. */
const hash = Bun.hash.wyhash(JSON.stringify(FILES)).toString(16).padStart(16, '0');
const root = `/docs/assets/${hash}`;

/** Styles, icon and scripts of the pages by path. */
export const assets = {
  root,
  responses: new Map(
    Object.entries(FILES).map(([name, text]) => [
      `${root}/${name}`,
      // `Object.entries` widens the names to `string`.
      assetResponse(name as AssetName, text),
    ]),
  ),
};
