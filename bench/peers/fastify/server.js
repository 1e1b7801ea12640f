/** `node server.js PORT DATABASE`: the work of our service on Fastify and `node:sqlite`. */
import { DatabaseSync } from 'node:sqlite';
import Fastify from 'fastify';
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
} from '../full-job.js';

const [port, path] = process.argv.slice(2);
const pets = openPets(new DatabaseSync(path));
const checkKey = createKeyCheck(pets.findKey);
const charge = createLimits();
const log = createLog();

const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1 },
    categoryId: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    status: { enum: STATUSES, default: 'available' },
  },
};
const pet = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    categoryId: { type: 'integer' },
    status: { type: 'string' },
  },
};

const app = Fastify({ bodyLimit: 65_536, ajv: { customOptions: { coerceTypes: false } } });

app.addHook('onRequest', async (request, reply) => {
  const now = Date.now();
  reply.headers(commonHeaders());
  request.key = checkKey(request.headers.authorization, now);
  if (request.key === undefined) {
    return reply.code(401).send({ message: 'Send a valid API key.' });
  }
  const { granted, headers } = charge(request.key, now);
  reply.headers(headers);
  if (!granted) return reply.code(429).send({ message: 'Wait until the limit resets.' });
});

app.addHook('onSend', async (request, reply, payload) => {
  if (request.method !== 'GET' || reply.statusCode !== 200) return payload;
  const tag = entityTag(payload);
  reply.header('etag', tag);
  if (request.headers['if-none-match'] !== tag) return payload;
  reply.code(304);
  return '';
});

app.addHook('onResponse', async ({ method, url, key }, reply) => {
  log({
    requestId: reply.getHeader('x-request-id'),
    keyId: key?.id,
    method,
    path: url,
    status: reply.statusCode,
    milliseconds: reply.elapsedTime,
  });
});

app.get(
  '/v1/pets',
  { schema: { response: { 200: { type: 'array', items: pet } } } },
  async (request, reply) => {
    const asked = listQuery(request.query);
    if (asked === undefined) return reply.code(400).send({ message: 'A parameter is invalid.' });
    const page = pets.list(asked);
    reply.headers(nextLink(asked, page));
    return page;
  },
);

app.get('/v1/pets/:id', { schema: { response: { 200: pet } } }, async (request, reply) => {
  const found = pets.find(Number(request.params.id));
  return found ?? reply.code(404).send({ message: 'There is no such animal.' });
});

app.post(
  '/v1/pets',
  { schema: { body: newPet, response: { 201: pet } } },
  async (request, reply) => {
    const created = pets.create(request.body, request.key.id);
    return reply.code(201).header('location', `/v1/pets/${created.id}`).send(created);
  },
);

await app.listen({ host: '127.0.0.1', port: Number(port) });
