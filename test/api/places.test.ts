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
  expect(first).toMatchObject({ path: '/v1/pets/7', query: 'x=%41', isApi: true });
  expect(first.parameters).toEqual(['7']);
  expect(find('http://a/v1/pets/7?x=%41', 'a')).toBe(first);
  expect(find('http://a/v1/pets/7?x=%42', 'a')).toMatchObject({ query: 'x=%42', ready: undefined });
  expect(find('http://a/v1/pets/7', 'a')).toMatchObject({ query: '', ready: undefined });
});

test('a Host that makes the URL of another target is refused, though that one is remembered', () => {
  const find = createPlaces(table);
  const url = 'http://a/v1/pets?name=/x';
  expect(find(url, 'a').problem).toBeUndefined();
  expect(find(url, 'a/v1/pets?name=').problem?.code).toBe('invalid_request');
  expect(find(url, null).problem).toBeUndefined();
  expect(find(url, 'a').problem).toBeUndefined();
});

test('however many are asked for, each is found as if it were the first', () => {
  const find = createPlaces(table);
  for (let round = 0; round < 2; round++) {
    for (let id = 0; id < MORE_THAN_REMEMBERED; id++) {
      const { parameters } = find(`http://a/v1/pets/${id}`, 'a');
      if (parameters[0] !== String(id)) throw new Error(`${id} was not found`);
    }
  }
  const long = `http://a/v1/pets?name=${'x'.repeat(2_000)}`;
  const found = find(long, 'a');
  expect(found.route).toBeDefined();
  expect(find(long, 'a')).toBe(found);
  // As many characters as would be 40 MB.
  for (let i = 0; i < 2_000; i++) find(`${long}&i=${i}${'y'.repeat(5_000)}`, 'a');
  expect(find(long, 'a')).not.toBe(found);
  expect(find('http://a/elsewhere', 'a')).toMatchObject({ isApi: false, route: undefined });
});
