import { assets } from './assets.ts';
import { SEARCH_PATH } from './site.ts';

type Page = readonly [path: string, title: string];

const REFERENCE_PAGE: Page = ['/docs', 'Reference'];
const INDEX_PAGE: Page = ['/docs/guides', 'Overview'];

/** The guides in reading order, grouped as on the first page. */
const GROUPS: readonly (readonly [name: string, pages: readonly Page[]])[] = [
  [
    'Start',
    [
      ['/docs/getting-started', 'Getting started'],
      ['/docs/authentication', 'Authentication'],
      ['/docs/web-pages', 'Web pages'],
      ['/docs/client', 'TypeScript client'],
      ['/docs/browsers', 'From a browser'],
      ['/docs/generated-clients', 'Generated clients'],
    ],
  ],
  [
    'Do',
    [
      ['/docs/paging', 'Paging'],
      ['/docs/adoptions', 'Adoptions'],
      ['/docs/changes', 'Changes'],
      ['/docs/listings', 'Profiles and listings'],
      ['/docs/public-pages', 'Public pages'],
      ['/docs/photos', 'Photos'],
      ['/docs/enquiries', 'Enquiries'],
      ['/docs/importing', 'Importing files'],
      ['/docs/assistants', 'Assistants'],
    ],
  ],
  [
    'Stay in step',
    [
      ['/docs/events', 'Events'],
      ['/docs/mirror', 'Mirror'],
      ['/docs/webhooks', 'Webhooks'],
    ],
  ],
  [
    'Be robust',
    [
      ['/docs/errors', 'Errors'],
      ['/docs/limits', 'Limits'],
      ['/docs/retries', 'Retries'],
    ],
  ],
  [
    'About',
    [
      ['/docs/console', 'Console'],
      ['/docs/people', 'People'],
      ['/docs/history', 'Who did what'],
      ['/docs/deprecations', 'Deprecations'],
      ['/docs/changelog', 'Changelog'],
    ],
  ],
];

/** The pages in reading order. */
export const NAVIGATION: readonly Page[] = [
  INDEX_PAGE,
  REFERENCE_PAGE,
  ...GROUPS.flatMap(([, pages]) => pages),
];

const INDEX = '/docs/guides';
const REFERENCE = '/docs';
const CONSOLE = '/console';

/**
 * Renders the bar at the top of a page and the list of all pages. The list is a column beside a
 * guide if there is room; else a button with the name of the current page opens it.
 */
export function navigation(current: string): string {
  const name = NAVIGATION.find(([path]) => path === current)?.[1] ?? 'Guides';
  const part = current === REFERENCE ? REFERENCE : INDEX;
  return `<nav class="page-header" aria-label="Site">
<a class="page-brand" href="/"><img src="${assets.root}/icon.svg" width="20" height="20" alt="">Petstore</a>
<button class="page-menu" type="button" popovertarget="pages">${name}</button>
<ul class="page-parts">
<li>${link(INDEX, 'Guides', part === INDEX)}
<li>${link(REFERENCE, 'Reference', part === REFERENCE)}
<li>${link(CONSOLE, 'Console', false)}
</ul>
</nav>
<nav class="page-list" id="pages" aria-label="Documentation" popover>
<form action="${SEARCH_PATH}" role="search"><input type="search" name="q" placeholder="Search the guides" aria-label="Search the guides" maxlength="100"></form>
${list([INDEX_PAGE, REFERENCE_PAGE], current)}
${GROUPS.map(([name, pages]) => `<p>${name}</p>\n${list(pages, current)}`).join('\n')}
</nav>`;
}

function list(pages: readonly Page[], current: string): string {
  const items = pages.map(([path, title]) => `<li>${link(path, title, path === current)}`);
  return `<ul>\n${items.join('\n')}\n</ul>`;
}

/** Renders links to the previous and the next guide. */
export function neighbours(current: string): string {
  const guides = NAVIGATION.filter(([path]) => path !== REFERENCE);
  const index = guides.findIndex(([path]) => path === current);
  const before = guides[index - 1];
  const after = guides[index + 1];
  const links = [
    ...(before ? [neighbour(before, 'prev', 'Previous')] : []),
    ...(after ? [neighbour(after, 'next', 'Next')] : []),
  ];
  return `<nav class="neighbours" aria-label="Previous and next">\n${links.join('\n')}\n</nav>`;
}

function neighbour([path, title]: Page, rel: string, word: string): string {
  return `<a href="${path}" rel="${rel}"><small>${word}</small>${title}</a>`;
}

function link(path: string, title: string, isCurrent: boolean): string {
  return `<a href="${path}"${isCurrent ? ' aria-current="page"' : ''}>${title}</a>`;
}
