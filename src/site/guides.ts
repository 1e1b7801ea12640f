import adoptions from '../../docs/guides/adoptions.md' with { type: 'text' };
import authentication from '../../docs/guides/authentication.md' with { type: 'text' };
import changelog from '../../docs/guides/changelog.md' with { type: 'text' };
import changes from '../../docs/guides/changes.md' with { type: 'text' };
import client from '../../docs/guides/client.md' with { type: 'text' };
import consoleGuide from '../../docs/guides/console.md' with { type: 'text' };
import deprecations from '../../docs/guides/deprecations.md' with { type: 'text' };
import errors from '../../docs/guides/errors.md' with { type: 'text' };
import events from '../../docs/guides/events.md' with { type: 'text' };
import generatedClients from '../../docs/guides/generated-clients.md' with { type: 'text' };
import gettingStarted from '../../docs/guides/getting-started.md' with { type: 'text' };
import importing from '../../docs/guides/importing.md' with { type: 'text' };
import limits from '../../docs/guides/limits.md' with { type: 'text' };
import mirror from '../../docs/guides/mirror.md' with { type: 'text' };
import paging from '../../docs/guides/paging.md' with { type: 'text' };
import welcome from '../../docs/guides/README.md' with { type: 'text' };
import retries from '../../docs/guides/retries.md' with { type: 'text' };
import webhooks from '../../docs/guides/webhooks.md' with { type: 'text' };
import type { HttpResponse } from '../http/response.ts';
import { assets } from './assets.ts';
import { contents } from './contents.ts';
import { htmlPage } from './layout.ts';
import { renderMarkdown } from './markdown.ts';
import { neighbours } from './navigation.ts';
import { NOTICES_PATH } from './notices.ts';

/** The texts of the guides by path. A new guide needs a line here and one in the navigation. */
export const GUIDES: ReadonlyMap<string, string> = new Map([
  ['/', welcome],
  ['/docs/getting-started', gettingStarted],
  ['/docs/client', client],
  ['/docs/generated-clients', generatedClients],
  ['/docs/authentication', authentication],
  ['/docs/limits', limits],
  ['/docs/errors', errors],
  ['/docs/paging', paging],
  ['/docs/changes', changes],
  ['/docs/events', events],
  ['/docs/mirror', mirror],
  ['/docs/webhooks', webhooks],
  ['/docs/retries', retries],
  ['/docs/adoptions', adoptions],
  ['/docs/importing', importing],
  ['/docs/console', consoleGuide],
  ['/docs/deprecations', deprecations],
  ['/docs/changelog', changelog],
]);

/** The base address in the texts. Pages show that of the service instead. */
const EXAMPLE_BASE_URL = 'http://127.0.0.1:8080/v1';

const FOOTER = `<footer class="page-footer">
<a href="/docs">Reference</a>
<a href="/openapi.json">OpenAPI document</a>
<a href="${NOTICES_PATH}">Notices</a>
</footer>`;

/** Renders the page of a guide. */
export function guidePage(path: string, text: string, baseUrl: string): HttpResponse {
  const { title, sections, html } = renderMarkdown(text.replaceAll(EXAMPLE_BASE_URL, baseUrl));
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
