import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createFolder } from '../../src/backups/folder.ts';
import { MINUTE_MS } from '../../src/domain/clock.ts';
import { backUp } from '../../src/storage/transfer/backup.ts';
import { openSource } from '../../src/storage/transfer/open-portable.ts';
import { canMountSmallDisks, mountSmallDisk } from '../storage/small-disk.ts';
import { createTestClock } from '../support/clock.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { startServing } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { UNWATCHED } from '../transfer/content.ts';
import {
  backupsIn,
  fill,
  makersOf,
  partialIn,
  petsOf,
  restoredPets,
  startMaking,
  untilBackups,
  untilFailures,
} from './making.ts';

// Databases are filled and restored.
setDefaultTimeout(180_000);

/** So many that a backup can be seen under way. */
const MANY = 20_000;

const untilUnderWay = (folder: string) =>
  eventually(
    () => partialIn(folder),
    (found) => found.length === 1,
  );

describe.each([chosenEngine()])('a backup of $name', (engine) => {
  test('whose process is killed leaves none, and the next one is whole', async () => {
    using folder = createTemporaryFolder();
    await using database = await engine.createDatabase();
    await fill(database, MANY);
    const clock = createTestClock();
    await using making = startMaking(database, folder.path, clock);
    await untilUnderWay(folder.path);
    const [maker = 0, ...more] = makersOf();
    expect(more).toEqual([]);
    process.kill(maker, 'SIGKILL');
    await untilFailures(making, 1);
    expect(making.log).toEqual([expect.stringContaining('signal SIGKILL')]);
    expect([backupsIn(folder.path), partialIn(folder.path).length]).toEqual([[], 1]);
    clock.advance(MINUTE_MS);
    const [name = ''] = await untilBackups(folder.path, 1);
    expect(partialIn(folder.path)).toEqual([]);
    expect(await restoredPets(folder.file(name))).toEqual(await petsOf(database));
  });

  test('is given up when its server ends', async () => {
    using folder = createTemporaryFolder();
    await using database = await engine.createDatabase();
    await fill(database, MANY);
    const making = startMaking(database, folder.path, createTestClock());
    await untilUnderWay(folder.path);
    await making.end();
    expect([makersOf(), making.log]).toEqual([[], []]);
    expect(backupsIn(folder.path)).toEqual([]);
  });

  test('is given up when its server is killed, which makes it again after its start', async () => {
    using folder = createTemporaryFolder();
    await using database = await engine.createDatabase();
    await fill(database, MANY);
    const settings = { PETSTORE_DATABASE: database.address, PETSTORE_BACKUP: folder.path };
    {
      await using killed = await startServing(settings);
      await untilUnderWay(folder.path);
      killed.child.kill('SIGKILL');
      await killed.child.exited;
    }
    await eventually(
      () => partialIn(folder.path),
      (found) => found.length === 0,
    );
    await using server = await startServing(settings);
    const [name = ''] = await untilBackups(folder.path, 1);
    expect((await server.client.get('/v1/pets')).status).toBe(200);
    expect(await restoredPets(folder.file(name))).toEqual(await petsOf(database));
  });
});

describe.skipIf(!canMountSmallDisks)('a full disk', () => {
  test('of the database is not filled by a backup', async () => {
    using disk = mountSmallDisk(16_384);
    const address = `sqlite:${disk.path}/shop.db`;
    await fill({ address }, 5_000);
    const filler = `${disk.path}/filler`;
    const { bavail, bsize } = statfsSync(disk.path);
    // A backup would fit, but leave little.
    const little = 1.5 * Bun.file(`${disk.path}/shop.db`).size;
    writeFileSync(filler, Buffer.alloc(bavail * bsize - little));
    const clock = createTestClock();
    await using making = startMaking({ address }, disk.path, clock);
    await untilFailures(making, 1);
    expect(making.log).toEqual([
      expect.stringMatching(/has no room: [\d,]+ bytes are free.*this is the disk of the database/),
    ]);
    expect(partialIn(disk.path)).toEqual([]);
    await fill({ address }, 10);
    rmSync(filler);
    clock.advance(MINUTE_MS);
    const [name = ''] = await untilBackups(disk.path, 1);
    expect(await restoredPets(`${disk.path}/${name}`)).toEqual(await petsOf({ address }));
  });

  test('that fills up while a backup is written keeps nothing of it', async () => {
    using disk = mountSmallDisk(512);
    using folder = createTemporaryFolder();
    const address = `sqlite:${folder.file('shop.db')}`;
    await fill({ address }, 5_000);
    const place = createFolder(disk.path, 'production');
    const source = await openSource(address, 'read');
    const name = 'petstore-production-20270115T120030Z.backup';
    const stored = place.store(name, -1_048_576, (path) =>
      backUp(source, { path, force: false, own: undefined }, UNWATCHED),
    );
    await expect(stored).rejects.toThrow(
      /(?:disk is full|no space left).*There is no new backup\./,
    );
    await source.close();
    expect(readdirSync(disk.path)).toEqual([]);
  });
});
