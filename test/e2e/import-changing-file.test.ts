import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { openFile } from '../../src/cli/import/text-file.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

/** An import reads its file twice: once to check it, then to take its rows. */
test('a file that changes between the two reads is refused', async () => {
  using folder = createTemporaryFolder();
  const path = folder.file('animals.csv');
  writeFileSync(path, 'Name\nRex\n');
  const file = openFile(path, () => {});
  const read = async () => Buffer.concat(await Array.fromAsync(file.read())).toString();
  expect(await read()).toBe('Name\nRex\n');
  expect(await read()).toBe('Name\nRex\n');
  writeFileSync(path, 'Name\nRex\nTom\n');
  await expect(read()).rejects.toThrow(
    `${path} changed while it was being read; nothing was imported.`,
  );
});
