/**
 * `bun bench/pipeline.ts DATABASE KEY [PATH]`: the time of one answer without a socket, so without
 * what the runtime does for it. Beside it that of a handler which returns the answer as a constant.
 */
import { readConfig } from '../src/config.ts';
import { openServer } from '../src/server.ts';

const BATCHES = 400;
const REQUESTS_A_BATCH = 1_000;
const NANOSECONDS_IN_MS = 1e6;

type Handler = (request: Request) => Response | Promise<Response>;

const [database = '', key = '', path = '/v1/pets'] = process.argv.slice(2);
const serveOnSocket = Bun.serve;
let handler: Handler | undefined;
// The one place of the service that meets a socket gets one that nobody can reach.
const noSocket = {
  port: 0,
  pendingRequests: 0,
  requestIP: () => ({ address: '127.0.0.1' }),
  reload: ({ fetch }: { fetch: Handler }) => {
    handler = fetch;
  },
  stop: async () => {},
};
Object.assign(Bun, { serve: () => noSocket });
const server = await openServer(
  readConfig({ database: `sqlite:${database}`, opsPort: 'off', logLevel: 'info' }, {}),
);
Object.assign(Bun, { serve: serveOnSocket });
if (handler === undefined) throw new Error('the service was not told to serve');

const ask = () =>
  new Request(`http://127.0.0.1${path}`, {
    headers: { host: '127.0.0.1', authorization: `Bearer ${key}` },
  });
const first = await handler(ask());
if (!first.ok) throw new Error(`${first.status} ${await first.text()}`);
const constant = {
  init: { status: first.status, headers: Object.fromEntries(first.headers) },
  body: await first.text(),
};

/** The least and the median time of an answer, in nanoseconds, of many short batches. */
async function timeOf(handle: Handler): Promise<string> {
  const times: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const requests = Array.from({ length: REQUESTS_A_BATCH }, ask);
    Bun.gc(true);
    const begun = performance.now();
    for (const request of requests) void handle(request);
    times.push(((performance.now() - begun) * NANOSECONDS_IN_MS) / REQUESTS_A_BATCH);
    await Bun.sleep(0);
  }
  times.sort((a, b) => a - b);
  return `${times[0]?.toFixed(0)} ns, median ${times[BATCHES / 2]?.toFixed(0)}`;
}

const ours = await timeOf(handler);
const bare = await timeOf(() => new Response(constant.body, constant.init));
process.stderr.write(`${path}: ours ${ours}; constant ${bare}\n`);
await server.close();
