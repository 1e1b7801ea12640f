import { expect, test } from 'bun:test';
import type { DocumentModel } from '../../src/api/openapi/document-model.ts';
import { EXAMPLE_SERVERS } from '../../src/api/openapi/pages.ts';
import { renderDocument } from '../../src/api/openapi/renderings.ts';
import { operations } from '../../src/api/resources/operations.ts';

const text = renderDocument('json-small', EXAMPLE_SERVERS);
const document: DocumentModel = JSON.parse(text);
const shown = Object.values(document.paths).flatMap((item) => Object.values(item) as Operation[]);

type Operation = DocumentModel['paths'][string][string] & {
  readonly description: string;
  readonly parameters?: readonly object[];
};

/** The context of an assistant has room for this many tokens, of about four bytes each. */
const TOKENS_MAX = 30_000;

test('the small document fits into the context of an assistant', () => {
  expect(Buffer.byteLength(text) / 4).toBeLessThan(TOKENS_MAX);
});

test('it has every operation of the scopes below admin, and no other', () => {
  const wanted = operations.filter(({ access }) => ['read', 'adopt', 'write'].includes(access));
  expect(shown.map(({ operationId }) => operationId)).toEqual(wanted.map(({ id }) => id));
  expect(wanted.length).toBeLessThan(operations.length);
});

test('it has short descriptions, and no samples, headers of responses or patterns', () => {
  for (const { operationId, description } of shown) {
    expect([operationId, description.length <= 300]).toEqual([operationId, true]);
    expect(description).toMatch(/[.…]$/);
  }
  expect(Object.keys(document)).not.toContain('webhooks');
  for (const [, description = ''] of text.matchAll(/"description":"((?:[^"\\]|\\.)*)"/g)) {
    expect(description).not.toBe('');
  }
  for (const name of ['x-codeSamples', 'headers', 'pattern', 'tags']) {
    expect(text).not.toContain(`"${name}":`);
  }
});

test('it leaves nothing but patterns out of schemas that combine several', () => {
  const full = JSON.parse(renderDocument('json', EXAMPLE_SERVERS));
  JSON.stringify(full, (key, value) => {
    if (key === 'allOf') for (const one of value) expect(Object.keys(one)).toEqual(['pattern']);
    return value;
  });
});

test('it refers to nothing that it does not have, and has nothing unused', () => {
  const { components } = document as unknown as { components: Record<string, object> };
  const used = new Set(
    Array.from(text.matchAll(/"\$ref":"#\/components\/(\w+\/\w+)"/g), ([, name = '']) => name),
  );
  const named = ['parameters', 'responses', 'schemas'].flatMap((kind) =>
    Object.keys(components[kind] ?? {}).map((name) => `${kind}/${name}`),
  );
  expect([...used].sort()).toEqual(named.sort());
});
