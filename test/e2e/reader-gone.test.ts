import { afterAll, expect, test } from 'bun:test';
import { spawnPetstore } from '../support/command-line.ts';
import { createWorkspace } from './workspace.ts';

const workspace = createWorkspace();
afterAll(() => workspace[Symbol.dispose]());

test.each(['notices', 'openapi', 'openapi --yaml', 'keys list', 'keys list --json', 'export'])(
  'a reader that leaves early is no failure of %s',
  async (command) => {
    await workspace.run('migrate');
    const child = spawnPetstore(command.split(' '), { PETSTORE_DATABASE: workspace.address });
    // The pipe is closed long before the process starts.
    await child.stdout.cancel();
    expect(await child.stderr.text()).toBe('');
    expect(await child.exited).toBe(0);
  },
);

test('a full disk fails with one sentence', async () => {
  const child = spawnPetstore(['notices'], {}, ['sh', '-c', '"$@" >/dev/full', 'sh']);
  expect(await child.stderr.text()).toMatch(/^petstore: ENOSPC: .+\n$/);
  expect(await child.exited).toBe(1);
});
