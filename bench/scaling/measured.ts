import { statement } from '../../test/support/postgres-engine.ts';
import { startOurs } from '../contenders/ours.ts';
import { startShared } from '../contenders/postgres-valkey.ts';
import { ANIMALS } from '../kinds.ts';
import { sendLoad } from '../load.ts';
import { mixedKinds, mixedOrder } from '../mixed.ts';
import { findPrograms } from '../requirements.ts';
import { openWorkbench } from '../workbench.ts';
import { type Calibration, type Observed, predict } from './prediction.ts';

/** One addition in a hundred requests, as in the computed workloads. */
const ADDITIONS_OF_1000 = 10;
const ROUNDS = 3;
/** All connections together, however many instances share them. */
const CONNECTIONS = 32;
const FEW_CONNECTIONS = 8;

/**
 * Measures one instance at two loads, predicts others from it, and measures those too. All instances share one core;
 * PostgreSQL, Valkey and the load have the other. So more instances cannot be faster here: they show what the
 * smaller groups of requests cost.
 */
export async function measureInstances(seconds: number): Promise<string> {
  const { taskset, wrk } = findPrograms('taskset', 'wrk');
  await using workbench = openWorkbench(taskset);
  const { server, authorization, database, engines, limits } = await startShared(workbench);
  const [size] = await statement(database, `SELECT pg_database_size(current_database()) AS bytes`);
  const servers = [server];
  for (const name of ['second', 'third']) {
    servers.push(await startOurs(workbench, database, { name, settings: ['--limits', limits] }));
  }
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
        const load = { kinds: mixedKinds, order: mixedOrder(ADDITIONS_OF_1000), start: start + i };
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

  async function median(count: number, connections: number): Promise<Observed> {
    const rounds: Observed[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await observe(count, connections));
    rounds.sort((a, b) => a.perSecond - b.perSecond);
    const middle = rounds[Math.floor(ROUNDS / 2)];
    if (middle === undefined) throw new Error('nothing was measured');
    return middle;
  }

  const calibration: Calibration = {
    many: { connections: CONNECTIONS, observed: await median(1, CONNECTIONS) },
    few: { connections: FEW_CONNECTIONS, observed: await median(1, FEW_CONNECTIONS) },
  };
  const lines: string[] = [];
  for (const [count, connections] of [
    [1, CONNECTIONS / 2],
    [2, CONNECTIONS],
    [3, CONNECTIONS],
  ] as const) {
    const predicted = predict(calibration, connections / count);
    lines.push(row(count, connections, predicted, await median(count, connections)));
  }
  const mibPerMillion = (Number(size?.['bytes']) / 2 ** 20 / ANIMALS) * 1e6;
  return [
    '| instances | connections | predicted /s | measured /s | difference | instance µs | PostgreSQL µs | Valkey µs |',
    '|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...lines,
    '',
    `A million animals take ${mibPerMillion.toFixed(0)} MiB in PostgreSQL. Processor time: predicted, measured.`,
  ].join('\n');
}

function row(count: number, connections: number, predicted: Observed, measured: Observed): string {
  const rate = (value: number) => Math.round(value).toLocaleString('en');
  const both = (part: keyof Observed) =>
    `${predicted[part].toFixed(0)}, ${measured[part].toFixed(0)}`;
  const difference = (100 * (predicted.perSecond - measured.perSecond)) / measured.perSecond;
  const cells = [
    ...[count, connections, rate(predicted.perSecond), rate(measured.perSecond)],
    `${difference > 0 ? '+' : ''}${difference.toFixed(0)} %`,
    ...[both('instance'), both('postgres'), both('valkey')],
  ];
  return `| ${cells.join(' | ')} |`;
}
