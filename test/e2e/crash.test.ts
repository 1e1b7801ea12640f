import { expect, test } from 'bun:test';
import { spawnPetstore } from '../command-line.ts';
import { createServingKey, type Serving, serving } from '../serving.ts';
import { createTemporaryFolder } from '../temporary.ts';
import { audit, auditDatabase } from './crash/audit.ts';
import { createLedger, type Ledger } from './crash/ledger.ts';
import { createRandom, type Random } from './crash/random.ts';
import { work } from './crash/worker.ts';

/*
 * PETSTORE_CRASH_CYCLES=1000 for a long run; PETSTORE_CRASH_SEED for other moments and requests,
 * or the same again.
 */
const CYCLES = Number(process.env['PETSTORE_CRASH_CYCLES'] ?? 6);
const SEED = Number(process.env['PETSTORE_CRASH_SEED'] ?? 20_270_115);

const WORKERS = 12;
/** How long a server lives under load, at least and at most. */
const LIFE_MS = [50, 450] as const;
/** So many cycles happen to one database: everything in it is looked at after each. */
const CYCLES_ON_ONE = 10;
const ENTERPRISE = ['--plan', 'enterprise', '--per-minute', '100000000', '--per-day', '1000000000'];

/** Lets workers write until the server is killed at a moment by chance. */
async function writeUntilKilled(server: Serving, ledger: Ledger, random: Random): Promise<void> {
  let over = false;
  const workers = Array.from({ length: WORKERS }, (_, i) =>
    work({
      name: `${server.port}.${i}`,
      client: server.client,
      ledger,
      random: createRandom(random.below(2 ** 31)),
      isOver: () => over,
    }),
  );
  await Bun.sleep(LIFE_MS[0] + random.below(LIFE_MS[1] - LIFE_MS[0]));
  over = true;
  server.child.kill('SIGKILL');
  await server.child.exited;
  await Promise.all(workers);
}

/** Some cycles of load, kill -9 and restart on one database; gives what was told. */
async function crash(cycles: number, random: Random): Promise<Ledger> {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const settings = { PETSTORE_DATABASE: `sqlite:${path}`, PETSTORE_LOG_LEVEL: 'silent' };
  const key = await createServingKey(settings, ...ENTERPRISE);
  const start = () => serving(spawnPetstore(['serve', '--port', '0'], settings), key);
  const ledger = createLedger();
  let server = await start();
  try {
    for (let cycle = 0; cycle < cycles; cycle++) {
      await writeUntilKilled(server, ledger, random);
      server = await start();
      auditDatabase(ledger, path);
      await audit(ledger, server.client);
      expect(ledger.problems).toEqual([]);
    }
  } finally {
    server.child.kill('SIGKILL');
    await server.child.exited;
  }
  return ledger;
}

test(
  'kill -9 at any moment loses nothing that was acknowledged, and leaves nothing half done',
  async () => {
    const random = createRandom(SEED);
    let requests = 0;
    let unanswered = 0;
    for (let done = 0; done < CYCLES; done += CYCLES_ON_ONE) {
      const ledger = await crash(Math.min(CYCLES_ON_ONE, CYCLES - done), random);
      requests += ledger.requests;
      unanswered += ledger.unanswered;
    }
    console.log(`seed ${SEED}: ${CYCLES} kills, ${requests} writes, ${unanswered} unanswered`);
    // Else the kills came when nothing was under way.
    expect(unanswered).toBeGreaterThan(CYCLES);
  },
  20_000 + CYCLES * 10_000,
);
