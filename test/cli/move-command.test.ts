import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, symlinkSync } from 'node:fs';
import { runHere } from '../support/command-line.ts';
import { createWorkspace, expectFailure, type Workspace } from './workspace.ts';

let workspace: Workspace;
beforeEach(async () => {
  workspace = createWorkspace();
  await workspace.run('migrate');
  await workspace.add({ name: 'Rex' });
});
afterEach(() => workspace[Symbol.dispose]());

const move = (to: string, ...flags: readonly string[]) =>
  runHere(['move', '--from', workspace.address, '--to', to, ...flags]);
const newAddress = () => `sqlite:${workspace.path('new.db')}`;

test('a rehearsal leaves the old database in service, and a move does not', async () => {
  const rehearsed = await move(newAddress(), '--keep-source');
  expect(rehearsed).toMatchObject({ exitCode: 0, stderr: '', newDatabase: newAddress() });
  expect(rehearsed.stdout).toStartWith(`Copied ${workspace.address} to ${newAddress()}: 1 animal`);
  expect(rehearsed.stdout).toEndWith(`${workspace.address} stays in service.\n`);
  await workspace.add({ name: 'Tom' });

  const next = `sqlite:${workspace.path('next.db')}`;
  const moved = await move(next);
  expect(moved.stdout).toStartWith(`Moved ${workspace.address} to ${next}: 2 animals`);
  expect(moved.stdout).toContain(`\n${workspace.address} is fenced. `);
  expect(moved.stdout).toEndWith(` serve --database ${next}\n`);
});

test('the fence of a database is lifted only once', async () => {
  await move(newAddress());
  expectFailure(await workspace.run('keys', 'list'), 1, /is fenced/);
  const unseal = () => workspace.run('unseal');
  expect(await unseal()).toMatchObject({
    exitCode: 0,
    stdout: `${workspace.address} is no longer fenced.\n`,
  });
  expect(await unseal()).toMatchObject({
    exitCode: 0,
    stdout: `${workspace.address} was not fenced.\n`,
  });
  expect((await workspace.run('keys', 'list')).exitCode).toBe(0);
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
