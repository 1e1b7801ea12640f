/**
 * `bun bench/start.ts`: the time from the start of our service to the first 200 for a list, from the
 * sources and as the executable of `npm run build`, with one and with two workers, in turn.
 */
import { join } from 'node:path';
import { createDatabase } from './animals.ts';
import { createAuthorization, timeFirstResponse } from './contenders/ours.ts';
import { ANIMALS } from './kinds.ts';
import { findPrograms } from './requirements.ts';
import { spreadOf, spreadText } from './statistics.ts';
import { openWorkbench } from './workbench.ts';

const STARTS = 15;
const BUILD = join(import.meta.dir, '../build/executable.ts');

const { taskset } = findPrograms('taskset');
await using workbench = openWorkbench(taskset);
const database = `sqlite:${join(workbench.folder, 'ours.db')}`;
await createDatabase(database, ANIMALS);
const authorization = await createAuthorization(workbench, database);
const executable = join(workbench.folder, 'petstore');
const built = await workbench.run([process.execPath, BUILD, executable]);
if (built.exitCode !== 0) throw new Error('the executable could not be built');

const forms = [{ name: 'sources' }, { name: 'executable', executable }].flatMap((form) =>
  [1, 2].map((workers) => ({ ...form, workers, times: [] as number[] })),
);
for (let start = 0; start < STARTS; start++) {
  for (const { times, workers, ...form } of forms) {
    const settings = ['--workers', String(workers), '--ops-port', 'off'];
    times.push(await timeFirstResponse(workbench, database, authorization, { ...form, settings }));
  }
}
for (const { name, workers, times } of forms) {
  const spread = spreadText(spreadOf(times), (value) => value.toFixed(0));
  process.stdout.write(`${name}, ${workers} workers: first 200 after ${spread} ms\n`);
}
process.stdout.write(`${STARTS} starts of each, in turn\n`);
