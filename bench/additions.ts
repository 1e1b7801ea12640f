/**
 * `bun bench/additions.ts DATABASE KEY`: the processor time of an addition without a socket, 32 at a
 * time. It adds 70,000 animals, so give it a copy of the database.
 */
import { readFileSync } from 'node:fs';
import { additions, requestOf } from './kinds.ts';
import { CONNECTIONS } from './load.ts';
import { openSocketless } from './socketless.ts';

const BATCHES = 40;
const GROUPS_A_BATCH = 32;
const WARM_UP_GROUPS = 900;

const [database = '', key = ''] = process.argv.slice(2);
const { method, path, headers, body } = requestOf(additions, `Bearer ${key}`);
const { handler, close } = await openSocketless(database);

const makeRequest = () =>
  new Request(`http://127.0.0.1${path}`, {
    method,
    headers: { host: '127.0.0.1', 'content-length': String(body.length), ...headers },
    body,
  });

async function add(groups: number): Promise<void> {
  for (let group = 0; group < groups; group++) {
    const responses = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => handler(makeRequest())),
    );
    const refused = responses.find(({ status }) => status !== additions.status);
    if (refused !== undefined) throw new Error(`${refused.status} ${await refused.text()}`);
  }
}

/** Returns the processor time of the thread that responds, in microseconds. */
function processorTime(): number {
  const [nanoseconds] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return Number(nanoseconds) / 1_000;
}

await add(WARM_UP_GROUPS);
const times: number[] = [];
for (let batch = 0; batch < BATCHES; batch++) {
  const begun = processorTime();
  await add(GROUPS_A_BATCH);
  times.push((processorTime() - begun) / (GROUPS_A_BATCH * CONNECTIONS));
}
times.sort((a, b) => a - b);
const [least = 0] = times;
const quarter = times[BATCHES / 4] ?? 0;
const median = times[BATCHES / 2] ?? 0;
process.stderr.write(
  `an addition: least ${least.toFixed(1)} µs, a quarter below ${quarter.toFixed(1)}, median ${median.toFixed(1)}\n`,
);
await close();
