import { expect, test } from 'bun:test';
import { keysInUse } from '../../src/cli/key-output.ts';
import type { Allowance } from '../../src/domain/allowance.ts';
import { DAY_MS } from '../../src/domain/clock.ts';
import { openStorage } from '../../src/storage/open.ts';
import { newKey } from '../storage/subject.ts';
import { createWorkspace } from './workspace.ts';

const TODAY = Date.UTC(2027, 0, 15);
const NOON = TODAY + DAY_MS / 2;
const YESTERDAY = TODAY - DAY_MS;
const TOMORROW = TODAY + DAY_MS;
const NEVER = { start: 0, used: 0, otherStart: 0, otherUsed: 0 };

test('a database without keys says how to create one', async () => {
  using workspace = createWorkspace();
  await workspace.run('migrate');
  expect(await workspace.output('keys', 'list')).toMatch(
    /^There are no keys yet. Create one with `.+ keys create`\.\n$/,
  );
  expect(await workspace.output('keys', 'list', '--json')).toBe('[]\n');
});

test.each<[use: string, day: Allowance['day'], usedToday: number]>([
  ['today', { ...NEVER, start: TODAY, used: 5 }, 5],
  ['yesterday', { ...NEVER, start: YESTERDAY, used: 5 }, 0],
  ['both', { start: TODAY, used: 5, otherStart: YESTERDAY, otherUsed: 7 }, 5],
  // The clock was set back after midnight.
  ['tomorrow and today', { start: TOMORROW, used: 7, otherStart: TODAY, otherUsed: 5 }, 5],
])('of use of %s, only that of today counts', async (_, day, usedToday) => {
  const storage = await openStorage('sqlite::memory:', 'production');
  const key = await storage.keys.create(newKey());
  const none = { refusalsStart: 0, refusals: 0, bans: 0, bannedUntil: 0, unbannedAt: 0 };
  const allowance = { keyId: key.familyId, minute: NEVER, day, ...none };
  await storage.allowances.save([allowance]);
  expect(keysInUse([key], await storage.allowances.list(), NOON)).toMatchObject([{ usedToday }]);
  await storage.close();
});
