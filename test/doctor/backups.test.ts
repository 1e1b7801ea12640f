import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { examined, findingsLike, troubles, verdictOn } from './examination.ts';

const AT = Date.UTC(2027, 0, 15);
const HOUR = 3_600_000;

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const look = (now: number, place = folder.path) =>
  examined(
    {
      PETSTORE_DATABASE: `sqlite:${folder.file('shop.db')}`,
      PETSTORE_BACKUP: place,
      PETSTORE_BACKUP_EVERY: '6h',
    },
    now,
  );

test('without the setting, backups are not mentioned', async () => {
  expect(findingsLike(await examined({}), 'backups', /./)).toEqual([]);
});

test('a folder without backups, with a young one and with an old one', async () => {
  expect(troubles(await look(AT), 'backups')).toEqual([
    `advice backups: There is no backup in ${folder.path} yet.`,
  ]);
  writeFileSync(folder.file('petstore-production-20270115T000000Z.backup'), '');
  const young = await look(AT + 12 * HOUR);
  expect(verdictOn(young, 'backups', /Files can be made in/)).toBe('good');
  expect(verdictOn(young, 'backups', /is of 2027-01-15T00:00:00.000Z\.$/)).toBe('good');
  expect(troubles(await look(AT + 13 * HOUR), 'backups')).toEqual([
    'bad backups: The newest backup is of 2027-01-15T00:00:00.000Z, and a newer one was due.',
  ]);
});

test('a place that cannot be used', async () => {
  const missing = folder.file('missing');
  expect(troubles(await look(AT, missing), 'backups')).toEqual([
    `bad backups: No backup can be made in ${missing}: there is no folder ${missing}.`,
  ]);
});

test.skipIf(process.getuid?.() === 0)('a folder of somebody else', async () => {
  chmodSync(folder.path, 0o500);
  const [trouble = ''] = troubles(await look(AT), 'backups');
  chmodSync(folder.path, 0o700);
  expect(trouble).toMatch(/^bad backups: No backup can be made in .*EACCES/);
});
