// A page that shows the animals of a shelter.
//
//   PETSTORE_API_KEY=... node server.js
//
// The page asks this server, and only this server knows the key. It passes on what the page needs,
// reading what the public sees, and nothing else.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const {
  PETSTORE_API_KEY: key,
  PETSTORE_URL = 'http://127.0.0.1:8080/v1',
  PORT = '3000',
} = process.env;
if (!key) throw new Error('Set PETSTORE_API_KEY to an API key with the scope read.');

const page = readFileSync(new URL('index.html', import.meta.url));
const client = dirname(fileURLToPath(import.meta.resolve('petstore-client')));
const READABLE = /^\/v1\/listings(?:\/facets)?(?:\?|$)/;
const MODULE = /^\/client\/((?:[a-z-]+\/)*[a-z-]+\.js)$/;
const PASSED_ON = ['content-type', 'link', 'retry-after', 'x-request-id'];

/** Passes a request on, with the key, and its response back. */
async function passOn(target, response) {
  const answer = await fetch(PETSTORE_URL + target.slice('/v1'.length), {
    headers: { authorization: `Bearer ${key}` },
  });
  for (const name of [...PASSED_ON, ...limits(answer.headers)]) {
    const value = answer.headers.get(name);
    if (value !== null) response.setHeader(name, value);
  }
  response.writeHead(answer.status).end(await answer.text());
}

const limits = (headers) => [...headers.keys()].filter((name) => name.startsWith('x-ratelimit-'));

async function respond({ method, url = '/' }, response) {
  if (method !== 'GET' && method !== 'HEAD') {
    return response.writeHead(405, { allow: 'GET, HEAD' }).end();
  }
  if (/^\/(?:\?|$)/.test(url))
    return response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  if (READABLE.test(url)) return passOn(url, response);
  const [, module] = MODULE.exec(url) ?? [];
  if (module === undefined) return response.writeHead(404).end();
  const text = await readFile(join(client, module));
  return response.writeHead(200, { 'content-type': 'text/javascript' }).end(text);
}

const server = createServer((request, response) => {
  respond(request, response).catch((error) => {
    console.error(error.message);
    if (!response.headersSent) response.writeHead(502);
    response.end();
  });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`The animals are on http://127.0.0.1:${server.address().port}`);
});
