import { expect, test } from 'bun:test';
import { EXAMPLE_SERVERS } from '../../src/api/openapi/pages.ts';
import { renderDocument } from '../../src/api/openapi/renderings.ts';
import { operations } from '../../src/api/resources/operations.ts';

interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
  readonly request?: { readonly method: string; readonly url: string };
}

test('the Postman collection has every operation, at its address', () => {
  const collection: Item = JSON.parse(renderDocument('postman', EXAMPLE_SERVERS));
  const requests = (collection.item ?? []).flatMap(({ item = [] }) => item);
  const sent = requests.map(({ request }) => {
    const path = request?.url.replace('{{baseUrl}}', '').replace(/\?.*$/, '');
    return `${request?.method} ${path?.replaceAll(/\{\{(\w+)\}\}/g, '{$1}')}`;
  });
  const known = operations.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(sent)).toEqual(new Set(known));
});
