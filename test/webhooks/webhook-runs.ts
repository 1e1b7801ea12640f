/**
 * `bun test/webhooks/webhook-runs.ts [RUNS] [ENGINE]`: delivers to a receiver that fails at random, while
 * eight writers write and processes are killed, and PostgreSQL restarted, at random. Ends with exit
 * code 1 if an event is missing, comes in the wrong order or differs, or if a takeover takes longer
 * than 10 s.
 */
import { bothEngines } from '../transfer/pairs.ts';
import { runWebhooks } from './webhook-run.ts';
import { startWebhookStore } from './webhook-store.ts';

const TAKEOVER_MAX_MS = 10_000;

const runs = Number(process.argv[2] ?? 100);
const only = process.argv[3];

for (const engine of bothEngines) {
  const { name } = engine;
  if (only !== undefined && only !== name) continue;
  await using store = await startWebhookStore(engine);
  const sums = { events: 0, arrivals: 0, duplicates: 0, kills: 0, restarts: 0 };
  let slowestMs = 0;
  for (let seed = 1; seed <= runs; seed++) {
    const { takeoverMs, ...counts } = await runWebhooks(store, seed);
    slowestMs = Math.max(slowestMs, takeoverMs);
    if (takeoverMs > TAKEOVER_MAX_MS)
      throw new Error(`run ${seed}: taken over in ${takeoverMs} ms`);
    for (const [key, count] of Object.entries(counts)) sums[key as keyof typeof sums] += count;
    process.stderr.write(
      `${name} ${seed}: ${JSON.stringify(counts)}, ${Math.round(takeoverMs)} ms\n`,
    );
  }
  process.stdout.write(
    `${name}: ${runs} runs lost nothing, ${store.servers.length} processes, ${JSON.stringify(sums)}, slowest takeover ${Math.round(slowestMs)} ms\n`,
  );
}
process.exit(0);
