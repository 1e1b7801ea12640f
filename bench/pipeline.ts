/**
 * `bun bench/pipeline.ts DATABASE KEY [PATH]`: the time of one response without a socket, so without
 * the runtime's part of it, compared to a handler that returns the same response as a constant.
 */
import { type Handler, openSocketless } from './socketless.ts';

const BATCHES = 400;
const REQUESTS_A_BATCH = 1_000;
const NANOSECONDS_IN_MS = 1e6;

const [database = '', key = '', path = '/v1/pets'] = process.argv.slice(2);
const { handler, close } = await openSocketless(database);

const makeRequest = () =>
  new Request(`http://127.0.0.1${path}`, {
    headers: { host: '127.0.0.1', authorization: `Bearer ${key}` },
  });
const first = await handler(makeRequest());
if (!first.ok) throw new Error(`${first.status} ${await first.text()}`);
const constant = {
  init: { status: first.status, headers: Object.fromEntries(first.headers) },
  body: await first.text(),
};

/** Measures the minimum and median time of a response in many short batches, in nanoseconds. */
async function timeOf(handle: Handler): Promise<string> {
  const times: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const requests = Array.from({ length: REQUESTS_A_BATCH }, makeRequest);
    Bun.gc(true);
    const startedAt = performance.now();
    for (const request of requests) void handle(request);
    times.push(((performance.now() - startedAt) * NANOSECONDS_IN_MS) / REQUESTS_A_BATCH);
    await Bun.sleep(0);
  }
  times.sort((a, b) => a - b);
  return `${times[0]?.toFixed(0)} ns, median ${times[BATCHES / 2]?.toFixed(0)}`;
}

const ours = await timeOf(handler);
const bare = await timeOf(() => new Response(constant.body, constant.init));
process.stderr.write(`${path}: ours ${ours}; constant ${bare}\n`);
await close();
