import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createRouteTable } from '../../src/http/route-table.ts';

const table = createRouteTable([
  { method: 'GET', path: '/v1/pets' },
  { method: 'POST', path: '/v1/pets' },
  { method: 'GET', path: '/v1/pets/{petId}' },
  { method: 'DELETE', path: '/v1/pets/{petId}' },
  { method: 'GET', path: '/v1/pets/latest' },
  { method: 'GET', path: '/v1/{kind}/{id}/photos' },
  { method: 'PATCH', path: '/v1/store/orders/{orderId}' },
]);

/** The template that a path matches, with its parameters. */
function found(path: string): [string, ...string[]] | undefined {
  const match = table.match(path);
  return match && [match.route.template, ...match.parameters];
}

describe('the route table', () => {
  test.each<[string, [string, ...string[]] | undefined]>([
    ['/v1/pets', ['/v1/pets']],
    ['/v1/%70ets', ['/v1/pets']],
    ['/v1/pets/1', ['/v1/pets/{petId}', '1']],
    ['/v1/%70ets/%31', ['/v1/pets/{petId}', '1']],
    ['/v1/pets/latest', ['/v1/pets/latest']],
    ['/v1/pets/l%61test', ['/v1/pets/latest']],
    ['/v1/pets/a%2Fb', ['/v1/pets/{petId}', 'a/b']],
    ['/v1/pets/%252F', ['/v1/pets/{petId}', '%2F']],
    ['/v1/pets/%20', ['/v1/pets/{petId}', ' ']],
    ['/v1/dogs/1/photos', ['/v1/{kind}/{id}/photos', 'dogs', '1']],
    ['/v1/store/orders/7', ['/v1/store/orders/{orderId}', '7']],
    ['/v1/store/orders', undefined],
    ['/v1/pets/', undefined],
    ['/v1/pets/1/', undefined],
    ['/v1/pets//', undefined],
    ['/v1//pets', undefined],
    ['//v1/pets', undefined],
    ['/v1/pets%2F1', undefined],
    ['/v1%2Fpets', undefined],
    ['/v1/pets/%2F', ['/v1/pets/{petId}', '/']],
    ['/v1/PETS', undefined],
    ['/v1', undefined],
    ['/', undefined],
    ['', undefined],
    ['/v1/__proto__', undefined],
  ])('matches %p with %p', (path, expected) => {
    expect(found(path)).toEqual(expected as never); // Both types are results of `found`.
  });

  test('knows the methods of a path; GET implies HEAD', () => {
    const allow = (path: string) => table.match(path)?.route.allow;
    expect(allow('/v1/pets')).toEqual(['GET', 'HEAD', 'POST']);
    expect(allow('/v1/pets/1')).toEqual(['GET', 'HEAD', 'DELETE']);
    expect(allow('/v1/store/orders/1')).toEqual(['PATCH']);
    const methods = table.match('/v1/pets')?.route.byMethod;
    expect([...(methods?.keys() ?? [])]).toEqual(['GET', 'POST']);
  });

  test('returns every parameter unchanged', () => {
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => text !== 'latest');
    fc.assert(
      fc.property(segment, (text) => {
        fc.pre(text.isWellFormed());
        expect(found(`/v1/pets/${encodeURIComponent(text)}`)).toEqual(['/v1/pets/{petId}', text]);
      }),
    );
  });
});
