import { entityTag, type HttpResponse } from '../../http/response.ts';
import { assetResponse } from '../assets.ts';
import { pageHeaders } from '../layout.ts';
import { type ConsoleFile, consoleFiles } from './files.ts';

/** The paths of the console's pages. The program in the browser shows the page of the path. */
export const CONSOLE_PATHS: readonly string[] = [
  '/console',
  '/console/animals',
  '/console/adoptions',
  '/console/enquiries',
  '/console/categories',
  '/console/import',
  '/console/shop',
  '/console/year',
  '/console/activity',
  '/console/keys',
  '/console/people',
  '/console/account',
  '/console/invitation',
  '/console/webhooks',
  '/console/channels',
];

/** Returns the pages and assets of the console by path. */
export async function createConsole(): Promise<ReadonlyMap<string, HttpResponse>> {
  const files = await Promise.all((await consoleFiles()).map(tagged));
  const root = `/console/assets/${entityTag(files.map(({ tag }) => tag).join()).slice(1, -1)}`;
  const page = pageResponse(root);
  return new Map([
    ...CONSOLE_PATHS.map((path) => [path, page] as const),
    ...files.map((file) => [`${root}/${file.name}`, fileResponse(file)] as const),
  ]);
}

interface TaggedFile extends ConsoleFile {
  readonly tag: string;
}

async function tagged(file: ConsoleFile): Promise<TaggedFile> {
  const hash = Bun.hash.wyhash(await file.gzip.bytes());
  return { ...file, tag: `"${hash.toString(16).padStart(16, '0')}"` };
}

function fileResponse({ name, gzip, brotli, tag }: TaggedFile): HttpResponse {
  const { headers, ...response } = assetResponse(name, gzip);
  return { ...response, brotli, headers: { ...headers, 'content-encoding': 'gzip', etag: tag } };
}

function pageResponse(root: string): HttpResponse {
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Petstore</title>
<link rel="icon" href="${root}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}/console.css">
<script type="module" src="${root}/main.js"></script>
<div id="console"></div>
<noscript><main class="page"><h1>Petstore</h1><p>The console needs JavaScript. Switch it on, or use the
<a href="/docs">interface</a>.</p></main></noscript>
</html>
`;
  const policy = ["script-src 'self'", "style-src 'self'", "connect-src 'self'"];
  return { status: 200, body, headers: pageHeaders(body, policy) };
}
