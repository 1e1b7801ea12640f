import { describe, expect, test } from 'bun:test';
import { animalAt } from '../../bench/animals.ts';
import { day } from '../../bench/day.ts';
import { ANIMALS, everyAnimal, PAGE, pageAt } from '../../bench/kinds.ts';
import { planOf } from '../../bench/load.ts';
import { CYCLE, mixedOrder, spreadLists } from '../../bench/mixed.ts';

/** Counts lists, single animals and additions of an order. */
function countsOf(order: readonly number[]): number[] {
  return [0, 1, 2].map((kind) => order.filter((step) => step === kind).length);
}

describe('the order of a mixed load', () => {
  test.each([[50, [475, 475, 50]]])(
    'with %d additions of 1,000 has exactly these shares',
    (share, counts) => {
      expect(mixedOrder(share)).toHaveLength(CYCLE);
      expect(countsOf(mixedOrder(share))).toEqual(counts);
    },
  );

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

describe("a busy shop's day", () => {
  const [lists, animals, pages] = day.kinds.map(({ load }) => load.paths);

  test('asks for lists, single animals and public pages, a third each', () => {
    expect(countsOf(day.order)).toEqual([CYCLE, CYCLE, CYCLE]);
    expect(lists?.every((path) => path.startsWith('/v1/pets'))).toBe(true);
    const forms = Object.groupBy(pages ?? [], (path) => path.replace(/[?\d].*/, ''));
    expect(Object.values(forms).map((all) => all?.length)).toEqual([2_000, 2_000, 2_000]);
    expect(day.changes).toBe(true);
  });

  test('asks for few animals often, and for most of them hardly ever', () => {
    const counts = Object.values(Object.groupBy(animals ?? [], (path) => path));
    const sorted = counts.map((all) => all?.length ?? 0).toSorted((a, b) => b - a);
    expect((sorted[0] ?? 0) / (sorted[9] ?? 1)).toBeWithin(8, 13);
    expect(sorted.filter((count) => count === 1).length).toBeGreaterThan(sorted.length / 2);
  });

  test('changes no animal whose response is compared', () => {
    const ids = (animals ?? []).map((path) => Number(path.split('/').at(-1)));
    expect(Math.max(...ids)).toBeLessThan(96_000);
  });
});
