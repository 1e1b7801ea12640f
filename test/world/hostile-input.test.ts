import { describe, expect, test } from 'bun:test';
import { API_ROOT } from '../../src/api/pipeline/target-cache.ts';
import { listingFilters } from '../../src/api/resources/listing-query.ts';
import { operations } from '../../src/api/resources/operations.ts';
import { tools } from '../../src/mcp/assistants.ts';
import { type Sample, sampleOf, sendSample } from '../contract/samples.ts';
import type { DocumentPart } from '../contract/schema-check.ts';
import { document, member } from '../contract/violations.ts';
import { HEADERS, message } from '../mcp/connect.ts';
import { addListed } from '../support/enquiries.ts';
import { eventually } from '../support/eventually.ts';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';

/*
 * Hostile values in every parameter and every member of every operation: each is answered, as the document says,
 * and none by a fault of the service. The test client checks each response against the document.
 */

const petstore = forAllTests(() => startPetstore({ settings: { PETSTORE_ADOPT: 'on' } }));

/** Texts that an engine, a format or a search may not take. */
const TEXTS = [
  ...['\0', 'a\0b', '\u0001', '\ufeff', '\u{10ffff}', 'a\u0301'.repeat(60), '%', '_', '\\', `'"`],
  ...['""', '*', '-', 'a*', '(', 'NEAR', '$1', '?1', '../..', ',', 'dog,\0', '\r\n'],
  ...['-1', '0', '1e400', '9223372036854775807', '-9223372036854775808', '9223372036854775808'],
  ...['1970-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
  ...['9999-12-31T23:59:59-23:59', '0000-01-01T00:00:00+23:59', '10000-01-01T00:00:00Z'],
  ...['0000-01-01', '9999-12-31', '10000-01-01', '2027-02-30'],
  'x'.repeat(2_000),
];

/** The same as JSON, and what is no text. */
const VALUES = [
  ...TEXTS.map((text) => JSON.stringify(text)),
  ...['"\\ud800"', 'null', 'true', '[]', '[null]', '{}', '{"\\u0000":"\\u0000"}', '["\\u0000"]'],
  ...['0', '-1', '1.5', '1e400', '9223372036854775807', '9223372036854775808'],
];

const PLACE = '\u{f0000}';

type Path = readonly string[];

/** The paths of all members of a schema, of the first of several alternatives. */
function membersOf(schema: DocumentPart | undefined, path: Path = []): Path[] {
  const [first] = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => {
    const options = schema?.[name];
    return Array.isArray(options) ? [member({ option: options[0] ?? null }, 'option')] : [];
  });
  if (first !== undefined) return membersOf(first, path);
  const properties = member(schema, 'properties');
  const items = member(schema, 'items');
  const inItems = items === undefined ? [] : membersOf(items, [...path, '0']);
  return [
    ...Object.keys(properties ?? {}).flatMap((name) => [
      [...path, name],
      ...membersOf(member(properties, name), [...path, name]),
    ]),
    ...inItems,
  ];
}

/** A JSON text with one of its members replaced by another JSON text. */
function replaced(body: string, [name = '', ...rest]: Path, value: string): string {
  const parts = JSON.parse(body || '{}', (_, part, context?: { source: string }) =>
    typeof part === 'number' ? JSON.rawJSON(context?.source ?? '') : part,
  );
  const inner = JSON.stringify(parts?.[name] ?? (rest[0] === '0' ? [] : {}));
  const next = rest.length === 0 ? value : replaced(inner, rest, value);
  // The value is put in as text: not each is one that the runtime keeps.
  const text = Array.isArray(parts)
    ? JSON.stringify(parts.map((part, at) => (at === Number(name) ? PLACE : part)))
    : JSON.stringify({ ...parts, [name]: PLACE });
  return text.replace(JSON.stringify(PLACE), () => next);
}

function* hostileRequests(id: string, sample: Sample): Generator<Partial<Sample>> {
  const operation = operations.find((each) => each.id === id);
  if (operation === undefined) return;
  const { queryParameters, body, method, path } = operation;
  const [target = ''] = sample.target.split('?');
  for (const name of Object.keys(queryParameters?.shape ?? {})) {
    for (const text of TEXTS) yield { target: `${target}?${name}=${encodeURIComponent(text)}` };
  }
  const segments = path.split('/');
  for (const [at, segment] of segments.entries()) {
    if (!segment.startsWith('{')) continue;
    for (const text of TEXTS.map(encodeURIComponent)) {
      const parts = target.slice(API_ROOT.length).split('/').with(at, text);
      yield { target: API_ROOT + parts.join('/') };
    }
  }
  if (body === undefined) return;
  const inDocument = member(member(member(document, 'paths'), path), method.toLowerCase());
  const content = member(member(inDocument, 'requestBody'), 'content');
  const schema = member(member(content, body.mediaTypes[0] ?? ''), 'schema');
  for (const name of membersOf(schema)) {
    for (const value of VALUES) yield { body: replaced(String(sample.body), name, value) };
  }
}

describe('the service takes or refuses hostile values in', () => {
  test.each(operations.map(({ id }) => [id]))(
    '%s',
    async (id) => {
      const operation = operations.find((each) => each.id === id);
      if (operation === undefined) return;
      let sample = await sampleOf(operation, petstore.admin);
      const faults: unknown[] = [];
      for (const change of hostileRequests(id, sample)) {
        const { status, text } = await eventually(
          () => sendSample(petstore.admin, sample, change),
          (response) => !response.text.includes('Too many imports are waiting'),
        );
        if (status >= 500) faults.push([status, change, text]);
        const changed = operation.method !== 'GET' && status < 400;
        if (changed) sample = await sampleOf(operation, petstore.admin);
      }
      expect(faults).toEqual([]);
    },
    120_000,
  );
});

describe('so do', () => {
  test.each(['', '/animals.json', '/feed.xml', '/sitemap.xml', '/1', '/1/card'])(
    'the public pages at /adopt%s',
    async (page) => {
      const names = [...Object.keys(listingFilters), 'sort', 'cursor', 'limit', 'lang', 'stamp'];
      for (const name of names) {
        for (const text of TEXTS) {
          const query = `${name}=${encodeURIComponent(text)}`;
          const { status } = await petstore.anonymous.get(`/adopt${page}?${query}`);
          expect([query, status < 500]).toEqual([query, true]);
        }
      }
    },
  );

  test('the form of an enquiry', async () => {
    const id = await addListed(petstore.storage);
    const page = await petstore.anonymous.get(`/adopt/${id}/enquiry`);
    const [, stamp = ''] = /name="stamp" value="([^"]*)"/.exec(page.text) ?? [];
    const whole = { name: 'Kim', email: 'kim@example.org', message: 'Hi', consent: 'yes', stamp };
    petstore.clock.advance(10_000);
    for (const name of [...Object.keys(whole), 'telephone', 'website', '\0']) {
      for (const text of TEXTS) {
        const { status } = await petstore.anonymous.send('POST', `/adopt/${id}/enquiry`, {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ ...whole, [name]: text }).toString(),
        });
        expect([name, text, status < 500 || status === 503]).toEqual([name, text, true]);
      }
    }
  });

  test.each(['/console/session', '/console/invitation'])('the call %s', async (path) => {
    const bodies = ['{"key":%}', '{"email":%,"password":"x"}', '{"email":"a@b.c","password":%}'];
    for (const body of [...bodies, '{"invitation":%,"password":"long enough"}']) {
      for (const value of VALUES) {
        const { status } = await petstore.anonymous.send('POST', path, {
          headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
          body: body.replace('%', () => value),
        });
        expect([body, value, status < 500]).toEqual([body, value, true]);
      }
    }
  });

  test.each(tools.map(({ definition }) => [definition.name]))('the tool %s', async (tool) => {
    const { definition } = tools.find((each) => each.definition.name === tool) ?? {};
    const whole = { name: 'Rex', categoryId: 1, petId: 1, orderId: 1 };
    const names = Object.keys(Object(definition?.inputSchema)['properties'] ?? {});
    for (const name of [...names, '\0']) {
      for (const value of VALUES) {
        const given = replaced(JSON.stringify(whole), [name], value);
        const params = { name: tool, arguments: '%' };
        const body = message('tools/call', params).replace('"%"', () => given);
        const authorization = `Bearer ${petstore.admin.key}`;
        const { status, text } = await petstore.admin.send('POST', '/mcp', {
          headers: { ...HEADERS, authorization },
          body,
        });
        expect([body, status < 500, text.includes('-32603')]).toEqual([body, true, false]);
      }
    }
  });

  test.each([
    [
      'text/csv',
      (text: string) => `Name,Category,Breed,Sex\n"${text.replaceAll('"', '""')}",x,y,z\n`,
    ],
    [
      'application/x-ndjson',
      (text: string) => `${JSON.stringify({ name: text, category: 'x' })}\n`,
    ],
    [
      'application/x-ndjson',
      (text: string) => `${JSON.stringify({ name: 'x', category: text })}\n`,
    ],
    ['application/x-ndjson', (text: string) => `${JSON.stringify({ name: 'x', id: text })}\n`],
  ])('imports of %s', async (type, file) => {
    for (const text of TEXTS) {
      const started = await eventually(
        () =>
          petstore.admin.send('POST', '/v1/imports?categoryIs=Dog', {
            headers: { 'content-type': type },
            body: file(text),
          }),
        ({ status }) => status !== 503,
      );
      if (started.status !== 202) continue;
      const ended = await eventually(
        () => petstore.admin.get(`/v1/imports/${JSON.parse(started.text).id}`),
        (response) => !/"status":"(queued|running)"/.test(response.text),
      );
      expect([text, ended.text.includes('internal_error')]).toEqual([text, false]);
    }
  });
});
