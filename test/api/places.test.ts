import { expect, test } from 'bun:test';
import { operations } from '../../src/api/operations.ts';
import { API_ROOT, createPlaces } from '../../src/api/places.ts';
import { createRouteTable } from '../../src/http/route-table.ts';

const table = createRouteTable(
  operations.map((operation) => ({ ...operation, path: API_ROOT + operation.path })),
);
const MORE_THAN_REMEMBERED = 25_000;

test('a place that is remembered is what it was, and another one where the query differs', () => {
  const find = createPlaces(table);
  const first = find('http://a/v1/pets/7?x=%41', 'a');
  expect(first).toMatchObject({ name: '/v1/pets/7?x=%41', isApi: true });
  expect(first.match?.parameters).toEqual(['7']);
  expect(find('http://a/v1/pets/7?x=%41', 'a')).toMatchObject(first);
  expect(find('http://a/v1/pets/7?x=%42', 'a').name).toBe('/v1/pets/7?x=%42');
  expect(find('http://a/v1/pets/7', 'a').name).toBe('/v1/pets/7?');
});

test('a Host that makes the URL of another target is refused, though that one is remembered', () => {
  const find = createPlaces(table);
  const url = 'http://a/v1/pets?name=/x';
  expect(find(url, 'a').target.problem).toBeUndefined();
  expect(find(url, 'a/v1/pets?name=').target.problem?.code).toBe('invalid_request');
  expect(find(url, null).target.problem).toBeUndefined();
  expect(find(url, 'a').target.problem).toBeUndefined();
});

test('however many are asked for, each is found as if it were the first', () => {
  const find = createPlaces(table);
  for (let round = 0; round < 2; round++) {
    for (let id = 0; id < MORE_THAN_REMEMBERED; id++) {
      const { match } = find(`http://a/v1/pets/${id}`, 'a');
      if (match?.parameters[0] !== String(id)) throw new Error(`${id} was not found`);
    }
  }
  expect(find(`http://a/v1/pets/${'7'.repeat(1_000)}`, 'a').match).toBeDefined();
  expect(find('http://a/elsewhere', 'a')).toMatchObject({ isApi: false, match: undefined });
});
