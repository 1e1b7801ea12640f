import type { HttpResponse } from '../http/response.ts';
import { assets } from './assets.ts';
import { GUIDES, guidePage } from './guides.ts';
import { NOTICES_PATH, noticesAnswer } from './notices.ts';
import { BUNDLE_PATH, bundleResponse, referencePage } from './reference.ts';

/** Pages and what they are made of, by path. Each is made when it is first asked for. */
export type Pages = ReadonlyMap<string, () => HttpResponse>;

/** Every page of the service. `baseUrl` stands in the examples, `baseUrls` are the configured ones. */
export function createPages(baseUrl: string, baseUrls: readonly (string | undefined)[]): Pages {
  const reference = once(() => referencePage(baseUrls));
  const pages = new Map<string, () => HttpResponse>([
    ['/docs', reference],
    ['/docs/', reference],
    [BUNDLE_PATH, once(bundleResponse)],
    [NOTICES_PATH, once(noticesAnswer)],
  ]);
  for (const [path, text] of GUIDES)
    pages.set(
      path,
      once(() => guidePage(path, text, baseUrl)),
    );
  for (const [path, response] of assets.answers) pages.set(path, () => response);
  return pages;
}

function once(make: () => HttpResponse): () => HttpResponse {
  let made: HttpResponse | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
