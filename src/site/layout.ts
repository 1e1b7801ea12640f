import { entityTag, type HttpResponse } from '../http/response.ts';
import { assets } from './assets.ts';
import { navigation } from './navigation.ts';

/** The parts of a page. Texts are HTML. */
interface PageParts {
  readonly path: string;
  readonly title: string;
  readonly stylesheets: readonly string[];
  /** The main part, including its element. */
  readonly main: string;
  /** Directives of the content security policy for loading and sending. */
  readonly policy: readonly string[];
}

/** No page needs these, so injected code must not get them either. */
const PERMISSIONS = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()';

/** Renders an HTML page with the common page header. Nothing is loaded from another host. */
export function htmlPage({ path, title, stylesheets, main, policy }: PageParts): HttpResponse {
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === 'Petstore' ? title : `${title} · Petstore`}</title>
<link rel="icon" href="${assets.root}/icon.svg" type="image/svg+xml">
${['tokens.css', 'page.css', ...stylesheets].map(stylesheet).join('\n')}
<a class="page-skip" href="#main">Skip to content</a>
${navigation(path)}
${main}
</html>
`;
  return { status: 200, body, headers: pageHeaders(body, policy, "'self'") };
}

/** Returns the headers of a page. `policy` says what it may load, `forms` where forms may be sent. */
export function pageHeaders(
  body: string,
  policy: readonly string[],
  forms = "'none'",
): HttpResponse['headers'] {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      ...policy,
      "img-src 'self'",
      "base-uri 'none'",
      `form-action ${forms}`,
      "frame-ancestors 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': PERMISSIONS,
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    etag: entityTag(body),
  };
}

function stylesheet(name: string): string {
  return `<link rel="stylesheet" href="${assets.root}/${name}">`;
}
