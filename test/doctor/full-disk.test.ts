import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, statfsSync, writeFileSync } from 'node:fs';
import { appendChecksum } from '../../src/storage/checksum.ts';
import { openStorage } from '../../src/storage/open.ts';
import { canMountSmallDisks, mountSmallDisk } from '../storage/small-disk.ts';
import { examined, troubles, verdictOn } from './examination.ts';

setDefaultTimeout(60_000);

const look = (file: string) => examined({ PETSTORE_DATABASE: `sqlite:${file}` });

describe.skipIf(!canMountSmallDisks)('the disk of a SQLite database', () => {
  test('is full, or takes no writes', async () => {
    using disk = mountSmallDisk(2_048);
    const file = `${disk.path}/petstore.db`;
    await (await openStorage(`sqlite:${file}`, 'production')).close();
    chmodSync(file, 0o600);
    writeFileSync(`${disk.path}/filler`, Buffer.alloc(1_048_576));
    const full = await look(file);
    expect(troubles(full)).toEqual(['bad disk: Only 0 MiB are free for the database.']);
    expect(verdictOn(full, 'database', /photos are whole/)).toBe('good');

    expect(Bun.spawnSync(['mount', '-o', 'remount,ro', disk.path]).exitCode).toBe(0);
    expect(troubles(await look(file))).toEqual([
      `bad disk: No file can be made in ${disk.path}: its file system is read-only.`,
      'bad disk: Only 0 MiB are free for the database.',
      `bad disk: ${file} cannot be read and written: its file system is read-only.`,
    ]);
  });

  test('has less room than is wise', async () => {
    using disk = mountSmallDisk(65_536);
    const found = troubles(await look(`${disk.path}/petstore.db`), 'disk');
    expect(found).toEqual([expect.stringMatching(/^advice disk: Only 6[34] MiB are free/)]);
  });
});

test.skipIf(!canMountSmallDisks)('a disk without room for as many as are kept', async () => {
  using disk = mountSmallDisk(8_192);
  const lookAt = (place: string) =>
    examined({ PETSTORE_DATABASE: 'sqlite:missing/shop.db', PETSTORE_BACKUP: place });
  const name = 'petstore-production-20270115T000000Z.backup';
  writeFileSync(`${disk.path}/${name}`, Buffer.alloc(1_000_000));
  await appendChecksum(`${disk.path}/${name}`, async () => {});
  const tight =
    /14 backups do not fit .* the next 13 need 13,001,\d+ bytes, and \d,\d+,\d+ are there/;
  expect(verdictOn(await lookAt(disk.path), 'backups', tight)).toBe('advice');
  const { bavail, bsize } = statfsSync(disk.path);
  writeFileSync(`${disk.path}/filler`, Buffer.alloc(bavail * bsize - 1_000_000));
  const [trouble = ''] = troubles(await lookAt(disk.path), 'backups');
  expect(trouble).toMatch(/^bad backups: .* has no room: [\d,]+ bytes are free/);
});
