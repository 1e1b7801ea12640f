import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import fc from 'fast-check';
import { appendChecksum, verifyChecksum } from '../../src/storage/checksum.ts';
import { runPetstore } from '../support/command-line.ts';
import { forAllTests } from '../support/lifetime.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { contentOf, putContent, restoredContent } from './content.ts';
import { some } from './moving.ts';

// Each test runs commands.
setDefaultTimeout(60_000);

const CONTENT = some();
let address: string;
let whole: Buffer;
const folder = forAllTests(() => createTemporaryFolder());
beforeAll(async () => {
  address = `sqlite:${folder.file('shop.db')}`;
  await putContent(address, CONTENT);
  const path = folder.file('shop.backup');
  await runPetstore(['backup', path], { PETSTORE_DATABASE: address });
  whole = readFileSync(path);
});

/** Writes a file, and returns its path. */
function fileOf(name: string, bytes: Buffer): string {
  const path = folder.file(name);
  writeFileSync(path, bytes);
  return path;
}

function changedAt(position: number, by: number): Buffer {
  const bytes = Buffer.from(whole);
  bytes[position] = (bytes[position] ?? 0) ^ by;
  return bytes;
}

/** Where the hash of an imported row is in the file: SQLite itself would notice no change of it. */
function valueAt(): number {
  return whole.indexOf(String(CONTENT.rows['imported_rows']?.[0]?.[1]));
}

test('a backup with any byte changed is not whole', async () => {
  expect(await verifyChecksum(fileOf('whole', whole))).toBe('whole');
  const change = fc.record({
    position: fc.nat(whole.length - 1),
    by: fc.integer({ min: 1, max: 255 }),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ position, by }) => {
      expect(await verifyChecksum(fileOf('changed', changedAt(position, by)))).not.toBe('whole');
    }),
    { numRuns: 100 },
  );
});

test.each([
  ['a changed value', () => changedAt(valueAt(), 1)],
  ['a changed checksum', () => changedAt(whole.length - 3, 1)],
  ['a changed trailer', () => changedAt(whole.length - 80, 1)],
])('restore and --verify refuse %s', async (_, bytes) => {
  const path = fileOf('damaged', bytes());
  const target = folder.file('target.db');
  const restored = await runPetstore(['restore', path], { PETSTORE_DATABASE: `sqlite:${target}` });
  const verified = await runPetstore(['backup', '--verify', path], {});
  for (const { exitCode, stdout, stderr } of [restored, verified]) {
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/has changed since it was written|its checksum is missing/);
  }
});

test('a backup that was cut off or added to is refused', async () => {
  const path = fileOf('cut', whole);
  truncateSync(path, whole.length - 4_096);
  const cut = await runPetstore(['backup', '--verify', path], {});
  expect(cut.exitCode).toBe(1);
  expect(cut.stderr).toContain('use another');
  expect(cut.stderr).not.toContain('in its place');
  const longer = fileOf('longer', whole);
  appendFileSync(longer, '\n');
  expect((await runPetstore(['backup', '--verify', longer], {})).exitCode).toBe(1);
});

test('--verify says that a folder is no file', async () => {
  const { exitCode, stderr } = await runPetstore(['backup', '--verify', folder.path], {});
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/cannot be read \(\w+\): it must be a file/);
});

test('--verify says what a whole backup holds', async () => {
  const { exitCode, stdout } = await runPetstore(
    ['backup', '--verify', fileOf('whole', whole)],
    {},
  );
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/ is a whole production backup: \d+ animals?, .*every byte as written\)/);
});

test('backup - streams a whole backup', async () => {
  const child = Bun.spawn([process.execPath, 'src/main.ts', 'backup', '-', '--database', address], {
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const path = fileOf('streamed', Buffer.from(await child.stdout.bytes()));
  expect(await child.exited).toBe(0);
  const target = `sqlite:${folder.file('streamed.db')}`;
  const restored = await runPetstore(['restore', path], { PETSTORE_DATABASE: target });
  expect(restored).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await contentOf(target)).toEqual(restoredContent(CONTENT));
});

test('a file that is removed while it is read is not made again from its checksum', async () => {
  const path = fileOf('removed', whole);
  const added = appendChecksum(path, async () => rmSync(path, { force: true }));
  await expect(added).rejects.toThrow('was changed or removed by another program');
  expect(existsSync(path)).toBe(false);
});
