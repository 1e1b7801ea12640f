import type { HttpResponse } from '../http/response.ts';
import { entityTag } from '../http/response.ts';
import { adoptAssets } from './assets.ts';
import script from './embed.js' with { type: 'text' };
import { LANGUAGE_NAMES, messagesIn } from './languages.ts';

let made: HttpResponse | undefined;

/** The script that shows animals on the page of somebody else, with the words that it needs. */
export function embedScript(): HttpResponse {
  made ??= scriptResponse();
  return made;
}

function scriptResponse(): HttpResponse {
  const words = LANGUAGE_NAMES.map((name) => {
    const { widget, species, sex, ageGroup } = messagesIn(name);
    return [name, { ...widget, species, sex, ageGroup }];
  });
  const body = script
    .replace('WORDS_OF_ALL_LANGUAGES', () => JSON.stringify(Object.fromEntries(words)))
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
