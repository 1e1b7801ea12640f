import { entityTag } from '../http/conditional.ts';
import type { HttpResponse } from '../http/response.ts';
import { assets } from './assets.ts';
import { navigation } from './navigation.ts';

/** What a page is made of. Texts are HTML. */
export interface PageParts {
  readonly path: string;
  readonly title: string;
  readonly stylesheets: readonly string[];
  /** The whole main part, its element included. */
  readonly main: string;
  /** What the page may load and send, besides its styles. */
  readonly policy: readonly string[];
}

/** What no page asks a browser for, so that nothing that gets into one can. */
const PERMISSIONS = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()';

/** An HTML page with the header that all have. Nothing of it comes from another host. */
export function htmlPage({ path, title, stylesheets, main, policy }: PageParts): HttpResponse {
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === 'Petstore' ? title : `${title} · Petstore`}</title>
<link rel="icon" href="${assets.root}/icon.svg" type="image/svg+xml">
${['page.css', ...stylesheets].map(stylesheet).join('\n')}
<a class="page-skip" href="#main">Skip to content</a>
${navigation(path)}
${main}
</html>
`;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      ...policy,
      "img-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': PERMISSIONS,
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    etag: entityTag(body),
  };
  return { status: 200, body, headers };
}

function stylesheet(name: string): string {
  return `<link rel="stylesheet" href="${assets.root}/${name}">`;
}
