// A page that shows the animals of a shelter, and takes requests to adopt them.
//
//   PETSTORE_API_KEY=... node server.mjs
//
// The page asks this server, and only this server knows the key. It passes on what the page needs,
// reading what the public sees and placing an adoption, and nothing else.
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
if (!key) throw new Error('Set PETSTORE_API_KEY to an API key with the scope adopt.');

const page = readFileSync(new URL('index.html', import.meta.url));
const client = dirname(fileURLToPath(import.meta.resolve('petstore-client')));
const PAGE = /^\/(?:\?|$)/;
const LISTINGS = /^\/v1\/listings(?:\/facets)?(?:\?|$)/;
const ORDERS = '/v1/store/orders';
const MODULE = /^\/client\/((?:[a-z-]+\/)*[a-z-]+\.js)$/;
const PASSED_ON = ['content-type', 'link', 'retry-after', 'x-request-id'];
const BODY_MAX = 16_384;

/** Passes a request on, with the key, and its response back. */
async function passOn(url, init, response) {
  const headers = { ...init.headers, authorization: `Bearer ${key}` };
  const answer = await fetch(PETSTORE_URL + url.slice('/v1'.length), { ...init, headers });
  for (const name of [...PASSED_ON, ...limits(answer.headers)]) {
    const value = answer.headers.get(name);
    if (value !== null) response.setHeader(name, value);
  }
  response.writeHead(answer.status).end(await answer.text());
}

const limits = (headers) => [...headers.keys()].filter((name) => name.startsWith('x-ratelimit-'));

/** Places an adoption. A page of another origin cannot: browsers ask before they send JSON there. */
async function place(request, response) {
  const { 'content-type': type = '', 'idempotency-key': idempotencyKey } = request.headers;
  if (!/^application\/json\s*(?:;|$)/.test(type)) return response.writeHead(415).end();
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > BODY_MAX) return response.writeHead(413, { connection: 'close' }).end();
    chunks.push(chunk);
  }
  // The same key again: the page did not get the response, so it asks once more.
  const headers = {
    'content-type': type,
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
  };
  return passOn(ORDERS, { method: 'POST', headers, body: Buffer.concat(chunks) }, response);
}

async function respond(request, response) {
  const { method, url = '/' } = request;
  const allowed = url === ORDERS ? ['POST'] : ['GET', 'HEAD'];
  if (!allowed.includes(method))
    return response.writeHead(405, { allow: allowed.join(', ') }).end();
  if (url === ORDERS) return place(request, response);
  if (PAGE.test(url)) return response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  if (LISTINGS.test(url)) return passOn(url, {}, response);
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
