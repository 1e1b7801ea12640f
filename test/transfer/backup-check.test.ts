import { Database } from 'bun:sqlite';
import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { checkBackupFile } from '../../src/storage/sqlite/backup-file.ts';
import { forEachTest } from '../support/lifetime.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { putContent } from './content.ts';
import { some } from './moving.ts';

// The database is made on a machine that may be busy.
setDefaultTimeout(60_000);

const PAGE_BYTES = 4_096;
/** Where the header of a database says how many pages are free. */
const FREE_PAGES_AT = 36;

let path: string;
const folder = forEachTest(() => createTemporaryFolder());
beforeEach(async () => {
  path = folder.file('shop.db');
  await putContent(`sqlite:${path}`, some());
});

/** Where the first page of a table or index begins in the file. */
function rootOf(name: string): number {
  using database = new Database(path);
  const sql = 'SELECT rootpage FROM sqlite_schema WHERE name = ?';
  const page = database.query<{ rootpage: number }, [string]>(sql).get(name)?.rootpage ?? 0;
  return (page - 1) * PAGE_BYTES;
}

function overwrite(bytes: Uint8Array, offset: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, offset);
  closeSync(file);
}

function pageAt(offset: number): Buffer {
  const bytes = Buffer.alloc(PAGE_BYTES);
  const file = openSync(path, 'r');
  readSync(file, bytes, 0, PAGE_BYTES, offset);
  closeSync(file);
  return bytes;
}

const check = () => checkBackupFile(path);

test('a backup that is whole passes, and may be stopped before every table', async () => {
  let asked = 0;
  await checkBackupFile(path, async () => void asked++);
  for (let stopAt = 1; stopAt <= asked; stopAt++) {
    let n = 0;
    const checking = checkBackupFile(path, async () => {
      if (++n === stopAt) throw new Error('enough');
    });
    await expect(checking).rejects.toThrow('enough');
  }
  expect(asked).toBeGreaterThan(8);
});

test.each([
  [
    'lost a row that others refer to',
    () => {
      using database = new Database(path);
      database.run('PRAGMA foreign_keys = OFF');
      database.run("INSERT INTO profiles VALUES (404, '{}', '{}')");
    },
    /is damaged \(1 rows refer to rows that are not there\)/,
  ],
  [
    'has an index of other values than its rows',
    () => {
      const root = rootOf('pets_by_status');
      const other = pageAt(root)
        .toString('latin1')
        .replaceAll(/(?<=sol|availabl|pendin)[deg]/g, 'z');
      overwrite(Buffer.from(other, 'latin1'), root);
    },
    /is damaged \(.*missing from index pets_by_status/s,
  ],
  [
    'has free pages that do not add up',
    () => overwrite(Buffer.from([0, 0, 0, 9]), FREE_PAGES_AT),
    /is damaged \(.*should be 9/s,
  ],
])('a backup is refused that %s', async (_, damage, message) => {
  await check();
  damage();
  await expect(check()).rejects.toThrow(message);
});
