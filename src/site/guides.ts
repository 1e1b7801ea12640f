import notices from '../../THIRD-PARTY-NOTICES.txt' with { type: 'file' };
import type { HttpResponse } from '../http/response.ts';
import { assets } from './assets.ts';
import { htmlPage } from './layout.ts';
import { escapeHtml, renderMarkdown, type Section } from './markdown.ts';
import { neighbours } from './navigation.ts';

export const NOTICES_PATH = '/docs/notices';

/** The address in the texts. Pages show that of the service instead. */
const EXAMPLE_ADDRESS = 'http://127.0.0.1:8080';
/** The same in a Host header. */
const EXAMPLE_HOST = '127.0.0.1:8080';

/** Links at the end of a page. */
export const FOOTER = `<footer class="page-footer">
<a href="/docs">Reference</a>
<a href="/openapi.json">OpenAPI document</a>
<a href="/llms.txt">For assistants</a>
<a href="${NOTICES_PATH}">Notices</a>
</footer>`;

/** Says how the example after it is tested. */
const TEST_COMMENT = /^ *<!-- run: .* -->\n/gm;

/** Returns the text of a guide with the address of the service. */
export function ofServer(text: string, baseUrl: string): string {
  const root = baseUrl.replace(/\/v1$/, '');
  return text
    .replace(TEST_COMMENT, '')
    .replaceAll(EXAMPLE_ADDRESS, root)
    .replaceAll(EXAMPLE_HOST, new URL(root).host);
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
