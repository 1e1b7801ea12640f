import { countAnimals } from './animals.ts';
import { type Contender, NGINX, ON_ENGINES, OURS } from './contenders/contender.ts';
import { startNginx } from './contenders/nginx.ts';
import type { SharedOurs } from './contenders/postgres-valkey.ts';
import { withOwnCursors } from './cursors.ts';
import { contentOf, requestOf } from './kinds.ts';
import { type Bench, measure } from './measure.ts';
import { startPeers } from './peers/peers.ts';
import type { ScenarioResult } from './report.ts';
import type { Programs } from './requirements.ts';
import { adds, type Comparison, kindAt, type Scenario } from './scenarios.ts';
import { sendRequest } from './wire.ts';
import type { RunningServer } from './workbench.ts';

/** The programs of a run. */
export type RunPrograms = Programs<'taskset' | 'wrk' | 'nginx'>;

/** The database files of a run. */
export interface Databases {
  readonly ours: string;
  /** Never changed; peers work on copies of it. */
  readonly pristine: string;
}

/** The setup shared by all scenarios. */
export interface Setting {
  readonly bench: Bench;
  readonly programs: RunPrograms;
  readonly authorization: string;
  readonly databases: Databases;
  readonly ours: RunningServer;
  readonly shared: SharedOurs | undefined;
}

/** Starts all contenders, measures them, and stops them. */
export async function compare(setting: Setting, comparison: Comparison): Promise<ScenarioResult[]> {
  const { bench, authorization, databases, ours, shared } = setting;
  const contenders: Contender[] = [await oursIn(setting, comparison)];
  const [first] = comparison.scenarios;
  // A constant cannot replace several kinds of responses.
  if (first?.kinds.length === 1) contenders.push(await startConstant(setting, first));
  if (shared !== undefined) contenders.push(await sharedIn(shared, comparison));
  const target = { workbench: bench.workbench, database: databases.pristine, authorization };
  contenders.push(...(await startPeers(target, comparison, bench.options.peers)));
  const measured = await measure(bench, contenders);
  for (const { server } of contenders) {
    if (server !== ours && server !== shared?.server) await server.stop();
  }
  return comparison.scenarios.map((scenario) => ({
    scenario,
    measured: measured.get(scenario.name) ?? [],
  }));
}

/** Our service in a comparison. */
async function oursIn(setting: Setting, { scenarios }: Comparison): Promise<Contender> {
  const { ours: server, authorization, databases } = setting;
  return {
    name: OURS,
    server,
    authorization,
    scenarios: await withOwnCursors(scenarios, server.origin, authorization),
    ...stored(scenarios, `sqlite:${databases.ours}`),
  };
}

async function sharedIn(shared: SharedOurs, { scenarios }: Comparison): Promise<Contender> {
  const { server, authorization, engines, database } = shared;
  return {
    name: ON_ENGINES,
    server,
    authorization,
    engines,
    scenarios: await withOwnCursors(scenarios, server.origin, authorization),
    ...stored(scenarios, database),
  };
}

function stored(scenarios: readonly Scenario[], address: string) {
  return scenarios.some(adds) && { countStored: () => countAnimals(address) };
}

/** nginx, which returns our response as a constant, of the same size. */
async function startConstant(setting: Setting, scenario: Scenario): Promise<Contender> {
  const { bench, programs, authorization, ours } = setting;
  const kind = kindAt(scenario, 0);
  const request = requestOf(kind, authorization);
  const response = await sendRequest(ours.origin, request);
  if (response.status !== kind.status) throw new Error(`ours: ${response.status} ${response.body}`);
  const expected = contentOf(response.body);
  const isRight = (_path: string, body: unknown) => Bun.deepEquals(body, expected, true);
  const server = await startNginx(bench.workbench, programs.nginx, response);
  const { bytes } = await sendRequest(server.origin, request);
  if (bytes !== response.bytes) {
    throw new Error(`${NGINX} sends ${bytes} bytes, not ${response.bytes}`);
  }
  const scenarios = [{ ...scenario, kinds: [{ ...kind, isRight }], changes: false }];
  return { name: NGINX, server, scenarios, authorization };
}
