import { describe, expect, test } from 'bun:test';
import { animalAt } from '../../bench/animals.ts';
import { ADDED, ANIMALS, everyAnimal, PAGE, pageAt } from '../../bench/kinds.ts';
import { planOf } from '../../bench/load.ts';
import { CYCLE, mixedOrder, spreadLists } from '../../bench/mixed.ts';
import { comparisons, kindAt } from '../../bench/scenarios.ts';

/** Counts lists, single animals and additions of an order. */
function countsOf(order: readonly number[]): number[] {
  return [0, 1, 2].map((kind) => order.filter((step) => step === kind).length);
}

describe('the order of a mixed load', () => {
  test.each([
    [0, [500, 500, 0]],
    [10, [495, 495, 10]],
    [50, [475, 475, 50]],
    [200, [400, 400, 200]],
  ])('with %d additions of 1,000 has exactly these shares', (share, counts) => {
    expect(mixedOrder(share)).toHaveLength(CYCLE);
    expect(countsOf(mixedOrder(share))).toEqual(counts);
  });

  test('is the same every time, and mixes the kinds', () => {
    const order = mixedOrder(50);
    expect(mixedOrder(50)).toEqual(order);
    for (let at = 0; at < CYCLE; at += CYCLE / 4) {
      const [lists = 0, singles = 0, added = 0] = countsOf(order.slice(at, at + CYCLE / 4));
      expect(lists).toBeWithin(90, 150);
      expect(singles).toBeWithin(90, 150);
      expect(added).toBeWithin(3, 25);
    }
  });

  test('is that of the scenarios', () => {
    const mixed = comparisons.find(({ name }) => name === 'mixed');
    expect(mixed?.scenarios.map(({ name, order }) => [name, countsOf(order)[2]])).toEqual([
      ['mixed-0', 0],
      ['mixed-1', 10],
      ['mixed-5', 50],
      ['mixed-20', 200],
    ]);
    // The results and the picture begin with it.
    expect(comparisons[0]?.name).toBe('mixed');
    expect(mixed?.pictured.map(({ name }) => name)).toEqual(['mixed-5']);
  });
});

describe('the requests of a mixed load', () => {
  const { paths } = spreadLists.load;

  test('ask for lists in these proportions', () => {
    const forms = paths.map((path) => path.replace(/=\w+/g, ''));
    const counts = Object.groupBy(forms, (form) => form);
    expect(
      Object.fromEntries(Object.entries(counts).map(([form, all]) => [form, all?.length])),
    ).toEqual({
      '/v1/pets': 300,
      '/v1/pets?status': 300,
      '/v1/pets?categoryId': 200,
      '/v1/pets?categoryId&status': 100,
      '/v1/pets?cursor': 80,
      '/v1/pets?status&cursor': 20,
    });
    expect(new Set(paths).size).toBe(1 + 3 + 40 + 100 + 80 + 20);
  });

  test('get full pages, which additions at the end do not change', () => {
    for (const path of new Set(paths)) expect(pageAt(path), path).toHaveLength(PAGE);
  });

  test('get the animals of the filter after the cursor', () => {
    const page = pageAt('/v1/pets?status=available&cursor=600');
    expect(page.slice(0, 2)).toEqual([animalAt(603), animalAt(606)]);
    expect(spreadLists.isRight('/v1/pets?status=available&cursor=600', page)).toBe(true);
    expect(spreadLists.isRight('/v1/pets?status=available&cursor=600', page.slice(1))).toBe(false);
    const both = pageAt('/v1/pets?categoryId=2&status=pending');
    expect(new Set(both.map(({ categoryId, status }) => `${categoryId} ${status}`)).size).toBe(1);
    expect(both[0]).toEqual(animalAt(1));
  });

  test('ask for every animal once before any again, and not for neighbours', () => {
    const ids = everyAnimal.load.paths.map((path) => Number(path.split('/').at(-1)));
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: ANIMALS }, (_, n) => n + 1));
    const near = ids.filter((id, index) => Math.abs(id - (ids[index - 1] ?? -1_000)) < 1_000);
    expect(near).toEqual([]);
  });
});

test('a plan starts behind the run before, and then asks for the paths in between', () => {
  const kinds = [
    { load: { method: 'GET', body: '', paths: ['/a', '/b', '/c'] } },
    { load: { method: 'POST', body: '{}', paths: ['/d'] } },
  ] as const;
  const order = [0, 1];
  expect(planOf({ kinds, order, start: 7 })).toBe('1 2\nGET\t\t/b /c /a\nPOST\t{}\t/d\n');
});

test('a plan has the order, and each kind in a line', () => {
  const [mixed] = comparisons;
  const scenario = mixed?.scenarios.find(({ name }) => name === 'mixed-20');
  if (scenario === undefined) throw new Error('there is no mixed load with 20 %');
  const [order = '', lists = '', singles = '', added = '', ...rest] = planOf(scenario).split('\n');
  expect(rest).toEqual(['']);
  const kinds = order.split(' ').map((step) => scenario.kinds[Number(step) - 1]);
  expect(kinds).toEqual(scenario.order.map((_, turn) => kindAt(scenario, turn)));
  expect(lists).toBe(`GET\t\t${spreadLists.load.paths.join(' ')}`);
  expect(singles).toBe(`GET\t\t${everyAnimal.load.paths.join(' ')}`);
  expect(added).toBe(`POST\t${JSON.stringify(ADDED)}\t/v1/pets`);
});
