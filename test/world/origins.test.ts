import { beforeAll, describe, expect, test } from 'bun:test';
import { HEADERS, message } from '../mcp/connect.ts';
import { addListed } from '../support/enquiries.ts';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';
import { createVisitor } from '../support/visitor.ts';

/*
 * Every call outside `/v1` that changes something for the cookie of somebody, or takes a form of a stranger, sent as
 * pages of other sites make their visitors send it. Those under `/v1` are in every-response.test.ts, one by one.
 */

let cookie: string;
let ids: { readonly session: string; readonly petId: bigint };
const petstore = forAllTests(() =>
  startPetstore({
    settings: {
      PETSTORE_CORS_ORIGINS: 'https://shop.example',
      PETSTORE_SMTP: 'smtp://127.0.0.1:9',
      PETSTORE_MAIL_FROM: 'shop@example.org',
      PETSTORE_NOTIFY: 'staff@example.org',
    },
  }),
);
beforeAll(async () => {
  const visitor = createVisitor(() => petstore.url);
  await visitor.signIn(petstore.admin.key);
  cookie = visitor.cookie() ?? '';
  const [session] = JSON.parse((await visitor.get('/console/sessions')).text);
  ids = { session: session.id, petId: await addListed(petstore.storage) };
});

const JSON_BODY = { 'content-type': 'application/json' };
const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' };
const CALLS: readonly (readonly [string, () => string, Record<string, string>, string?])[] = [
  ['POST', () => '/console/session', JSON_BODY, '{"email":"a@example.org","password":"x"}'],
  ['DELETE', () => '/console/session', {}],
  ['POST', () => '/console/invitation', JSON_BODY, '{"invitation":"x","password":"long enough"}'],
  ['POST', () => '/console/password', JSON_BODY, '{"current":"x","password":"long enough"}'],
  ['POST', () => '/console/language', JSON_BODY, '{"language":"de"}'],
  ['DELETE', () => `/console/sessions/${ids.session}`, {}],
  [
    'POST',
    () => `/adopt/${ids.petId}/enquiry`,
    FORM_BODY,
    'name=Kim&email=a@example.org&message=Hi',
  ],
  ['POST', () => '/adopt/alerts', FORM_BODY, 'email=a@example.org&consent=yes'],
  ['POST', () => '/mcp', HEADERS, message('tools/list')],
];
const SENDERS = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'same-site', origin: 'https://shop.example' },
  { origin: 'https://evil.example' },
  { origin: 'https://shop.example' },
  { origin: 'null' },
];

describe.each(CALLS)('%s %s', (method, path, headers, body) => {
  test.each(SENDERS)('refuses a page of %j', async (sender) => {
    const response = await fetch(petstore.url + path(), {
      method,
      headers: { cookie, ...headers, ...sender },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    });
    expect([401, 403]).toContain(response.status);
    expect(response.headers.get('set-cookie')).toBeNull();
  });
});

test('nothing has changed, and the same calls of our own pages get further', async () => {
  const own = { cookie, 'sec-fetch-site': 'same-origin', origin: petstore.url };
  const ask = (path: string) => fetch(petstore.url + path, { headers: own });
  expect(JSON.parse(await (await ask('/console/sessions')).text())).toHaveLength(1);
  expect((await petstore.writer.get('/v1/enquiries')).text).toBe('[]');
  expect(await petstore.database.sql('SELECT * FROM alerts')).toEqual([]);
  for (const [method, path, headers, body] of CALLS.toReversed()) {
    const init = { method, headers: { ...own, ...headers }, redirect: 'manual' } as const;
    const { status, headers: got } = await fetch(petstore.url + path(), {
      ...init,
      ...(body !== undefined && { body }),
    });
    const type = got.get('content-type') ?? '';
    expect([path(), status === 403, type.includes('json') && status === 404]).toEqual([
      path(),
      false,
      false,
    ]);
  }
});
