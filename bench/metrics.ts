/** `bun bench/metrics.ts`: the cost of metrics and load shedding per request, and of a scrape. */

import { operations } from '../src/api/resources/operations.ts';
import type { Caller } from '../src/domain/caller.ts';
import { DAY_MS, MINUTE_MS } from '../src/domain/clock.ts';
import { ATTEMPT_OUTCOMES, type AttemptOutcome } from '../src/domain/delivery.ts';
import { createAwaitedBodies } from '../src/http/awaited-bodies.ts';
import { createMemoryLimiter } from '../src/limits/memory.ts';
import { createLoadShedder } from '../src/overload/load-shedder.ts';
import { measureQueueDelay } from '../src/overload/queue-delay.ts';
import { writeExposition } from '../src/telemetry/exposition.ts';
import { createHistogram } from '../src/telemetry/histogram.ts';
import { countDecisions } from '../src/telemetry/limiter-counts.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { loggedPathOf } from '../src/telemetry/request-line.ts';
import { spreadText } from './statistics.ts';
import { timeWays } from './stopwatch.ts';
import { markdownTable } from './table.ts';

const record = {
  requestId: 'c5a5ac4c-3fa5-4e3c-8a0e-4ad3b2f0a1de',
  keyId: 1n,
  operation: 'listPets',
  method: 'GET',
  path: loggedPathOf('/v1/pets'),
  status: 200,
  milliseconds: 0.022,
};
const caller: Caller = {
  keyId: 1n,
  familyId: 1n,
  scopes: ['read'],
  plan: { name: 'enterprise', perMinute: 1e9, perDay: 1e12 },
  unbannedAt: null,
  name: 'a test',
  expiresAt: null,
};
const rules = {
  banRefusals: 60,
  banMs: 15 * MINUTE_MS,
  banMaxMs: DAY_MS,
  anonymousPerMinute: 60,
};
const storage = { find: () => undefined, list: () => [], save: () => undefined };

const ended = { changes: 0, time: 0, disconnected: 0, shutdown: 0, failed: 0, refused: 0 };
const NO_WAITS = { waiting: 0, ended };

// Every outcome is set.
const attempts = Object.fromEntries(ATTEMPT_OUTCOMES.map((each) => [each, 0])) as Record<
  AttemptOutcome,
  number
>;
const NO_DELIVERIES = {
  webhooks: undefined,
  held: 0,
  sending: 0,
  queued: 0,
  oldestMs: 0,
  attempts,
};

const limiter = createMemoryLimiter(storage, rules);
const counted = countDecisions(createMemoryLimiter(storage, rules)).limiter;
const metrics = createMetrics({
  operationIds: operations.map(({ id }) => id),
  engine: 'sqlite',
  serving: () => ({
    pending: () => 0,
    refused: () => load.report(),
    delays: () => createHistogram([0.001, 1]),
    waits: () => NO_WAITS,
  }),
  process: { build: {}, dropped: () => 0, lag: () => undefined, deliveries: () => NO_DELIVERIES },
});
const queue = await measureQueueDelay();
const bodies = createAwaitedBodies({ timeoutMs: 10_000 });
const load = createLoadShedder(
  { maxInProgress: 2_000, maxQueueMs: 250, readsWait: false },
  bodies,
  queue,
);
const now = Date.now();

const times = timeWays({
  'a request, counted and timed': () => metrics.requests.note(record),
  'a decision of the limiter': () => limiter.charge(caller, now),
  'the same, counted': () => counted.charge(caller, now),
  'a time of the clock that never steps': () => performance.now(),
  'the same, and a check whether to refuse': () =>
    load.track(load.refuses('GET', performance.now())),
  'a scrape': () => writeExposition(metrics.all()),
});
const rows = [...times].map(([what, spread]) => [
  what,
  spreadText(spread, (time) => time.toFixed(3)),
]);
queue.close();
process.stdout.write(`${markdownTable(['', 'µs'], rows)}\n`);
