import { SPECIES, type Species } from '../domain/profile.ts';
import type { HttpResponse } from '../http/response.ts';
import { drawingOf } from '../photos/drawings.ts';
import tokensCss from '../site/tokens.css' with { type: 'text' };
import { accentStyles } from './accent.ts';
import adoptCss from './adopt.css' with { type: 'text' };
import script from './adopt.js' with { type: 'text' };
import frameScript from './frame.js' with { type: 'text' };
import touchIcon from './icons/apple-touch-icon.png' with { type: 'file' };
import favicon from './icons/favicon.ico' with { type: 'file' };
import largeIcon from './icons/icon-512.png' with { type: 'file' };

/** Focuses are rounded to these steps: the policy of the pages forbids styles in attributes. */
export const FOCUS_STEPS = 10;
const focusCss = Array.from({ length: FOCUS_STEPS + 1 }, (_, n) => {
  const part = `${(n * 100) / FOCUS_STEPS}%`;
  return `.x${n}{--x:${part}}.y${n}{--y:${part}}`;
}).join('');

const COMMON = `${tokensCss}${adoptCss}${focusCss}`;
/** A change of a file changes the addresses of all, so browsers never ask again. */
const hash = Bun.hash
  .wyhash(
    JSON.stringify([COMMON, script, frameScript, accentStyles('#336699'), SPECIES.map(drawingOf)]),
  )
  .toString(16)
  .padStart(16, '0');
const root = `/adopt/assets/${hash}`;
export const adoptAssets = { root };

/** The address of the styles in the colour of a shop. */
export function stylesAt(colour: string): string {
  return `${root}/adopt-${colour.slice(1).toLowerCase()}.css`;
}

const FILE =
  /^\/adopt\/assets\/([0-9a-f]{16})\/(?:adopt-([0-9a-f]{6})\.css|(adopt|frame)\.js|([a-z_]+)\.svg)$/;

/** The icons of the pages, which browsers and telephones also look for by themselves. */
const ICONS: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/favicon.ico': [favicon, 'image/x-icon'],
  '/apple-touch-icon.png': [touchIcon, 'image/png'],
  '/adopt/icon-512.png': [largeIcon, 'image/png'],
};

function iconResponse([file, type]: readonly [file: string, type: string]): HttpResponse {
  const headers = { 'content-type': type, 'cache-control': 'public, max-age=86400' };
  return {
    status: 200,
    body: Bun.file(file),
    headers: { ...headers, 'cross-origin-resource-policy': 'cross-origin' },
  };
}

/**
 * Returns a file of the pages. The address of another release is served too, with what is here: during
 * a change of releases a page of the one may load the files of the other.
 */
export function assetAt(path: string): HttpResponse | undefined {
  const icon = ICONS[path];
  if (icon !== undefined) return iconResponse(icon);
  const [, version, colour, scriptName, species] = FILE.exec(path) ?? [];
  const served = (type: string, body: string, more = {}): HttpResponse => ({
    status: 200,
    body,
    headers: {
      'content-type': type,
      'cache-control': version === hash ? 'public, max-age=31536000, immutable' : 'no-cache',
      'cross-origin-resource-policy': 'cross-origin',
      ...more,
    },
  });
  if (colour !== undefined)
    return served('text/css; charset=utf-8', accentStyles(`#${colour}`) + COMMON);
  if (scriptName !== undefined) {
    return served('text/javascript; charset=utf-8', scriptName === 'frame' ? frameScript : script);
  }
  const drawn = SPECIES.find((name) => name === species);
  const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
  return drawn && served('image/svg+xml', drawingOf(drawn), { 'content-security-policy': policy });
}

/** The address of the drawing of a species. */
export function drawingAt(species: Species | null): string {
  return `${root}/${species ?? 'other'}.svg`;
}
