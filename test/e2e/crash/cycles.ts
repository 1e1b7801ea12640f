import { spawnPetstore } from '../../support/command-line.ts';
import { createServingKey, serving } from '../../support/serving.ts';
import { createTemporaryFolder } from '../../support/temporary.ts';
import { audit, auditFile } from './audit.ts';
import type { Death } from './death.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import { writeUntilKilled } from './workers.ts';

/** So many cycles happen to one database: everything in it is looked at after each. */
const CYCLES_ON_ONE = 10;
export const UNLIMITED = [
  ...['--plan', 'enterprise'],
  ...['--per-minute', '100000000', '--per-day', '1000000000'],
];
const SERVE = ['serve', '--port', '0'];
/** A machine that is busy with other tests must not make the service refuse what it would take. */
const PATIENT = { PETSTORE_MAX_QUEUE_MS: '3600000' };

export interface CrashFigures {
  readonly kills: number;
  readonly writes: number;
  /** Writes that a kill left without an answer. */
  readonly unanswered: number;
  /** Records that were lost, duplicated or incomplete. */
  readonly problems: readonly string[];
}

async function crashOne(cycles: number, random: Random, next: () => Death): Promise<Ledger> {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const settings = {
    PETSTORE_DATABASE: `sqlite:${path}`,
    PETSTORE_LOG_LEVEL: 'silent',
    ...PATIENT,
  };
  const key = await createServingKey(settings, ...UNLIMITED);
  const ledger = createLedger();
  for (let cycle = 0; cycle < cycles && ledger.problems.length === 0; cycle++) {
    const death = next();
    const child = death.spawn(SERVE, settings);
    // One that dies before it serves has had nothing to lose.
    const serves = serving(child, key).catch(() => undefined);
    const killed = death.killed(child, serves);
    const server = await serves;
    if (server !== undefined) await writeUntilKilled(server, killed, ledger, random);
    await killed;
    await auditFile(ledger, path);
    await auditByServer(ledger, settings, key);
  }
  return ledger;
}

/** Starts the service again, and compares what it shows; it too ends by a kill. */
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
 * Cycles of load by every writing operation, death, restart and comparison with what clients were
 * told. Ends at the first problem.
 */
export async function crash(
  cycles: number,
  random: Random,
  next: () => Death,
  progress: (figures: CrashFigures) => void = () => {},
): Promise<CrashFigures> {
  const problems: string[] = [];
  let [kills, writes, unanswered] = [0, 0, 0];
  while (kills < cycles && problems.length === 0) {
    const count = Math.min(CYCLES_ON_ONE, cycles - kills);
    const ledger = await crashOne(count, random, next);
    kills += count;
    writes += ledger.requests;
    unanswered += ledger.unanswered;
    problems.push(...ledger.problems);
    progress({ kills, writes, unanswered, problems });
  }
  return { kills, writes, unanswered, problems };
}

/** The figures as a line for a person. */
export function figuresText({ kills, writes, unanswered, problems }: CrashFigures): string {
  return `${kills} kills, ${writes} writes, ${unanswered} unanswered, ${problems.length} problems`;
}
