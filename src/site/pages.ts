import type { HttpResponse } from '../http/response.ts';
import { assets } from './assets.ts';
import { clientPages } from './client.ts';
import { doorsPage } from './doors.ts';
import { llmsResponse, markdownResponse } from './for-programs.ts';
import { guidePage, missingPage, NOTICES_PATH, noticesResponse, ofServer } from './guides.ts';
import { GUIDES, INDEX_PATH } from './navigation.ts';
import { BUNDLE_PATH, bundleResponse, referencePage } from './reference.ts';
import { createSearchPage } from './search-page.ts';
import { MISSING_PAGE, SEARCH_PATH } from './site.ts';

/** Pages and their assets by path. Each is rendered on first request. */
export type Pages = ReadonlyMap<string, (query: string) => HttpResponse>;

/** Creates all pages. `baseUrl` appears in the examples; `baseUrls` are the configured ones. */
export function createPages(
  baseUrl: string,
  baseUrls: readonly (string | undefined)[],
  hasPublicPages = true,
): Pages {
  const reference = once(() => referencePage(baseUrls));
  const guides = new Map([...GUIDES].map(([path, text]) => [path, ofServer(text, baseUrl)]));
  const index = guides.get(INDEX_PATH) ?? '';
  const pages = new Map<string, (query: string) => HttpResponse>([
    ['/docs', reference],
    ['/docs/', reference],
    [BUNDLE_PATH, once(bundleResponse)],
    [NOTICES_PATH, once(noticesResponse)],
    ['/', once(() => doorsPage(hasPublicPages))],
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
