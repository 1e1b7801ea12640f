import { beforeEach, expect, test } from 'bun:test';
import { existsSync, symlinkSync } from 'node:fs';
import { runHere } from '../support/command-line.ts';
import { forEachTest } from '../support/lifetime.ts';
import { createWorkspace, expectFailure } from './workspace.ts';

const workspace = forEachTest(() => createWorkspace());
beforeEach(async () => {
  await workspace.run('migrate');
  await workspace.add({ name: 'Rex' });
});

const move = (to: string) => runHere(['move', '--from', workspace.address, '--to', to]);
const newAddress = () => `sqlite:${workspace.path('new.db')}`;

test('a move fences the old database, and says what to do next', async () => {
  const moved = await move(newAddress());
  expect(moved.stdout).toStartWith(`Moved ${workspace.address} to ${newAddress()}: 1 animal`);
  expect(moved.stdout).toContain(`\n${workspace.address} is fenced. `);
  expect(moved.stdout).toEndWith(` serve --database ${newAddress()}\n`);
  expectFailure(await workspace.run('keys', 'list'), 1, /is fenced/);
});

test('the old and the new database must be different and valid', async () => {
  expectFailure(await move(workspace.address), 1, /--from and --to are the same database/);
  expectFailure(await move('mysql://x'), 1, /--to must be sqlite:PATH/);
  expectFailure(
    await runHere(['move', '--from', 'postgres://', '--to', newAddress()]),
    1,
    /--from must/,
  );
  expect(existsSync(workspace.path('new.db'))).toBe(false);
});

test('a database is not moved into itself under another name', async () => {
  const link = workspace.path('link.db');
  symlinkSync(workspace.path('petstore.db'), link);
  const refused = await move(`sqlite:${link}`);
  expect(refused.exitCode).toBe(1);
  expect((await workspace.animals()).map(({ name }) => name)).toEqual(['Rex']);
});
