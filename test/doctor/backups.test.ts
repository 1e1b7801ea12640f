import { expect, test } from 'bun:test';
import { chmodSync, truncateSync, writeFileSync } from 'node:fs';
import { appendChecksum } from '../../src/storage/checksum.ts';
import { forEachTest } from '../support/lifetime.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { examined, findingsLike, troubles, verdictOn } from './examination.ts';

const AT = Date.UTC(2027, 0, 15);
const HOUR = 3_600_000;

const folder = forEachTest(() => createTemporaryFolder());

const look = (now: number, place = folder.path) =>
  examined(
    {
      PETSTORE_DATABASE: `sqlite:${folder.file('shop.db')}`,
      PETSTORE_BACKUP: place,
      PETSTORE_BACKUP_EVERY: '6h',
    },
    now,
  );

test('without the setting, it is advised', async () => {
  const [only, ...more] = findingsLike(await examined({}), 'backups', /./);
  expect(only).toMatchObject({
    verdict: 'advice',
    found: expect.stringContaining('makes no backups by itself'),
  });
  expect(more).toEqual([]);
});

/** Writes a backup that is whole, with this many bytes before its checksum. */
async function writeWhole(name: string, bytes: number): Promise<void> {
  writeFileSync(folder.file(name), Buffer.alloc(bytes));
  await appendChecksum(folder.file(name), async () => {});
}

test('a folder without backups, with a young one and with an old one', async () => {
  expect(troubles(await look(AT), 'backups')).toEqual([
    `advice backups: There is no backup in ${folder.path} yet.`,
  ]);
  await writeWhole('petstore-production-20270115T000000Z.backup', 4_096);
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

test('a newest backup that is cut off, and one that is empty', async () => {
  const name = 'petstore-production-20270115T000000Z.backup';
  await writeWhole(name, 4_096);
  truncateSync(folder.file(name), 4_100);
  expect(troubles(await look(AT), 'backups')).toEqual([
    `bad backups: ${folder.file(name)} is no whole backup.`,
  ]);
  truncateSync(folder.file(name), 0);
  expect(troubles(await look(AT), 'backups')).toEqual([
    `advice backups: There is no backup in ${folder.path} yet.`,
  ]);
});

test('a place of another database, and one on the disk of the database', async () => {
  writeFileSync(folder.file('shop.db'), '');
  const name = 'petstore-production-20270114T000000Z.backup';
  await writeWhole(name, 10_000);
  await writeWhole('petstore-production-20270115T000000Z.backup', 4_096);
  expect(troubles(await look(AT), 'backups')).toEqual([
    `advice backups: The newest backup has less than half the size of ${name}, which is kept.`,
    `advice backups: ${folder.path} is on the disk of the database, which takes its backups with it.`,
  ]);
  writeFileSync(folder.file('petstore-production.id'), 'other\nsqlite:/srv/other.db on here\n');
  const [trouble = ''] = troubles(await look(AT), 'backups');
  expect(trouble).toContain(
    'those of another database, sqlite:/srv/other.db on here: give this one',
  );
});
