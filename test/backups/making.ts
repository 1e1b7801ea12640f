import { readdirSync, readFileSync } from 'node:fs';
import { type Backups, createBackups } from '../../src/backups/schedule.ts';
import { DAY_MS } from '../../src/domain/clock.ts';
import { Scheduler } from '../../src/jobs/scheduler.ts';
import { openStorage } from '../../src/storage/open.ts';
import { addAnimals } from '../support/animals.ts';
import type { TestClock } from '../support/clock.ts';
import { runPetstore } from '../support/command-line.ts';
import type { TestDatabase } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { createTaskMemory } from '../support/task-memory.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { contentOf } from '../transfer/content.ts';

/** Backups of a test, with what they have logged. */
export interface Making extends Backups, AsyncDisposable {
  readonly log: readonly string[];
  end(): Promise<void>;
}

/** Starts to make backups of a database, as a server does. */
export function startMaking(
  database: Pick<TestDatabase, 'address'>,
  place: string,
  clock: TestClock,
  { keep = 14, isFenced = (): boolean => false } = {},
): Making {
  const log: string[] = [];
  const order = { database: database.address, environment: 'production' as const, place };
  const parts = {
    clock,
    log: {
      warn: (message: string) => log.push(message),
      info: (message: string, facts?: object) => log.push(`${message} ${JSON.stringify(facts)}`),
      error: (message: string, error?: unknown) => log.push(`${message}: ${error}`),
    },
  };
  const backups = createBackups({ order: { ...order, everyMs: DAY_MS, keep }, ...parts });
  const scheduler = new Scheduler({ storage: createTaskMemory(), isFenced, ...parts });
  scheduler.add(backups.task);
  const end = () => scheduler.end();
  return { ...backups, log, end, [Symbol.asyncDispose]: end };
}

/** Adds animals to a database, as another process would. Twenty thousand keep a backup busy for a while. */
export async function fill({ address }: Pick<TestDatabase, 'address'>, count: number) {
  const storage = await openStorage(address, 'production');
  for (let left = count; left > 0; left -= 1_000) {
    await addAnimals(
      storage,
      Array.from({ length: Math.min(left, 1_000) }, (_, i) => ({ name: `Rex ${left - i}` })),
    );
  }
  await storage.close();
}

const NAME = /^petstore-production-\d{8}T\d{6}Z\.backup$/;

/** The backups in a folder, the oldest first. */
export const backupsIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort();

/** What backups that are under way or were cut off have in a folder. */
export const partialIn = (folder: string) =>
  readdirSync(folder).filter((name) => name.endsWith('.partial'));

/** Waits until a folder holds this number of backups, and returns their names. */
export const untilBackups = (folder: string, count: number) =>
  eventually(
    () => backupsIn(folder),
    (found) => found.length === count,
    // Who takes over waits first until the one before is surely gone.
    3,
  );

/** Waits until this many attempts have failed. */
export const untilFailures = (making: Making, count: number) =>
  eventually(
    () => making.report().failures,
    (failures) => failures >= count,
  );

/** Restores a backup into a new file, and returns the rows of its animals. */
export async function restoredPets(path: string) {
  using folder = createTemporaryFolder();
  const address = `sqlite:${folder.file('restored.db')}`;
  const { exitCode, stderr } = await runPetstore(['restore', path, '--database', address]);
  if (exitCode !== 0) throw new Error(stderr);
  return petsOf({ address });
}

export async function petsOf({ address }: Pick<TestDatabase, 'address'>) {
  return (await contentOf(address)).rows['pets'];
}

/** The processes that make backups for a process, this one by default. */
export function makersOf(parent = process.pid): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => isMakerOf(pid, parent))
    .map(Number);
}

function isMakerOf(pid: string, parent: number): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return command.includes('make-backup') && status.includes(`\nPPid:\t${parent}\n`);
  } catch {
    // It has ended meanwhile.
    return false;
  }
}
