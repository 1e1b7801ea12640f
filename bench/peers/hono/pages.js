/** `bun pages.js PORT DATABASE`: our public pages on Hono, read and rendered for each request. */
import { Hono } from 'hono';
import { createPublicPages } from '../../../src/api/adopt/pages.ts';
import { openStorage } from '../../../src/storage/open.ts';

const [port, path] = process.argv.slice(2);
const storage = await openStorage(`sqlite:${path}`, 'production');
const root = `http://127.0.0.1:${port}`;
const sources = { storage, baseUrl: `${root}/v1`, pagesRoot: root, takesEnquiries: true };
const pages = createPublicPages(sources);
const app = new Hono();

app.get('/livez', (context) => context.text('ok'));
app.get('/adopt/*', async (context) => {
  const { pathname, search } = new URL(context.req.url);
  const language = pages.languageOf(search.slice(1), context.req.header('accept-language') ?? null);
  const ask = { path: pathname, query: search.slice(1), language, at: Date.now() };
  const { response } = await pages.write(ask);
  return context.body(response.body, response.status, response.headers);
});

Bun.serve({ port: Number(port), hostname: '127.0.0.1', fetch: app.fetch });
