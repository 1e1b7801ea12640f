import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';

const SOURCE = join(import.meta.dir, '../../src/site/reference/document.js');
// The browser script has no types, so it is imported as a module of unknown functions.
const { documentForPage, parseExactly } = await import(SOURCE);

const operation = (more: object) => ({ operationId: 'x', responses: { '200': {} }, ...more });
const shown = (more: object) =>
  documentForPage({
    servers: [{ url: 'https://pets.example/v1' }],
    tags: [
      { name: 'Pets' },
      { name: 'Animals', 'x-parent': 'Pets' },
      { name: 'Store', description: 'Still empty.' },
    ],
    paths: { '/pets': { post: operation(more) } },
  });
const shownOperation = (more: object) => shown(more).paths['/pets'].post;

describe('the document on the reference page', () => {
  test('has groups instead of parent tags', () => {
    expect(shown({})['x-tagGroups']).toEqual([{ name: 'Pets', tags: ['Animals'] }]);
    expect(shown({}).tags).toEqual([{ name: 'Animals', 'x-parent': 'Pets' }]);
  });

  test('marks unstable operations, and deprecated ones with their removal date', () => {
    const names = (more: object) =>
      shownOperation(more)['x-badges'].map(({ name }: { name: string }) => name);
    expect(names({})).toEqual([]);
    expect(names({ 'x-stability': 'stable' })).toEqual([]);
    expect(names({ 'x-stability': 'experimental' })).toEqual(['Experimental']);
    expect(names({ 'x-deprecated-sunset': '2030-12-05' })).toEqual(['Removed on 5 December 2030']);
  });

  test('has no values for optional parameters, which the panel would send', () => {
    const { components, paths } = documentForPage({
      servers: [{ url: '/v1' }],
      paths: {
        '/pets': {
          get: operation({ parameters: [{ name: 'a', example: 1, 'x-stability': 'beta' }] }),
          delete: operation({ parameters: [{ name: 'b', example: 1, required: true }] }),
        },
      },
      components: { parameters: { IfMatch: { name: 'If-Match', example: '"x"' } } },
    });
    expect(components.parameters.IfMatch).toEqual({ name: 'If-Match' });
    expect(paths['/pets'].get.parameters[0].example).toBeUndefined();
    expect(paths['/pets'].get.parameters[0].description).toBe('**Beta.** ');
    expect(paths['/pets'].delete.parameters[0].example).toBe(1);
  });

  test('keeps integers that a number cannot hold as text', () => {
    expect(parseExactly('{"a":9223372036854775807,"b":28}')).toEqual({
      a: '9223372036854775807',
      b: 28,
    });
  });
});
