import { beforeEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { forEachTest } from '../support/lifetime.ts';
import { createWorkspace, expectFailure } from './workspace.ts';

const REJECTED = 'animals.csv.rejected.csv';
const BAD = 'name,categoryId\nRex,x\n';
const GOOD = 'name,categoryId\nRex,1\n';
const OURS = 'line,reason,name,categoryId\n2,why,Rex,x\n';

let place: string;
const workspace = forEachTest(() => createWorkspace());
beforeEach(() => {
  place = workspace.path(REJECTED);
});

/** Imports a file with a row to reject, which must fail before anything is written. */
async function expectRefusal(): Promise<void> {
  const finished = await workspace.run('import', workspace.write('animals.csv', BAD));
  expectFailure(
    finished,
    1,
    /rejected rows go to \S+rejected\.csv, but the file there is not from/,
  );
  expect(await workspace.animals()).toEqual([]);
}

const rights = () => lstatSync(place).mode & 0o777;
const isRoot = process.geteuid?.() === 0;

describe('the file of rejected rows', () => {
  test('is readable only by its owner', async () => {
    await workspace.importCsv(BAD);
    expect(rights()).toBe(0o600);
  });

  test('replaces that of an earlier import, and narrows its permissions', async () => {
    writeFileSync(place, `${OURS}${'9,more,,\n'.repeat(99)}`);
    chmodSync(place, 0o644);
    await workspace.importCsv(BAD);
    expect(readFileSync(place, 'utf8')).toBe(
      'line,reason,name,categoryId\n2,"category id ""x"" must be a 64-bit whole number",Rex,x\n',
    );
    expect(rights()).toBe(0o600);
  });

  test('does not replace a file that no import made, nor remove it', async () => {
    writeFileSync(place, 'my notes\n');
    await expectRefusal();
    await workspace.importCsv(GOOD);
    expect(readFileSync(place, 'utf8')).toBe('my notes\n');
  });

  test.each([
    ['that exists', 'target.csv'],
    ['that is missing', 'nowhere.csv'],
  ])('does not follow a link to a file %s', async (_what, target) => {
    workspace.write('target.csv', OURS);
    symlinkSync(workspace.path(target), place);
    await expectRefusal();
    await workspace.importCsv(GOOD);
    expect(readlinkSync(place)).toBe(workspace.path(target));
    expect(readFileSync(workspace.path('target.csv'), 'utf8')).toBe(OURS);
    expect(workspace.exists('nowhere.csv')).toBe(false);
  });

  test('is not written to a file with another hard link', async () => {
    linkSync(workspace.write('other.csv', OURS), place);
    await expectRefusal();
    expect(readFileSync(place, 'utf8')).toBe(OURS);
  });

  test('is not written to a pipe, and nothing waits for a reader', async () => {
    expect(Bun.spawnSync(['mkfifo', place]).exitCode).toBe(0);
    await expectRefusal();
    await workspace.importCsv(GOOD);
    expect(lstatSync(place).isFIFO()).toBe(true);
  });

  // Only root can give a file to another user.
  test.skipIf(!isRoot)('is not written to a file of another user', async () => {
    writeFileSync(place, OURS);
    chownSync(place, 12_345, 12_345);
    await expectRefusal();
    await workspace.importCsv(GOOD);
    expect(readFileSync(place, 'utf8')).toBe(OURS);
  });
});
