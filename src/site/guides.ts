import adoptions from '../../docs/guides/adoptions.md' with { type: 'text' };
import assistants from '../../docs/guides/assistants.md' with { type: 'text' };
import authentication from '../../docs/guides/authentication.md' with { type: 'text' };
import browsers from '../../docs/guides/browsers.md' with { type: 'text' };
import changelog from '../../docs/guides/changelog.md' with { type: 'text' };
import changes from '../../docs/guides/changes.md' with { type: 'text' };
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
import paging from '../../docs/guides/paging.md' with { type: 'text' };
import people from '../../docs/guides/people.md' with { type: 'text' };
import photos from '../../docs/guides/photos.md' with { type: 'text' };
import publicPages from '../../docs/guides/public-pages.md' with { type: 'text' };
import index from '../../docs/guides/README.md' with { type: 'text' };
import retries from '../../docs/guides/retries.md' with { type: 'text' };
import webPages from '../../docs/guides/web-pages.md' with { type: 'text' };
import webhooks from '../../docs/guides/webhooks.md' with { type: 'text' };
import notices from '../../THIRD-PARTY-NOTICES.txt' with { type: 'file' };
import type { HttpResponse } from '../http/response.ts';
import { assets } from './assets.ts';
import { htmlPage } from './layout.ts';
import { escapeHtml, renderMarkdown, type Section } from './markdown.ts';
import { neighbours } from './navigation.ts';

/** The texts of the guides by path. A new guide needs a line here and one in the navigation. */
export const GUIDES: ReadonlyMap<string, string> = new Map([
  ['/docs/guides', index],
  ['/docs/getting-started', gettingStarted],
  ['/docs/web-pages', webPages],
  ['/docs/client', client],
  ['/docs/browsers', browsers],
  ['/docs/generated-clients', generatedClients],
  ['/docs/authentication', authentication],
  ['/docs/limits', limits],
  ['/docs/errors', errors],
  ['/docs/paging', paging],
  ['/docs/changes', changes],
  ['/docs/events', events],
  ['/docs/mirror', mirror],
  ['/docs/webhooks', webhooks],
  ['/docs/assistants', assistants],
  ['/docs/retries', retries],
  ['/docs/adoptions', adoptions],
  ['/docs/listings', listings],
  ['/docs/history', history],
  ['/docs/public-pages', publicPages],
  ['/docs/photos', photos],
  ['/docs/enquiries', enquiries],
  ['/docs/importing', importing],
  ['/docs/console', consoleGuide],
  ['/docs/people', people],
  ['/docs/deprecations', deprecations],
  ['/docs/changelog', changelog],
]);

/** The list of all guides. */
export const INDEX_PATH = '/docs/guides';

export const NOTICES_PATH = '/docs/notices';

/** The address in the texts. Pages show that of the service instead. */
const EXAMPLE_ADDRESS = 'http://127.0.0.1:8080';

/** Links at the end of a page. */
export const FOOTER = `<footer class="page-footer">
<a href="/docs">Reference</a>
<a href="/openapi.json">OpenAPI document</a>
<a href="/llms.txt">For assistants</a>
<a href="${NOTICES_PATH}">Notices</a>
</footer>`;

/** Returns the text of a guide with the address of the service. */
export function ofServer(text: string, baseUrl: string): string {
  return text.replaceAll(EXAMPLE_ADDRESS, baseUrl.replace(/\/v1$/, ''));
}

/** Renders the page of a guide. */
export function guidePage(path: string, text: string): HttpResponse {
  const { title, sections, html } = renderMarkdown(text);
  return htmlPage({
    path,
    title,
    stylesheets: ['guide-frame.css', 'guide.css', 'code.css'],
    main: `<main class="guide" id="main" tabindex="-1">
${contents(sections)}<article>
${html}</article>
${neighbours(path)}
${FOOTER}
</main>
<script type="module" src="${assets.root}/guide.js"></script>`,
    policy: ["script-src 'self'", "style-src 'self'"],
  });
}

const MISSING = `# Page not found

Its address may have changed. The [guides](/docs/guides) are for authors of clients, the [reference](/docs) has every operation, and
the [console](/console) is where the people of the shelter work.
`;

/** Renders the page for an address that has none. */
export function missingPage(): HttpResponse {
  return { ...guidePage('', MISSING), status: 404 };
}

/** A page with fewer sections needs no contents. */
const SECTIONS_MIN = 2;

/** Renders the contents of a page: a column if there is room, else a list behind a button. */
export function contents(sections: readonly Section[]): string {
  if (sections.length < SECTIONS_MIN) return '';
  const items = sections.map(
    ({ depth, id, title }) => `<li data-depth="${depth}"><a href="#${id}">${escapeHtml(title)}</a>`,
  );
  return `<button class="contents-menu" type="button" popovertarget="contents">On this page</button>
<nav class="contents" id="contents" aria-label="On this page" popover>
<p>On this page</p>
<ul>
${items.join('\n')}
</ul>
</nav>
`;
}

/** Returns the third-party notices of the service and its pages as text, read from their file. */
export function noticesResponse(): HttpResponse {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  return { status: 200, body: Bun.file(notices), headers };
}
