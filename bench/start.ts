/**
 * `bun bench/start.ts`: the time from the start of our service to the first 200 for a list, from the
 * sources and as the executable of `npm run build`, in turn.
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

const forms = [{ name: 'sources' }, { name: 'executable', executable }].map((form) => ({
  ...form,
  times: [] as number[],
}));
for (let start = 0; start < STARTS; start++) {
  for (const { times, ...form } of forms) {
    const settings = ['--ops-port', 'off'];
    times.push(await timeFirstResponse(workbench, database, authorization, { ...form, settings }));
  }
}
for (const { name, times } of forms) {
  const spread = spreadText(spreadOf(times), (value) => value.toFixed(0));
  process.stdout.write(`${name}: first 200 after ${spread} ms\n`);
}
process.stdout.write(`${STARTS} starts of each, in turn\n`);
