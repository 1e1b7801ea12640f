import type { HttpResponse } from '../http/response.ts';
import { assetResponse, assets } from './assets.ts';
import { htmlPage } from './layout.ts';
import bundle from './reference/scalar-1.72.1.js.gz' with { type: 'file' };

/** The path contains the version, and the file never changes: docs/decisions/0003. */
export const BUNDLE_PATH = '/docs/assets/scalar-1.72.1.js';

/** Returns Scalar's own build as published, compressed. */
export function bundleResponse(): HttpResponse {
  const { headers, ...response } = assetResponse('scalar.js', Bun.file(bundle));
  return { ...response, headers: { ...headers, 'content-encoding': 'gzip' } };
}

/**
 * Renders the reference page. Its test panel sends to this server and to the origins of `baseUrls`,
 * the configured base addresses that the document lists as servers.
 */
export function referencePage(baseUrls: readonly (string | undefined)[]): HttpResponse {
  const configured = baseUrls.filter((url) => url !== undefined);
  const origins = new Set(configured.map((url) => new URL(url).origin));
  return htmlPage({
    path: '/docs',
    title: 'Reference',
    stylesheets: ['reference/theme.css'],
    main: `<link rel="preload" href="${BUNDLE_PATH}" as="script">
<link rel="preload" href="/openapi.json" as="fetch" crossorigin>
<div id="main" tabindex="-1"><div id="reference" data-bundle="${BUNDLE_PATH}"></div></div>
<noscript><main class="guide"><h1>Reference</h1><p>This page needs JavaScript. It shows the document <a
href="/openapi.json">openapi.json</a>.</p></main></noscript>
<script type="module" src="${assets.root}/reference/start.js"></script>`,
    policy: [
      "script-src 'self'",
      // Scalar sets style attributes and creates style elements at run time.
      "style-src 'self' 'unsafe-inline'",
      ["connect-src 'self'", ...origins].join(' '),
    ],
  });
}
