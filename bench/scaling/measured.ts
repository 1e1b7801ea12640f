import { statement } from '../../test/support/postgres-engine.ts';
import { startOurs } from '../contenders/ours.ts';
import { startShared } from '../contenders/postgres-valkey.ts';
import { withOwnCursors } from '../cursors.ts';
import { ANIMALS } from '../kinds.ts';
import { sendLoad } from '../load.ts';
import { findPrograms } from '../requirements.ts';
import { comparisons } from '../scenarios.ts';
import { openWorkbench } from '../workbench.ts';
import { type Calibration, capacityOf, type Observed, predict } from './prediction.ts';

/** One addition in a hundred requests, as in the computed workloads. */
const SCENARIO = 'mixed-1';
const ROUNDS = 5;
/** All connections together, however many instances share them. */
const CONNECTIONS = 32;
const FEW_CONNECTIONS = 8;
/** Instances and connections that are predicted, then measured. */
const POINTS = [
  [1, CONNECTIONS / 2],
  [2, CONNECTIONS],
  [3, CONNECTIONS],
] as const;
/** Instances that share a core wait for it; that must not cause refusals. */
const SETTINGS = ['--max-queue-ms', '60000'];

/**
 * Measures one instance at two loads, predicts others from it, and measures those too. All instances share one core;
 * PostgreSQL, Valkey and the load have the other. So more instances cannot be faster here: they show what the
 * smaller groups of requests cost.
 */
export async function measureInstances(seconds: number): Promise<string> {
  const { taskset, wrk } = findPrograms('taskset', 'wrk');
  await using workbench = openWorkbench(taskset);
  const { server, authorization, database, engines, limits } = await startShared(
    workbench,
    SETTINGS,
  );
  const [size] = await statement(database, `SELECT pg_database_size(current_database()) AS bytes`);
  const servers = [server];
  for (const name of ['second', 'third']) {
    servers.push(
      await startOurs(workbench, database, { name, settings: ['--limits', limits, ...SETTINGS] }),
    );
  }
  const shared = comparisons
    .flatMap(({ scenarios }) => scenarios)
    .filter(({ name }) => name === SCENARIO);
  const [scenario] = await withOwnCursors(shared, server.origin, authorization);
  if (scenario === undefined) throw new Error(`there is no scenario ${SCENARIO}`);
  const { kinds, order } = scenario;
  let start = 0;

  async function observe(count: number, connections: number): Promise<Observed> {
    const used = servers.slice(0, count);
    const cpu = () => [
      used.reduce((sum, each) => sum + each.cpuMilliseconds(), 0),
      ...engines.map((engine) => engine.cpuMilliseconds()),
    ];
    const before = cpu();
    const loads = await Promise.all(
      used.map(({ origin }, i) => {
        // Each load starts behind the previous one, so that no cache holds its animals.
        start = (start + Math.floor(ANIMALS / 7)) % ANIMALS;
        const load = { kinds, order, start: start + i };
        const own = Math.round(connections / count);
        return sendLoad(workbench, wrk, origin, load, authorization, seconds, own);
      }),
    );
    const requests = loads.reduce((sum, load) => sum + load.requests, 0);
    const each = cpu().map((after, i) => ((after - (before[i] ?? 0)) * 1_000) / requests);
    const [instance = 0, postgres = 0, valkey = 0] = each;
    const perSecond = loads.reduce((sum, load) => sum + load.perSecond, 0);
    const busy = loads.reduce((sum, load) => sum + load.busy, 0);
    return { perSecond, instance, postgres, valkey, load: (busy * 1e6) / perSecond };
  }

  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const calibration: Calibration = {
      many: { connections: CONNECTIONS, observed: await observe(1, CONNECTIONS) },
      few: { connections: FEW_CONNECTIONS, observed: await observe(1, FEW_CONNECTIONS) },
    };
    const pairs: Pair[] = [];
    for (const [count, connections] of POINTS) {
      const predicted = predict(calibration, connections / count);
      pairs.push({ predicted, measured: await observe(count, connections) });
    }
    rounds.push(pairs);
  }
  const mibPerMillion = (Number(size?.['bytes']) / 2 ** 20 / ANIMALS) * 1e6;
  return [
    '| instances | connections | per second of a core: predicted, measured | difference | per second: predicted, measured | instance µs | PostgreSQL µs | Valkey µs | clients µs |',
    '|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...POINTS.map(([count, connections], i) =>
      row(count, connections, middleOf(rounds.flatMap((round) => round[i] ?? []))),
    ),
    '',
    `A million animals take ${mibPerMillion.toFixed(0)} MiB in PostgreSQL. Processor time: predicted, measured.`,
  ].join('\n');
}

/** Prediction and measurement of a round, so that other work on the machine slows both. */
interface Pair {
  readonly predicted: Observed;
  readonly measured: Observed;
}
type Round = readonly Pair[];

const errorOf = ({ predicted, measured }: Pair) => capacityOf(predicted) / capacityOf(measured) - 1;

/** The pair with the median error. */
function middleOf(pairs: readonly Pair[]): Pair {
  const middle = pairs.toSorted((a, b) => errorOf(a) - errorOf(b))[Math.floor(pairs.length / 2)];
  if (middle === undefined) throw new Error('nothing was measured');
  return middle;
}

function row(count: number, connections: number, { predicted, measured }: Pair): string {
  const both = (of: (observed: Observed) => number) =>
    [predicted, measured].map((each) => Math.round(of(each)).toLocaleString('en')).join(', ');
  const difference = 100 * errorOf({ predicted, measured });
  const cells = [
    ...[count, connections, both(capacityOf)],
    `${difference > 0 ? '+' : ''}${difference.toFixed(0)} %`,
    ...[both(({ perSecond }) => perSecond), both(({ instance }) => instance)],
    ...[both(({ postgres }) => postgres), both(({ valkey }) => valkey), both(({ load }) => load)],
  ];
  return `| ${cells.join(' | ')} |`;
}
