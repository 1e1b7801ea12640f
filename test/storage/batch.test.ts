import { expect, test } from 'bun:test';
import { createBatcher } from '../../src/storage/postgres/batch.ts';

/** Work that is done when the test says so. */
function createHeldWork() {
  const batches: { readonly items: readonly number[]; finish(): void; fail(error: Error): void }[] =
    [];
  const work = (items: readonly number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>();
    batches.push({ items, finish: () => resolve(items.map((item) => item * 10)), fail: reject });
    return promise;
  };
  return { batches, work };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('what comes in one turn goes together, and each gets its own result', async () => {
  const { batches, work } = createHeldWork();
  const ask = createBatcher(work, 1);
  const asked = [ask(1), ask(2), ask(3)];
  expect(batches).toEqual([]);
  await turn();
  expect(batches.map(({ items }) => items)).toEqual([[1, 2, 3]]);
  batches[0]?.finish();
  expect(await Promise.all(asked)).toEqual([10, 20, 30]);
});

test('who comes after a batch was sent has no part in it, and goes with the next', async () => {
  const { batches, work } = createHeldWork();
  const ask = createBatcher(work, 1);
  const early = ask(1);
  await turn();
  const late = [ask(2)];
  await turn();
  late.push(ask(3));
  await turn();
  expect(batches.map(({ items }) => items)).toEqual([[1]]);
  batches[0]?.finish();
  expect(await early).toBe(10);
  await turn();
  expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  batches[1]?.finish();
  expect(await Promise.all(late)).toEqual([20, 30]);
});

test('a batch that fails does so only for its own items', async () => {
  const { batches, work } = createHeldWork();
  const ask = createBatcher(work, 2);
  const first = [ask(1), ask(2)];
  await turn();
  const second = ask(3);
  await turn();
  expect(batches).toHaveLength(2);
  batches[0]?.fail(new Error('lost'));
  batches[1]?.finish();
  const outcomes = await Promise.allSettled(first);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await second).toBe(30);
  const third = ask(4);
  await turn();
  batches[2]?.finish();
  expect(await third).toBe(40);
});

test('a batch holds 512 at the most', async () => {
  const { batches, work } = createHeldWork();
  const ask = createBatcher(work, 1);
  const asked = Array.from({ length: 700 }, (_, n) => ask(n));
  await turn();
  batches[0]?.finish();
  await asked[0];
  await turn();
  batches[1]?.finish();
  await Promise.all(asked);
  expect(batches.map(({ items }) => items.length)).toEqual([512, 188]);
});
