/** `bun bench/start.ts`: the time from the start of our service to the first 200 for a list. */
import { join } from 'node:path';
import { createDatabase } from './animals.ts';
import { createAuthorization, startOurs } from './contenders/ours.ts';
import { ANIMALS } from './kinds.ts';
import { findPrograms } from './requirements.ts';
import { spreadOf, spreadText } from './statistics.ts';
import { openWorkbench } from './workbench.ts';

const STARTS = 15;

const { taskset } = findPrograms('taskset');
await using workbench = openWorkbench(taskset);
const database = `sqlite:${join(workbench.folder, 'ours.db')}`;
await createDatabase(database, ANIMALS);
const authorization = await createAuthorization(workbench, database);
const times: number[] = [];
for (let start = 0; start < STARTS; start++) {
  const begin = performance.now();
  const server = await startOurs(workbench, database);
  const response = await fetch(`${server.origin}/v1/pets`, { headers: { authorization } });
  if (response.status !== 200) throw new Error(`the first response was ${response.status}`);
  await response.text();
  times.push(performance.now() - begin);
  await server.stop();
}
const spread = spreadText(spreadOf(times), (value) => value.toFixed(0));
process.stdout.write(`first 200 after ${spread} ms, ${STARTS} starts\n`);
