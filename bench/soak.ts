/** `bun bench/soak.ts [MILLIONS]`: the memory of our service over millions of requests. */
import { join } from 'node:path';
import { createDatabase } from './animals.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { ANIMALS, additions, cachedAnimals, firstPageOnly, type Kind } from './kinds.ts';
import { sendLoad } from './load.ts';
import { residentOf } from './process-usage.ts';
import { findPrograms } from './requirements.ts';
import { markdownTable } from './table.ts';
import { openWorkbench, type RunningServer } from './workbench.ts';

const MILLION = 1_000_000;
/** Bounds of a run: the most millions to send, and of load runs before it gives up. */
const MILLIONS_MAX = 20;
const RUNS_MAX = 2_000;
const RUN_SECONDS = 5;

/** The requests in turn: mostly reads, as in a real shop. */
const MIX: readonly Kind[] = [
  ...[firstPageOnly, cachedAnimals, firstPageOnly, cachedAnimals],
  additions,
];

/** Returns the current and peak memory of a server as cells of a row. */
function memoryCells({ pid }: RunningServer): readonly string[] {
  const { now, most } = residentOf(pid);
  return [now.toFixed(0), most.toFixed(0)];
}

const millions = Math.min(Math.max(1, Number(process.argv[2] ?? 5) || 1), MILLIONS_MAX);
const { taskset, wrk } = findPrograms('taskset', 'wrk');
await using workbench = openWorkbench(taskset);
const database = `sqlite:${join(workbench.folder, 'ours.db')}`;
await createDatabase(database, ANIMALS);
const authorization = await createAuthorization(workbench, database);
const server = await startOurs(workbench, database);
const rows = [['0', '0', ...memoryCells(server)]];
let [sent, added] = [0, 0];
for (let run = 0; sent < millions * MILLION && run < RUNS_MAX; run++) {
  const kind = MIX[run % MIX.length];
  if (kind === undefined) throw new Error('the mix is empty');
  const { origin } = server;
  const load = { kinds: [kind], order: [0] };
  const { requests } = await sendLoad(workbench, wrk, origin, load, authorization, RUN_SECONDS);
  server.clearLog();
  const before = sent;
  sent += requests;
  if (kind === additions) added += requests;
  if (Math.floor(sent / MILLION) > Math.floor(before / MILLION)) {
    const row = [sent.toLocaleString('en'), added.toLocaleString('en'), ...memoryCells(server)];
    process.stderr.write(`${row.join('  ')}\n`);
    rows.push(row);
  }
}
const columns = ['requests', 'animals added', 'resident, MiB', 'highest, MiB'];
process.stdout.write(`${markdownTable(columns, rows)}\n`);
