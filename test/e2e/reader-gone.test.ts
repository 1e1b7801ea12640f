import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createWorkspace } from '../cli/workspace.ts';
import { spawnPetstore } from '../support/command-line.ts';

const MAIN = join(import.meta.dir, '../../src/main.ts');

const workspace = createWorkspace();
afterAll(() => workspace[Symbol.dispose]());

test.each([
  ...['notices', 'openapi', 'openapi --yaml', 'keys list', 'keys list --json', 'export'],
  ...['--help', '--version', 'serve --help', 'serve --print-settings', 'keys create --help'],
  ...['migrate', 'usage', 'webhooks list', 'doctor', 'compact'],
])('a reader that leaves early is no failure of %s', async (command) => {
  await workspace.run('migrate');
  const child = spawnPetstore(command.split(' '), { PETSTORE_DATABASE: workspace.address });
  // The pipe is closed long before the process starts.
  await child.stdout.cancel();
  expect(await child.stderr.text()).toBe('');
  expect(await child.exited).toBe(0);
});

test('a full disk fails with one sentence', async () => {
  const child = spawnPetstore(['notices'], {}, ['sh', '-c', '"$@" >/dev/full', 'sh']);
  expect(await child.stderr.text()).toMatch(/^petstore: ENOSPC: .+\n$/);
  expect(await child.exited).toBe(1);
});

test.each(['serve --help', 'migrate'])('a full disk is no stack trace of %s', async (command) => {
  const settings = { PETSTORE_DATABASE: workspace.address };
  const redirected = ['sh', '-c', '"$@" >/dev/full', 'sh'];
  const child = spawnPetstore(command.split(' '), settings, redirected);
  expect(await child.stderr.text()).toMatch(/^petstore: standard output cannot .*ENOSPC.*\n$/);
  expect(await child.exited).toBe(1);
});

const STAYS =
  '"[{""intakeDate"":""2026-01-15"",""intakeType"":null,""outcomeDate"":null,""outcomeType"":null,""note"":null}]"';
const row = (id: number) => `${id},A name of some length,1,,available,${STAYS},2026-01-15,false\n`;

describe('the reader of an export', () => {
  const ROWS = 20_000;
  beforeAll(() =>
    workspace.add(...Array.from({ length: ROWS }, () => ({ name: 'A name of some length' }))),
  );

  test('may stop early without a failure', async () => {
    const command = `"${process.execPath}" "${MAIN}" export | head -n 2; echo "\${PIPESTATUS[0]}"`;
    const child = Bun.spawn(['bash', '-c', command], {
      env: { PATH: process.env['PATH'] ?? '', PETSTORE_DATABASE: workspace.address },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    expect(await child.stdout.text()).toBe(
      `id,name,categoryId,category,status,stays,inCareSince,published\n${row(1)}0\n`,
    );
    expect(await child.stderr.text()).toBe('');
  });

  test('may be slow and gets everything', async () => {
    const child = spawnPetstore(['export'], { PETSTORE_DATABASE: workspace.address });
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of child.stdout) {
      text += decoder.decode(chunk, { stream: true });
      await Bun.sleep(1);
    }
    expect(await child.exited).toBe(0);
    expect(text.split('\n')).toHaveLength(ROWS + 2);
    expect(text).toEndWith(row(ROWS));
  });

  test('may fail to write, which is reported', async () => {
    const child = Bun.spawn(['bash', '-c', `"${process.execPath}" "${MAIN}" export > /dev/full`], {
      env: { PATH: process.env['PATH'] ?? '', PETSTORE_DATABASE: workspace.address },
      stderr: 'pipe',
    });
    expect(await child.stderr.text()).toMatch(/^petstore: ENOSPC: no space left[^\n]*\n$/);
    expect(await child.exited).toBe(1);
  });
});
