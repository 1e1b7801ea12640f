import { startTraffic } from '../../../cluster/traffic.ts';
import { auditFile } from '../../../e2e/crash/audit.ts';
import type { Ledger } from '../../../e2e/crash/ledger.ts';
import type { Random } from '../../../e2e/crash/random.ts';
import { eventually } from '../../../support/eventually.ts';
import { type AdditionCounts, startAdditions } from './additions.ts';
import type { KilledStore } from './store.ts';

/** What the clients saw of one kill. */
export interface KillRun extends AdditionCounts {
  /** Successful requests of the clients that use every operation, reads included. */
  readonly served: number;
  /** Connections that broke under a request. */
  readonly broken: number;
  /** Failures other than a broken connection. */
  readonly otherErrors: number;
  /** From the kill until an addition that was sent after it is acknowledged. */
  readonly answeredMs: number;
  /** Contradictions between the database and any response. */
  readonly problems: readonly string[];
}

/** Additions before the kill, and after it, so that it falls into the middle of the load. */
const ADDITIONS = 20;
/** The kill comes at a random time of this length. */
const KILL_WITHIN_MS = 200;

/** Kills something under load and compares the database with every response. */
export async function runKill(
  store: KilledStore,
  ledger: Ledger,
  random: Random,
): Promise<KillRun> {
  const { client, database, probe, target } = store;
  await using traffic = startTraffic({ client, database }, ledger);
  const additions = startAdditions(client, database);
  const moreAdditions = () => {
    const enough = additions.count + ADDITIONS;
    return eventually(
      () => additions.count,
      (count) => count >= enough,
    );
  };
  await moreAdditions();
  await Bun.sleep(random.below(KILL_WITHIN_MS));
  const killedAt = performance.now();
  const [answeredAt] = await Promise.all([additions.nextAcknowledged(), target.kill(random)]);
  if (store.kind === 'process') probe.noteForgotten(killedAt);
  await moreAdditions();
  const counts = await additions.end();
  await traffic.end();
  await auditFile(ledger, store.path);
  const broken = traffic.failures.get('no response') ?? 0;
  const failed = [...traffic.failures.values(), ...additions.failures.values()];
  return {
    ...counts,
    served: traffic.served,
    broken,
    answeredMs: answeredAt - killedAt,
    otherErrors: failed.reduce((sum, times) => sum + times, 0) - broken,
    problems: ledger.problems.splice(0),
  };
}
