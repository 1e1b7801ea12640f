import type { HttpResponse } from '../http/response.ts';
import { entityTag } from '../http/response.ts';
import { adoptAssets } from './assets.ts';
import script from './embed.js' with { type: 'text' };
import { LANGUAGE_NAMES, messagesIn } from './languages.ts';

const made = new Map<string, HttpResponse>();

/** The script that shows animals on the page of somebody else, with the words that it needs. */
export function embedScript(root: string): HttpResponse {
  const known = made.get(root) ?? scriptResponse(root);
  made.set(root, known);
  return known;
}

function scriptResponse(root: string): HttpResponse {
  const words = LANGUAGE_NAMES.map((name) => {
    const { widget, species, sex, ageGroup, youngest, about, mix, mixOf } = messagesIn(name);
    const patterns = { about: about('%'), mix: mix('%'), mixOf: mixOf('%', '%') };
    return [name, { ...widget, species, sex, ageGroup, youngest, ...patterns }];
  });
  const body = script
    .replace('WORDS_OF_ALL_LANGUAGES', () => JSON.stringify(Object.fromEntries(words)))
    .replace('ADDRESS_OF_THE_SHOP', () => root)
    .replace('DRAWINGS', () => adoptAssets.root);
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=3600',
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    etag: entityTag(body),
  };
  return { status: 200, body, headers };
}
