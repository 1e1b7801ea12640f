import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { generateKey } from '../../src/domain/api-key.ts';
import { runPetstore } from '../support/command-line.ts';
import { sendRaw } from '../support/raw-connection.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';

/*
 * Secrets are planted wherever a client or the operator can put one, and looked for in all
 * output: the log, the bodies and headers of responses, and the metrics.
 */

const MARK = 'hush-hush';
const DATABASE_PASSWORD = 'opensesame7';

let petstore: TestPetstore;
let keys: readonly string[];
const responses: string[] = [];

const newKey = (environment: 'production' | 'staging') =>
  generateKey(environment, (count) => crypto.getRandomValues(new Uint8Array(count)));

/** Every header that the service reads, and some that carry secrets elsewhere. */
const FIELDS = [
  ...['Authorization', 'Proxy-Authorization', 'Cookie', 'X-Api-Key', 'X-Request-Id', 'Origin'],
  ...['If-None-Match', 'If-Match', 'Idempotency-Key', 'Content-Type', 'Content-Encoding', 'Accept'],
  ...['Accept-Encoding', 'X-Forwarded-For', 'Forwarded', 'User-Agent', 'Referer', 'Host', 'Expect'],
  ...['Access-Control-Request-Method', 'Access-Control-Request-Headers', 'Traceparent', 'X-Other'],
];
const TARGETS = ['/v1/pets', '/v1/pets/7', '/v1/nothing', '/livez', '/docs', '/nothing'];

/** Sends a raw request and stores the response. */
async function plant(method: string, target: string, fields: string[], body = ''): Promise<void> {
  const hasHost = fields.some((field) => /^host:/i.test(field));
  const all = [...(hasHost ? [] : ['Host: a']), ...fields, `Content-Length: ${body.length}`];
  const request = `${method} ${target} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n${body}`;
  const response = await sendRaw(petstore.port, request);
  if (response === undefined) return;
  // A client may read what it requested, so that is no leak: only refusals must not repeat it.
  const isRefusal = response.status >= 400;
  responses.push(JSON.stringify([...response.headers]), isRefusal ? response.body : '');
}

async function plantEverywhere(secret: string, auth: string): Promise<void> {
  const encoded = encodeURIComponent(secret);
  for (const target of TARGETS) {
    for (const field of FIELDS) {
      await plant('GET', target, [
        ...(field === 'Authorization' ? [] : [auth]),
        `${field}: ${secret}`,
      ]);
    }
    await plant('GET', target, [`Authorization: Bearer ${secret}`]);
    await plant('GET', target, [`Authorization: Basic ${secret}`]);
    const queries = [
      'api_key=',
      'key=',
      'access_token=',
      'limit=',
      'id=',
      'cursor=',
      'status=',
      '',
    ];
    for (const name of queries) await plant('GET', `${target}?${name}${encoded}`, [auth]);
  }
  const json = [auth, 'Content-Type: application/json'];
  const fields = [
    'name',
    'categoryId',
    'status',
    'adopter',
    'contact',
    'note',
    'petId',
    'key',
    secret,
  ];
  for (const path of ['/v1/pets', '/v1/categories', '/v1/store/orders']) {
    for (const field of fields) {
      const body = { name: 'Rex', categoryId: 1, petId: -1, [field]: [secret] };
      await plant('POST', path, json, JSON.stringify(body));
    }
    await plant('POST', path, json, secret);
    await plant('POST', path, [auth, `Content-Type: ${secret}`], secret);
  }
}

beforeAll(async () => {
  petstore = await startPetstore({ settings: { PETSTORE_CORS_ORIGINS: 'https://a.example' } });
  const own = petstore.admin.key ?? '';
  const wrong = `${own.slice(0, -1)}${own.endsWith('0') ? '1' : '0'}`;
  keys = [own, wrong, newKey('production'), newKey('staging')];
  const auth = `Authorization: Bearer ${own}`;
  for (const secret of [...keys, MARK]) await plantEverywhere(secret, auth);
  // In a path, only a key can be told from an animal that does not exist.
  for (const key of keys) {
    for (const text of [key, key.replaceAll('_', '%5F'), `a${key}b`]) {
      await plant('GET', `/v1/pets/${text}`, [auth]);
      await plant('GET', `/${text}`, []);
    }
  }
  await breakDown(auth);
}, 60_000);
afterAll(() => petstore?.[Symbol.asyncDispose]());

/** Makes requests with secrets fail inside, so that database errors are logged. */
async function breakDown(auth: string): Promise<void> {
  const json = [auth, 'Content-Type: application/json', 'Idempotency-Key: 1', `Cookie: ${MARK}`];
  const request = (path: string, body: object) =>
    plant(
      'POST',
      `${path}?api_key=${keys[2]}`,
      [...json, `X-Request-Id: ${keys[0]}`],
      JSON.stringify(body),
    );
  for (const table of ['pets', 'orders', 'categories']) {
    await petstore.database.sql(`ALTER TABLE ${table} RENAME TO hidden_${table}`);
    await request('/v1/pets', { name: MARK, categoryId: 1 });
    await request('/v1/categories', { name: MARK });
    await request('/v1/store/orders', { petId: 1, adopter: MARK, contact: MARK, note: MARK });
    await petstore.database.sql(`ALTER TABLE hidden_${table} RENAME TO ${table}`);
  }
}

describe('secrets that were planted everywhere', () => {
  /** The random part of a key. */
  const cores = () => keys.map((key) => key.slice(key.lastIndexOf('_') + 1, -6));

  test('are not in the log', () => {
    const log = petstore.log.join('');
    expect(log).toContain('"err"');
    expect(log).toContain('petstore_live_...');
    for (const secret of [...cores(), 'Bearer', 'api_key']) expect(log).not.toContain(secret);
    // It was sent in X-Request-Id, which the log is meant to contain.
    const others = petstore.log.filter((line) => JSON.parse(line).requestId !== MARK);
    expect(others.join('')).not.toContain(MARK);
  });

  test('are in no header and no body of a refusal', () => {
    // The caller's own words, which these headers repeat.
    const repeated = new RegExp(`\\["x-(?:request-id|ignored-parameters)","${MARK}"\\]`, 'g');
    const text = responses.join('\n').replaceAll(repeated, '');
    expect(text).toContain('invalid_api_key');
    expect(text).toContain('internal_error');
    for (const secret of [...cores(), MARK]) expect(text).not.toContain(secret);
  });

  test('are not in the metrics', async () => {
    const metrics = await (await fetch(petstore.metricsUrl ?? '')).text();
    expect(metrics).toContain('petstore_');
    for (const secret of [...cores(), MARK]) expect(metrics).not.toContain(secret);
  });

  test('leave no control character for a terminal in a response', () => {
    for (const text of responses) expect(text).not.toMatch(/\p{Cc}/u);
  });
});

test('a request id that holds a key is replaced', async () => {
  const key = keys[0] ?? '';
  for (const id of [key, `my-${key}`]) {
    const { headers } = await petstore.anonymous.get('/v1/pets', { 'x-request-id': id });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  }
});

describe('the password in the address of', () => {
  const unreachable = `postgres://operator:${DATABASE_PASSWORD}@127.0.0.1:1/petstore`;

  test.each([
    ['a database that cannot be reached', { PETSTORE_DATABASE: unreachable }],
    ['a database of another kind', { PETSTORE_DATABASE: unreachable.replace('postgres', 'mysql') }],
    ['a database with a blank in it', { PETSTORE_DATABASE: unreachable.replace('7@', '7 x@') }],
    ['a database without slashes', { PETSTORE_DATABASE: unreachable.replace('//', '') }],
    [
      'a database, as a parameter',
      { PETSTORE_DATABASE: `postgres:?password=${DATABASE_PASSWORD}` },
    ],
    ['limits of another kind', { PETSTORE_LIMITS: unreachable }],
  ])('%s is not shown', async (_, settings) => {
    const { exitCode, stdout, stderr } = await runPetstore(['serve', '--port', '0'], {
      PETSTORE_DATABASE: 'sqlite::memory:',
      PETSTORE_OPS_PORT: 'off',
      ...settings,
    });
    expect(exitCode).toBe(1);
    expect(stderr).not.toBe('');
    expect(stdout + stderr).not.toContain(DATABASE_PASSWORD);
  });
});
