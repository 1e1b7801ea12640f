/** `bun server.js PORT DATABASE`: the work of our service on Hono and `bun:sqlite`. */
import { Database } from 'bun:sqlite';
import { Hono } from 'hono';
import {
  commonHeaders,
  createKeyCheck,
  createLimits,
  createLog,
  entityTag,
  listQuery,
  nextLink,
  openPets,
  STATUSES,
} from './full-job.js';
import { openListings } from './pages.js';

const [port, path] = process.argv.slice(2);
const database = new Database(path);
const pets = openPets(database);
const listings = openListings(database);
const checkKey = createKeyCheck(pets.findKey);
const charge = createLimits();
const log = createLog();
const app = new Hono();

app.use(async (context, next) => {
  const start = performance.now();
  const now = Date.now();
  const own = commonHeaders();
  const key = checkKey(context.req.header('authorization'), now);
  const allowance = key === undefined ? undefined : charge(key, now);
  for (const [name, value] of Object.entries({ ...own, ...allowance?.headers })) {
    context.header(name, value);
  }
  if (allowance === undefined) context.res = refuse(context, 401, 'Send a valid API key.');
  else if (!allowance.granted) context.res = refuse(context, 429, 'Wait until the limit resets.');
  else {
    await next();
  }
  log({
    requestId: own['x-request-id'],
    keyId: key?.id,
    method: context.req.method,
    path: context.req.path,
    status: context.res.status,
    milliseconds: performance.now() - start,
  });
});

app.get('/v1/pets', (context) => {
  const asked = listQuery(context.req.query());
  if (asked === undefined) return refuse(context, 400, 'A parameter is invalid.');
  const page = pets.list(asked);
  for (const [name, value] of Object.entries(nextLink(asked, page))) context.header(name, value);
  return tagged(context, page);
});

app.get('/v1/pets/:id', (context) => {
  const pet = pets.find(Number(context.req.param('id')));
  return pet ? tagged(context, pet) : refuse(context, 404, 'There is no such animal.');
});

app.post('/v1/pets', async (context) => {
  const pet = newPetOf(await context.req.text());
  if (pet === undefined) return refuse(context, 400, 'Send name, categoryId and status.');
  const created = pets.create(pet);
  context.header('location', `/v1/pets/${created.id}`);
  return context.json(created, 201);
});

app.patch('/v1/pets/:id', async (context) => {
  const { status } = await context.req.json();
  if (!STATUSES.includes(status)) return refuse(context, 400, 'Send a status.');
  return context.json(pets.update(Number(context.req.param('id')), status));
});

app.get('/v1/listings', (context) => tagged(context, listings.list(context.req.query())));
app.get('/adopt', (context) => context.html(listings.listPage(context.req.query())));
app.get('/adopt/:id/:name', (context) => {
  const page = listings.animalPage(Number(context.req.param('id')));
  return page ? context.html(page) : refuse(context, 404, 'There is no such animal.');
});

function refuse(context, status, message) {
  return context.json({ message }, status);
}

function tagged(context, value) {
  const text = JSON.stringify(value);
  const tag = entityTag(text);
  context.header('etag', tag);
  if (context.req.header('if-none-match') === tag) return context.body(null, 304);
  context.header('content-type', 'application/json');
  return context.body(text);
}

/** Returns the animal in a body, or undefined if it is not one. */
function newPetOf(text) {
  try {
    const { name, categoryId, status = 'available', ...others } = JSON.parse(text);
    const isName = typeof name === 'string' && name !== '';
    const isCategory = Number.isSafeInteger(categoryId) && categoryId > 0;
    if (!isName || !isCategory || !STATUSES.includes(status)) return undefined;
    return Object.keys(others).length === 0 ? { name, categoryId, status } : undefined;
  } catch {
    return undefined;
  }
}

Bun.serve({ hostname: '127.0.0.1', port: Number(port), fetch: app.fetch });
