import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { countAnimals } from './animals.ts';
import { resultsOf, type Setting } from './compare.ts';
import type { Contender } from './contenders/contender.ts';
import { OURS, TWO_WORKERS } from './contenders/names.ts';
import { startOurs } from './contenders/ours.ts';
import { withOwnCursors } from './cursors.ts';
import { measure } from './measure.ts';
import { peersOnTwoCores } from './peers/all.ts';
import { startPeers } from './peers/start.ts';
import type { ScenarioResult } from './report.ts';
import { twoCores } from './scenarios.ts';
import { SHARED_CORES } from './workbench.ts';

/**
 * Compares our service with one and two workers, and peers as their users start them. All may use
 * both cores, and so may the load. From then on the run stays on both.
 */
export async function compareOnTwoCores(setting: Setting): Promise<ScenarioResult[]> {
  const { bench, authorization, databases } = setting;
  const { workbench } = bench;
  workbench.moveTo(SHARED_CORES);
  const contenders: Contender[] = [
    await startWithWorkers(setting, OURS, 1),
    await startWithWorkers(setting, TWO_WORKERS, 2),
  ];
  const target = { workbench, database: databases.pristine, authorization };
  contenders.push(...(await startPeers(target, twoCores, bench.options.peers, peersOnTwoCores)));
  const measured = await measure(bench, contenders);
  for (const { server } of contenders) await server.stop();
  return resultsOf(twoCores, measured);
}

/** Starts our service on a copy of the database. */
async function startWithWorkers(
  { bench, authorization, databases }: Setting,
  name: string,
  workers: number,
): Promise<Contender> {
  const { workbench } = bench;
  const path = join(workbench.folder, `workers-${workers}.db`);
  copyFileSync(databases.pristine, path);
  const address = `sqlite:${path}`;
  const settings = ['--workers', String(workers)];
  const server = await startOurs(workbench, address, { name: `workers-${workers}`, settings });
  return {
    ...{ name, server, authorization },
    scenarios: await withOwnCursors(twoCores.scenarios, server.origin, authorization),
    countStored: () => countAnimals(address),
  };
}
