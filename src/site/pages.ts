import type { HttpResponse } from '../http/response.ts';
import { assets } from './assets.ts';
import { GUIDES, guidePage, missingPage, NOTICES_PATH, noticesResponse } from './guides.ts';
import { BUNDLE_PATH, bundleResponse, referencePage } from './reference.ts';
import { MISSING_PAGE } from './site.ts';

/** Pages and their assets by path. Each is rendered on first request. */
export type Pages = ReadonlyMap<string, () => HttpResponse>;

/** Creates all pages. `baseUrl` appears in the examples; `baseUrls` are the configured ones. */
export function createPages(baseUrl: string, baseUrls: readonly (string | undefined)[]): Pages {
  const reference = once(() => referencePage(baseUrls));
  const pages = new Map<string, () => HttpResponse>([
    ['/docs', reference],
    ['/docs/', reference],
    [BUNDLE_PATH, once(bundleResponse)],
    [NOTICES_PATH, once(noticesResponse)],
    [MISSING_PAGE, once(missingPage)],
  ]);
  for (const [path, text] of GUIDES)
    pages.set(
      path,
      once(() => guidePage(path, text, baseUrl)),
    );
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
