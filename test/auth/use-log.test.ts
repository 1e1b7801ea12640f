import { expect, test } from 'bun:test';
import { createUseLog } from '../../src/auth/credential-cache.ts';

test('a use is known while a lookup may have read before it was written', async () => {
  const stored: [string, number][] = [];
  const uses = createUseLog<string>(async (given) => void stored.push(...given));
  uses.record('session', 7);
  const looking = uses.latest('session');
  await uses.flush();
  expect([looking, uses.latest('session'), stored]).toEqual([7, 7, [['session', 7]]]);
  uses.record('session', 9);
  expect(uses.latest('session')).toBe(9);
});

test('uses that cannot be stored wait for the next time', async () => {
  let isDown = true;
  const stored: [string, number][] = [];
  const uses = createUseLog<string>(async (given) => {
    if (isDown) throw new Error('down');
    stored.push(...given);
  });
  uses.record('one', 1);
  uses.record('two', 2);
  await uses.flush().catch(() => {});
  uses.record('two', 3);
  isDown = false;
  await uses.flush();
  expect(stored).toEqual([
    ['one', 1],
    ['two', 3],
  ]);
});
