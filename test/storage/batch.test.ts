import { expect, test } from 'bun:test';
import { createBatcher } from '../../src/domain/batch.ts';

/** Work that ends when the test resolves or rejects it. */
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

test('items of one turn form one batch, and each gets its own result', async () => {
  const { batches, work } = createHeldWork();
  const submit = createBatcher(work, 1);
  const submitted = [submit(1), submit(2), submit(3)];
  expect(batches).toEqual([]);
  await turn();
  expect(batches.map(({ items }) => items)).toEqual([[1, 2, 3]]);
  batches[0]?.finish();
  expect(await Promise.all(submitted)).toEqual([10, 20, 30]);
});

test('an item that arrives after a batch was sent joins the next one', async () => {
  const { batches, work } = createHeldWork();
  const submit = createBatcher(work, 1);
  const early = submit(1);
  await turn();
  const late = [submit(2)];
  await turn();
  late.push(submit(3));
  await turn();
  expect(batches.map(({ items }) => items)).toEqual([[1]]);
  batches[0]?.finish();
  expect(await early).toBe(10);
  await turn();
  expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  batches[1]?.finish();
  expect(await Promise.all(late)).toEqual([20, 30]);
});

test('a failed batch fails only for its own items', async () => {
  const { batches, work } = createHeldWork();
  const submit = createBatcher(work, 2);
  const first = [submit(1), submit(2)];
  await turn();
  const second = submit(3);
  await turn();
  expect(batches).toHaveLength(2);
  batches[0]?.fail(new Error('lost'));
  batches[1]?.finish();
  const outcomes = await Promise.allSettled(first);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await second).toBe(30);
  const third = submit(4);
  await turn();
  batches[2]?.finish();
  expect(await third).toBe(40);
});

test('a batch holds at most 512 items', async () => {
  const { batches, work } = createHeldWork();
  const submit = createBatcher(work, 1);
  const submitted = Array.from({ length: 700 }, (_, n) => submit(n));
  await turn();
  batches[0]?.finish();
  await submitted[0];
  await turn();
  batches[1]?.finish();
  await Promise.all(submitted);
  expect(batches.map(({ items }) => items.length)).toEqual([512, 188]);
});
