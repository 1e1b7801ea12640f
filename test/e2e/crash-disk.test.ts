import { describe, expect, test } from 'bun:test';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/open.ts';
import { canMountSmallDisks, mountSmallDisk } from '../storage/small-disk.ts';
import { liveLogBytes } from '../storage/write-ahead-log.ts';
import { spawnPetstore } from '../support/command-line.ts';
import { forEachTest } from '../support/lifetime.ts';
import { createServingKey, type Serving, serving, UNLIMITED } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { auditFile } from './crash/audit.ts';
import { auditByServer } from './crash/cycles.ts';
import { createLedger } from './crash/ledger.ts';
import { createRandom } from './crash/random.ts';
import { writeUntilKilled } from './crash/workers.ts';

const SEED = 20_270_116;
const TEARS = 25;

const folder = forEachTest(() => createTemporaryFolder());

function settingsFor(path: string) {
  return { PETSTORE_DATABASE: `sqlite:${path}`, PETSTORE_LOG_LEVEL: 'silent' };
}

async function startServer(path: string) {
  const key = await createServingKey(settingsFor(path), ...UNLIMITED);
  return serving(spawnPetstore(['serve', '--port', '0'], settingsFor(path)), key);
}

/** Kills a server once the condition holds. */
async function killedWhen({ child }: Serving, isReached: () => boolean): Promise<void> {
  while (!isReached()) await Bun.sleep(1);
  child.kill('SIGKILL');
  await child.exited;
}

test('a torn write-ahead log keeps its whole transactions and no partial ones', async () => {
  const random = createRandom(SEED);
  const path = folder.file('petstore.db');
  const server = await startServer(path);
  const ledger = createLedger();
  // Long before the log is written into the file, at 4 MiB: it is on disk as a whole before that, so then it has no tears.
  const isUnderWay = () => {
    const bytes = liveLogBytes(path);
    return ledger.requests > 300 && bytes > 1_000_000 && bytes < 3_000_000;
  };
  await writeUntilKilled(server, killedWhen(server, isUnderWay), ledger, random);
  expect(ledger.problems).toEqual([]);

  const log = readFileSync(`${path}-wal`).subarray(0, liveLogBytes(path));
  const counts = new Set<number>();
  for (let tear = 0; tear < TEARS; tear++) {
    const torn = folder.file(`torn-${tear}.db`);
    copyFileSync(path, torn);
    // A power cut leaves the start of the log, followed by a sector of old data.
    const length = random.below(log.length);
    const garbage = Buffer.alloc(512, random.below(256));
    writeFileSync(`${torn}-wal`, Buffer.concat([log.subarray(0, length), garbage]));
    const storage = await openStorage(`sqlite:${torn}`, 'production');
    counts.add(await storage.pets.count());
    await storage.close();
    await auditFile(ledger, torn);
    expect(ledger.problems).toEqual([]);
  }
  // Otherwise all tears hit the same transaction.
  expect(counts.size).toBeGreaterThan(2);
}, 60_000);

// Skipped if mounting is not permitted; CI=true makes it mandatory.
describe.skipIf(!canMountSmallDisks)('a full disk', () => {
  test('under load, then a kill: acknowledged writes are there, refused ones are not', async () => {
    using disk = mountSmallDisk(3_072);
    const path = join(disk.path, 'petstore.db');
    // The load fills the rest of the disk; removing this file makes room again.
    writeFileSync(join(disk.path, 'filler'), Buffer.alloc(512 * 1024));
    const server = await startServer(path);
    const ledger = createLedger();
    const killed = killedWhen(server, () => ledger.refused >= 100);
    await writeUntilKilled(server, killed, ledger, createRandom(SEED), true);
    expect(ledger.problems).toEqual([]);
    expect(ledger.requests).toBeGreaterThan(ledger.refused);

    rmSync(join(disk.path, 'filler'));
    await auditFile(ledger, path);
    await auditByServer(ledger, settingsFor(path), server.client.key ?? '');
    expect(ledger.problems).toEqual([]);
  }, 60_000);
});
