import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS } from '../../src/domain/clock.ts';
import { forAllTests } from '../support/lifetime.ts';
import { createWorkspace, expectFailure } from './workspace.ts';

const workspace = forAllTests(() => createWorkspace());

interface Listed {
  readonly id: number;
  readonly expiresAt: string | null;
  readonly replaces: number | null;
  readonly plan: string;
  readonly usedToday: number;
}

const json = async (...args: string[]) =>
  JSON.parse(await workspace.output('keys', ...args, '--json'));
const create = async (...flags: string[]): Promise<string> =>
  String((await json('create', '--name', 'Partner', '--plan', 'pro', ...flags)).id);
async function listed(id: number | string): Promise<Listed> {
  const keys: readonly Listed[] = await json('list');
  const key = keys.find((one) => one.id === Number(id));
  if (key === undefined) throw new Error(`key ${id} is not listed`);
  return key;
}

test('a second rotation of a key gives its successor the original lifetime', async () => {
  const id = await create('--expires', '90d');
  const before = Date.now();
  const first = await json('rotate', id, '--overlap', '1h');
  const oldEnd = Date.parse((await listed(id)).expiresAt ?? '');
  expect(oldEnd).toBeLessThanOrEqual(Date.now() + HOUR_MS);
  const { stdout } = await workspace.run('keys', 'rotate', id, '--overlap', '48h');
  // The overlap of the first rotation still applies, and the message says so.
  expect(stdout).toContain(`Key ${id} still works until ${new Date(oldEnd).toISOString()}.`);
  for (const successor of [first.id, first.id + 1]) {
    const { expiresAt, replaces } = await listed(successor);
    expect(Date.parse(expiresAt ?? '')).toBeWithin(
      before + 90 * DAY_MS,
      Date.now() + 90 * DAY_MS + 1,
    );
    expect(replaces).toBe(Number(id));
  }
  expect((await listed(id)).replaces).toBeNull();
});

test('the successor of a key without an expiry has none, even after a second rotation', async () => {
  const id = await create();
  const first = await json('rotate', id);
  const second = await json('rotate', id);
  expect((await listed(first.id)).expiresAt).toBeNull();
  expect((await listed(second.id)).expiresAt).toBeNull();
});

test('the use of a key today is shown for its successor too', async () => {
  const id = await create();
  const { id: successor } = await json('rotate', id);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  {
    using database = new Database(new URL(workspace.address).pathname);
    database.run('INSERT INTO allowances VALUES (?, 0, 0, 0, 0, ?, 12, 0, 0, 0, 0, 0, 0, 0)', [
      Number(id),
      today,
    ]);
  }
  expect((await listed(id)).usedToday).toBe(12);
  expect((await listed(successor)).usedToday).toBe(12);
});

test.each([
  ['revoked', 'is revoked'],
  ['expired', 'has expired'],
])('a key that is %s is neither rotated nor changed', async (how, reason) => {
  const id = await create();
  if (how === 'revoked') await workspace.output('keys', 'revoke', id);
  else {
    using database = new Database(new URL(workspace.address).pathname);
    database.run('UPDATE api_keys SET expires_at = ? WHERE id = ?', [Date.now(), Number(id)]);
  }
  const before = await json('list');
  const message = new RegExp(
    `^petstore: Key ${id} ${reason}, so it cannot be rotated or changed: create a new key\\.\n$`,
  );
  expectFailure(await workspace.run('keys', 'rotate', id), 1, message);
  expectFailure(await workspace.run('keys', 'change', id, '--plan', 'free'), 1, message);
  expect(await json('list')).toEqual(before);
});
