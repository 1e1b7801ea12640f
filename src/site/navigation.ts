import adoptions from '../../docs/guides/adoptions.md' with { type: 'text' };
import alerts from '../../docs/guides/alerts.md' with { type: 'text' };
import assistants from '../../docs/guides/assistants.md' with { type: 'text' };
import authentication from '../../docs/guides/authentication.md' with { type: 'text' };
import browsers from '../../docs/guides/browsers.md' with { type: 'text' };
import changelog from '../../docs/guides/changelog.md' with { type: 'text' };
import changes from '../../docs/guides/changes.md' with { type: 'text' };
import channels from '../../docs/guides/channels.md' with { type: 'text' };
import client from '../../docs/guides/client.md' with { type: 'text' };
import consoleGuide from '../../docs/guides/console.md' with { type: 'text' };
import deprecations from '../../docs/guides/deprecations.md' with { type: 'text' };
import enquiries from '../../docs/guides/enquiries.md' with { type: 'text' };
import errors from '../../docs/guides/errors.md' with { type: 'text' };
import events from '../../docs/guides/events.md' with { type: 'text' };
import generatedClients from '../../docs/guides/generated-clients.md' with { type: 'text' };
import gettingStarted from '../../docs/guides/getting-started.md' with { type: 'text' };
import history from '../../docs/guides/history.md' with { type: 'text' };
import importing from '../../docs/guides/importing.md' with { type: 'text' };
import limits from '../../docs/guides/limits.md' with { type: 'text' };
import listings from '../../docs/guides/listings.md' with { type: 'text' };
import mirror from '../../docs/guides/mirror.md' with { type: 'text' };
import otherSites from '../../docs/guides/other-sites.md' with { type: 'text' };
import paging from '../../docs/guides/paging.md' with { type: 'text' };
import people from '../../docs/guides/people.md' with { type: 'text' };
import photos from '../../docs/guides/photos.md' with { type: 'text' };
import publicPages from '../../docs/guides/public-pages.md' with { type: 'text' };
import python from '../../docs/guides/python.md' with { type: 'text' };
import index from '../../docs/guides/README.md' with { type: 'text' };
import retries from '../../docs/guides/retries.md' with { type: 'text' };
import webPages from '../../docs/guides/web-pages.md' with { type: 'text' };
import webhooks from '../../docs/guides/webhooks.md' with { type: 'text' };
import { assets } from './assets.ts';
import { SEARCH_PATH } from './site.ts';

type Page = readonly [path: string, title: string];
type Guide = readonly [...Page, text: string];

const REFERENCE_PAGE: Page = ['/docs', 'Reference'];
/** The list of all guides. */
export const INDEX_PATH = '/docs/guides';
const INDEX_PAGE: Page = [INDEX_PATH, 'Overview'];

/** The guides in reading order, grouped as on the first page. A new guide needs a line here. */
const GROUPS: readonly (readonly [name: string, guides: readonly Guide[]])[] = [
  [
    'Start',
    [
      ['/docs/getting-started', 'Getting started', gettingStarted],
      ['/docs/authentication', 'Authentication', authentication],
      ['/docs/web-pages', 'Web pages', webPages],
      ['/docs/client', 'TypeScript client', client],
      ['/docs/python', 'Python client', python],
      ['/docs/browsers', 'From a browser', browsers],
      ['/docs/generated-clients', 'Generated clients', generatedClients],
    ],
  ],
  [
    'Do',
    [
      ['/docs/paging', 'Paging', paging],
      ['/docs/adoptions', 'Adoptions', adoptions],
      ['/docs/changes', 'Changes', changes],
      ['/docs/listings', 'Profiles and listings', listings],
      ['/docs/public-pages', 'Public pages', publicPages],
      ['/docs/other-sites', 'Other sites', otherSites],
      ['/docs/photos', 'Photos', photos],
      ['/docs/enquiries', 'Enquiries', enquiries],
      ['/docs/alerts', 'Alerts', alerts],
      ['/docs/importing', 'Importing files', importing],
      ['/docs/channels', 'Channels', channels],
      ['/docs/assistants', 'Assistants', assistants],
    ],
  ],
  [
    'Stay in step',
    [
      ['/docs/events', 'Events', events],
      ['/docs/mirror', 'Mirror', mirror],
      ['/docs/webhooks', 'Webhooks', webhooks],
    ],
  ],
  [
    'Be robust',
    [
      ['/docs/errors', 'Errors', errors],
      ['/docs/limits', 'Limits', limits],
      ['/docs/retries', 'Retries', retries],
    ],
  ],
  [
    'About',
    [
      ['/docs/console', 'Console', consoleGuide],
      ['/docs/people', 'People', people],
      ['/docs/history', 'Who did what', history],
      ['/docs/deprecations', 'Deprecations', deprecations],
      ['/docs/changelog', 'Changelog', changelog],
    ],
  ],
];

/** The pages in reading order. */
export const NAVIGATION: readonly Page[] = [
  INDEX_PAGE,
  REFERENCE_PAGE,
  ...GROUPS.flatMap(([, guides]) => guides.map(([path, title]): Page => [path, title])),
];

/** The texts of the guides by path. */
export const GUIDES: ReadonlyMap<string, string> = new Map([
  [INDEX_PATH, index],
  ...GROUPS.flatMap(([, guides]) => guides.map(([path, , text]) => [path, text] as const)),
]);

const REFERENCE = '/docs';
const CONSOLE = '/console';

/**
 * Renders the bar at the top of a page and the list of all pages. The list is a column beside a
 * guide if there is room; else a button with the name of the current page opens it.
 */
export function navigation(current: string): string {
  const name = NAVIGATION.find(([path]) => path === current)?.[1] ?? 'Guides';
  const part = current === REFERENCE ? REFERENCE : INDEX_PATH;
  return `<nav class="page-header" aria-label="Site">
<a class="page-brand" href="/"><img src="${assets.root}/icon.svg" width="20" height="20" alt="">Petstore</a>
<button class="page-menu" type="button" popovertarget="pages">${name}</button>
<ul class="page-parts">
<li>${link(INDEX_PATH, 'Guides', part === INDEX_PATH)}
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

function list(pages: readonly (Page | Guide)[], current: string): string {
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
