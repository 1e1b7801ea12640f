import type { HttpResponse } from '../http/response.ts';
import { assetResponse } from './asset.ts';
import { assets } from './assets.ts';
import { htmlPage } from './layout.ts';
import bundle from './reference/scalar-1.72.1.js.gz' with { type: 'file' };

/** The version is part of the path, and the file never changes: docs/decisions/0005. */
export const BUNDLE_PATH = '/docs/assets/scalar-1.72.1.js';

/** Scalar's own build, as it was published, compressed. Read when it is asked for. */
export function bundleResponse(): HttpResponse {
  const { headers, ...response } = assetResponse('scalar.js', Bun.file(bundle));
  return { ...response, headers: { ...headers, 'content-encoding': 'gzip' } };
}

/**
 * The reference page. Its test panel sends to this server, and to the origins of `baseUrls`: the
 * configured base addresses, which the document names as servers.
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
<noscript><main class="guide"><h1>Reference</h1><p>This page needs JavaScript. The document that it shows is <a
href="/openapi.json">openapi.json</a>.</p></main></noscript>
<script type="module" src="${assets.root}/reference/start.js"></script>`,
    policy: [
      "script-src 'self'",
      // Scalar sets style attributes and makes style elements as it runs.
      "style-src 'self' 'unsafe-inline'",
      ["connect-src 'self'", ...origins].join(' '),
    ],
  });
}
