import { expect, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { startPetstore } from '../support/start.ts';

const WRITES = 50;

test('each write that the database refuses is logged as one short line, and the cause once a second', async () => {
  await using petstore = await startPetstore();
  await petstore.database.destroy();
  const before = petstore.log.length;
  const began = performance.now();
  for (let i = 0; i < WRITES; i++) {
    const refused = await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    expectError(refused, 'service_unavailable');
  }
  const seconds = Math.ceil((performance.now() - began) / 1_000);
  // Those of a worker come a moment after its responses.
  const lines = await eventually(
    () => petstore.log.slice(before).map((line) => JSON.parse(line)),
    (all) => all.filter(({ status }) => status === 503).length >= WRITES,
  );
  expect(lines.filter(({ status }) => status === 503)).toHaveLength(WRITES);
  const causes = lines.filter(({ msg }) => msg === 'request failed');
  expect(causes.length).toBeGreaterThan(0);
  expect(causes.length).toBeLessThanOrEqual(seconds + 1);
  for (const { cause } of causes) {
    expect(Object.keys(cause).toSorted()).toEqual(expect.arrayContaining(['message', 'type']));
    expect(cause.stack).toBeUndefined();
  }
}, 60_000);
