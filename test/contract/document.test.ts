import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'yaml';
import { FOLDER, generate } from '../../packages/client/generate/generate.ts';
import { isListInQuery } from '../../src/api/contract/request-fields.ts';
import { buildDocument } from '../../src/api/openapi/document.ts';
import type { DocumentModel } from '../../src/api/openapi/document-model.ts';
import { documentServers, EXAMPLE_SERVERS } from '../../src/api/openapi/pages.ts';
import { renderDocument } from '../../src/api/openapi/renderings.ts';
import { asVersion30 } from '../../src/api/openapi/version-3-0.ts';
import { operations } from '../../src/api/resources/operations.ts';
import { FAILURE_STATUS } from '../../src/domain/failure.ts';
import { LINES_PATTERN, linesProblem, NAME_PATTERN, nameProblem } from '../../src/domain/name.ts';
import { FORM_TYPE, OCTETS_TYPE } from '../../src/http/form-file.ts';
import { writeJson } from '../../src/http/json.ts';
import { createSchemaCheck, type DocumentPart, parseExactly } from './schema-check.ts';
import { document, member } from './violations.ts';

// Whole documents are compared, and the machine may be busy.
setDefaultTimeout(60_000);

const OPENAPI = join(import.meta.dir, '../../openapi.json');
const committed: DocumentModel = JSON.parse(readFileSync(OPENAPI, 'utf8'));

const paths = member(document, 'paths');
const operationAt = (path: string, method: string) => member(member(paths, path), method);
const schemas = member(member(document, 'components'), 'schemas');

describe('the document', () => {
  test('has every operation of the table, each with one summary', () => {
    for (const { id, method, path, stability, tag } of operations) {
      const found = operationAt(path, method.toLowerCase());
      expect(found?.['operationId']).toBe(id);
      expect(found?.['tags']).toEqual([tag]);
      expect(found?.['x-stability']).toBe(stability === 'stable' ? undefined : stability);
    }
  });

  test('is what the TypeScript client is made from: `npm run openapi` updates both', () => {
    const files = generate(committed);
    for (const [path, text] of files) expect(readFileSync(path, 'utf8')).toBe(text);
    const found = [...new Bun.Glob('**/*.ts').scanSync({ cwd: FOLDER, absolute: true })];
    expect(found.sort()).toEqual([...files.keys()].sort());
  });

  test('has the schemas that the specification names, bounds exact', () => {
    for (const name of ['NewPet', 'Pet', 'Pets', 'PetStatus', 'Error']) {
      expect(member(schemas, name)).toBeDefined();
    }
    expect(member(schemas, 'NewPet')?.['required']).toEqual(['name', 'categoryId']);
    expect(member(schemas, 'Pet')?.['required']).toEqual(['id', 'name', 'categoryId', 'status']);
    expect(member(schemas, 'PetStatus')?.['enum']).toEqual(['available', 'pending', 'sold']);
    expect(member(member(member(schemas, 'NewPet'), 'properties'), 'categoryId')).toMatchObject({
      type: 'integer',
      format: 'int64',
      minimum: -(2n ** 63n),
      maximum: 2n ** 63n - 1n,
    });
    const code = member(member(member(schemas, 'Error'), 'properties'), 'code');
    expect(code?.['enum']).toEqual(Object.keys(FAILURE_STATUS));
  });

  test('has no request body with a default: generators would take the member for required', () => {
    const bodies = operations.filter(({ body }) => body !== undefined);
    expect(bodies.length).toBeGreaterThan(4);
    for (const { path, method } of bodies) {
      const body = member(operationAt(path, method.toLowerCase()), 'requestBody');
      for (const media of Object.values(Object(member(body, 'content')))) {
        const name = String(Object(media)['schema']['$ref']).split('/').at(-1) ?? '';
        expect(member(schemas, name)).toBeDefined();
        expect(writeJson(Object(member(schemas, name)))).not.toContain('"default"');
      }
    }
    // `member` would follow the reference beside it.
    const { status } = Object(member(member(schemas, 'NewPet'), 'properties'));
    expect(status.description).toContain('`available` if omitted');
  });

  test('gives the date of a deprecation, and navigation groups without operations', () => {
    expect(operationAt('/pets/{petId}', 'get')).toMatchObject({
      deprecated: true,
      'x-deprecated-sunset': '2030-12-05',
    });
    const tags = new Map(
      Array.from(Object.values(Object(document['tags'])), (tag) => [
        Object(tag)['name'],
        Object(tag)['x-parent'],
      ]),
    );
    expect(tags.get('Pets')).toBeUndefined();
    expect(tags.has('Pets') && tags.has('Store')).toBe(true);
    for (const { tag } of operations) expect(tags.get(tag)).toBeString();
  });

  test('links from each added record to the operations on it', () => {
    const created = member(member(operationAt('/pets', 'post'), 'responses'), '201');
    expect(member(created, 'links')?.['getPet']).toMatchObject({
      operationId: 'getPet',
      parameters: { petId: '$response.body#/id' },
    });
  });

  test('hides the panel of an operation that asks for it, and of no other', () => {
    const [first, ...others] = operations;
    if (first === undefined) throw new Error('there is no operation');
    const hidden = buildDocument([{ ...first, hideTryItPanel: true }, ...others], EXAMPLE_SERVERS);
    const text = JSON.stringify(hidden['paths'], (_key, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    const asking = others.filter(({ hideTryItPanel }) => hideTryItPanel === true).length;
    expect(text.split('"x-hideTryItPanel":true')).toHaveLength(2 + asking);
  });

  test('has an example of every parameter, which its schema accepts and the service does', () => {
    const problemsOf = createSchemaCheck(document);
    let count = 0;
    for (const { path, method, pathParameters, queryParameters } of operations) {
      const { parameters = [] } = Object(operationAt(path, method.toLowerCase()));
      for (const place of Object.keys(parameters)) {
        const { name, in: kind, schema, example } = member(parameters, place) ?? {};
        expect([path, name, example]).not.toEqual([path, name, undefined]);
        const problems = problemsOf(Object(schema), parseExactly(writeJson(example ?? null)));
        expect([path, name, problems]).toEqual([path, name, []]);
        const parser = { path: pathParameters, query: queryParameters }[String(kind)];
        const field = parser?.shape[String(name)];
        if (field === undefined) continue;
        const text = String(example);
        const parsed = field.safeParse(isListInQuery(field) ? [text] : text);
        expect([path, name, parsed.success]).toEqual([path, name, true]);
        count++;
      }
    }
    expect(count).toBeGreaterThan(100);
  });

  test('has each response of several operations once, as a component', () => {
    const own = new Map<string, string>();
    for (const { id, path, method } of operations) {
      const responses = Object(operationAt(path, method.toLowerCase())?.['responses']);
      for (const [status, response] of Object.entries(responses)) {
        if (status < '300' || '$ref' in Object(response)) continue;
        const text = JSON.stringify(response);
        expect([id, status, own.get(text)]).toEqual([id, status, undefined]);
        own.set(text, id);
      }
    }
    const components = Object(member(document, 'components')?.['responses']);
    const used = writeJson(Object(document['paths']));
    for (const name of Object.keys(components)) {
      expect(used.split(`"#/components/responses/${name}"`).length).toBeGreaterThan(2);
    }
  });

  test('has examples that match their schemas', () => {
    const problemsOf = createSchemaCheck(document);
    const problemsIn = (content: DocumentPart | undefined) =>
      Object.keys(content ?? {}).flatMap((type) => {
        const { schema = {}, example } = member(content, type) ?? {};
        // A file is no text, or would be taken for the value itself.
        const isFile = Object(schema).format === 'binary' || type === FORM_TYPE;
        if (example === undefined && isFile) return [];
        return problemsOf(schema, parseExactly(writeJson(example ?? null)));
      });
    for (const { path, method, body, upload, success } of operations) {
      const operation = operationAt(path, method.toLowerCase());
      const request = member(member(operation, 'requestBody'), 'content');
      const response = member(member(operation, 'responses'), String(success.status));
      const ofFile = upload && [...Object.keys(upload.examples), OCTETS_TYPE, FORM_TYPE];
      const types = body?.mediaTypes ?? ofFile ?? [];
      expect(Object.keys(request ?? {})).toEqual([...types]);
      expect(problemsIn(request)).toEqual([]);
      expect(problemsIn(member(response, 'content'))).toEqual([]);
    }
  });
});

describe('its servers', () => {
  const unset = { baseUrl: undefined, stagingBaseUrl: undefined };

  test('are the configured addresses, else the bound one alone, and examples without any', () => {
    const bound = 'http://127.0.0.1:8080/v1';
    expect(documentServers({ environment: 'production', ...unset })).toEqual(EXAMPLE_SERVERS);
    expect(documentServers({ environment: 'production', ...unset }, bound)).toEqual({
      productionUrl: bound,
      stagingUrl: undefined,
    });
    expect(documentServers({ environment: 'staging', ...unset }, bound)).toEqual({
      productionUrl: undefined,
      stagingUrl: bound,
    });
    const baseUrl = 'https://a.example/v1';
    const set = { environment: 'production', baseUrl, stagingBaseUrl: undefined } as const;
    expect(documentServers(set, bound).productionUrl).toBe(baseUrl);
    const alone = buildDocument(operations, { stagingUrl: bound });
    expect(alone['servers']).toMatchObject([{ url: bound, description: 'Staging' }]);
  });

  test('come with production first', () => {
    expect(document['servers']).toMatchObject([
      { url: EXAMPLE_SERVERS.productionUrl, description: 'Production' },
      { url: EXAMPLE_SERVERS.stagingUrl, description: 'Staging' },
    ]);
  });
});

describe('other renderings', () => {
  test('YAML has the same content as JSON', () => {
    const fromYaml = parse(renderDocument('yaml', EXAMPLE_SERVERS), { intAsBigInt: true });
    const fromJson = parse(renderDocument('json', EXAMPLE_SERVERS), { intAsBigInt: true });
    expect(fromYaml).toEqual(fromJson);
  }, 60_000);

  test('3.0 has nothing that only 3.1 allows', () => {
    const schema = {
      a: { type: ['string', 'null'] },
      c: { anyOf: [{ type: 'object' }, { type: 'null' }], description: 'd' },
      d: { $ref: '#/x', default: null },
      e: { type: 'string', const: 'f' },
      g: { $ref: '#/x' },
      h: { type: 'null' },
    };
    expect(asVersion30({ ...document, schema })['schema']).toEqual({
      a: { type: 'string', nullable: true },
      c: { type: 'object', nullable: true, description: 'd' },
      d: { allOf: [{ $ref: '#/x' }], default: null },
      e: { type: 'string', enum: ['f'] },
      g: { $ref: '#/x' },
      h: { type: 'string', maxLength: 0, nullable: true },
    });
    expect(asVersion30(document)['openapi']).toBe('3.0.3');
  });
});

test.each([
  ['names', NAME_PATTERN, nameProblem],
  ['texts of several lines', LINES_PATTERN, linesProblem],
])(
  'the pattern of %s lets through what their rules do',
  (_, source, problemOf) => {
    const pattern = new RegExp(source, 'u');
    const unit = fc.oneof(
      fc.constantFrom(
        ' ',
        '\t',
        '\n',
        '\r',
        '\u0085',
        '\u00a0',
        '\u2003',
        '\u3000',
        '\u0000',
        '\u007f',
        'x',
      ),
      fc.constantFrom('\u180e', '\u200b', '\ufeff', '\u1680', '\u2028'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 6 }), (units) => {
        const name = units.join('');
        // The pattern names no character beyond the BMP, since some engines cannot.
        fc.pre(!/[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u.test(name));
        expect(pattern.test(name)).toBe(problemOf(name, 255) === undefined);
      }),
      { numRuns: 2_000 },
    );
  },
  60_000,
);
