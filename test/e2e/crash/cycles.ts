import { spawnPetstore } from '../../support/command-line.ts';
import { createServingKey, serving, UNLIMITED } from '../../support/serving.ts';
import { createTemporaryFolder } from '../../support/temporary.ts';
import { audit, auditFile } from './audit.ts';
import type { KillStrategy } from './kill-strategy.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import { writeUntilKilled } from './workers.ts';

/** Cycles on one database. Each cycle checks the whole database, so it must stay small. */
const CYCLES_PER_DATABASE = 10;
const SERVE = ['serve', '--port', '0'];
/** Turns load shedding off: a machine busy with other tests must not cause refusals. */

export interface CrashFigures {
  readonly kills: number;
  readonly writes: number;
  /** Writes that a kill left without a response. */
  readonly unanswered: number;
  /** Records that were lost, duplicated or incomplete. */
  readonly problems: readonly string[];
}

async function crashOneDatabase(
  cycles: number,
  random: Random,
  next: () => KillStrategy,
): Promise<Ledger> {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const settings = {
    PETSTORE_DATABASE: `sqlite:${path}`,
    PETSTORE_LOG_LEVEL: 'silent',
  };
  const key = await createServingKey(settings, ...UNLIMITED);
  const ledger = createLedger();
  for (let cycle = 0; cycle < cycles && ledger.problems.length === 0; cycle++) {
    const strategy = next();
    const child = strategy.spawn(SERVE, settings);
    // A server killed before it serves has nothing to lose.
    const serves = serving(child, key).catch(() => undefined);
    const killed = strategy.killed(child, serves);
    const server = await serves;
    if (server !== undefined) await writeUntilKilled(server, killed, ledger, random);
    await killed;
    await auditFile(ledger, path);
    await auditByServer(ledger, settings, key);
  }
  return ledger;
}

/** Restarts the service, compares its data with the ledger, and kills it again. */
export async function auditByServer(
  ledger: Ledger,
  settings: Readonly<Record<string, string>>,
  key: string,
): Promise<void> {
  const { client, child } = await serving(spawnPetstore(SERVE, settings), key);
  try {
    await audit(ledger, client);
  } finally {
    child.kill('SIGKILL');
    await child.exited;
  }
}

/**
 * Repeats: load by every write operation, kill, restart, comparison with the responses that clients
 * received. Ends at the first problem.
 */
export async function crash(
  cycles: number,
  random: Random,
  next: () => KillStrategy,
  progress: (figures: CrashFigures) => void = () => {},
): Promise<CrashFigures> {
  const problems: string[] = [];
  let [kills, writes, unanswered] = [0, 0, 0];
  while (kills < cycles && problems.length === 0) {
    const count = Math.min(CYCLES_PER_DATABASE, cycles - kills);
    const ledger = await crashOneDatabase(count, random, next);
    kills += count;
    writes += ledger.requests;
    unanswered += ledger.unanswered;
    problems.push(...ledger.problems);
    progress({ kills, writes, unanswered, problems });
  }
  return { kills, writes, unanswered, problems };
}

/** The figures as one readable line. */
export function figuresText({ kills, writes, unanswered, problems }: CrashFigures): string {
  return `${kills} kills, ${writes} writes, ${unanswered} unanswered, ${problems.length} problems`;
}
