import type { HttpResponse } from '../http/response.ts';
import { htmlPage } from './layout.ts';
import { escapeHtml } from './markdown.ts';
import { createSearch, type Found, SEARCH_MAX } from './search.ts';
import { SEARCH_PATH } from './site.ts';

const SHOWN_MAX = 20;

/** Creates the page that searches the guides. They are indexed at the first search. */
export function createSearchPage(
  guides: ReadonlyMap<string, string>,
): (query: string) => HttpResponse {
  let search: ReturnType<typeof createSearch> | undefined;

  return (query) => {
    const text = (new URLSearchParams(query).get('q') ?? '').trim();
    const isTooLong = [...text].length > SEARCH_MAX;
    search ??= createSearch(guides);
    const results = isTooLong
      ? `<p>A search has at most ${SEARCH_MAX} characters.</p>`
      : resultsOf(text, search(text));
    const page = htmlPage({
      path: SEARCH_PATH,
      title: text === '' ? 'Search' : `Search: ${escapeHtml(text)}`,
      stylesheets: ['guide-frame.css', 'guide.css'],
      main: `<main class="guide" id="main" tabindex="-1"><article>
<h1>Search</h1>
<form class="search" action="${SEARCH_PATH}"><input type="search" name="q" value="${escapeHtml(text)}" maxlength="${SEARCH_MAX}"
aria-label="Words to search for"><button>Search</button></form>
${results}
</article></main>`,
      policy: ["style-src 'self'"],
    });
    return isTooLong ? { ...page, status: 400 } : page;
  };
}

function resultsOf(text: string, found: readonly Found[]): string {
  if (text === '') return '<p>Search in all guides, by the beginnings of words.</p>';
  if (found.length === 0) {
    return `<p role="status">No guide has this. Try fewer words, or look into the <a href="/docs">reference</a>.</p>`;
  }
  const count = found.length === 1 ? 'One section' : `${found.length} sections`;
  const shown = found.length > SHOWN_MAX ? `, the best ${SHOWN_MAX} of them here` : '';
  return `<p role="status">${count}${shown}.</p>
<ol class="found">
${found.slice(0, SHOWN_MAX).map(resultOf).join('\n')}
</ol>`;
}

function resultOf({ address, guide, title, excerpt }: Found): string {
  const name = title === '' ? guide : `${guide}: ${title}`;
  const pieces = excerpt.map((piece, index) => {
    const text = escapeHtml(piece);
    return index % 2 === 1 ? `<mark>${text}</mark>` : text;
  });
  return `<li><a href="${address}">${escapeHtml(name)}</a><br>${pieces.join('')}`;
}
