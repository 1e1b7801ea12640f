/**
 * `bun bench/sweep.ts [RESULTS]`: removes expired idempotency results (500,000 by default) from a
 * temporary SQLite file in the steps that the service takes, and reports how long each step took and
 * how long the event loop was held up. On PostgreSQL other sessions do not wait for these steps.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SWEEP_PAUSE_MS, SWEPT_AT_ONCE } from '../src/maintenance.ts';
import { openConnection } from '../src/storage/sqlite/connection.ts';
import { openSqliteStorage } from '../src/storage/sqlite/storage.ts';

const RESULTS = Number(process.argv[2] ?? 500_000);

const folder = mkdtempSync(join(tmpdir(), 'petstore-sweep-'));
const path = join(folder, 'petstore.db');

function fill(): void {
  const database = openConnection(path, 'production');
  database.run(
    `INSERT INTO api_keys (hash, name, plan, scopes, created_at)
     VALUES ('${'a'.repeat(64)}', 'bench', 'free', 'write', 0)`,
  );
  database.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${RESULTS})
     INSERT INTO idempotent_results SELECT 1, 'createPet', lower(hex(randomblob(16))),
       '${'f'.repeat(64)}', 201, '{"id":' || i || ',"name":"Willow","categoryId":3}',
       '{"location":"http://127.0.0.1:8080/v1/pets/1"}', i FROM n`,
  );
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** A value of a sorted list, by its rank from 0 to 1. */
const at = (sorted: readonly number[], rank: number) =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * rank))] ?? 0).toFixed(1);

try {
  fill();
  const storage = openSqliteStorage(path, 'production');
  const steps: number[] = [];
  const pauses: number[] = [];
  let last = performance.now();
  const watch = setInterval(() => {
    const now = performance.now();
    pauses.push(now - last - 1);
    last = now;
  }, 1);
  for (let removed = SWEPT_AT_ONCE; removed === SWEPT_AT_ONCE; await Bun.sleep(SWEEP_PAUSE_MS)) {
    const began = performance.now();
    removed = await storage.idempotency.removeExpired(RESULTS + 1, SWEPT_AT_ONCE);
    steps.push(performance.now() - began);
  }
  clearInterval(watch);
  await storage.close();
  for (const list of [steps, pauses]) list.sort((a, b) => a - b);
  process.stdout.write(
    `${RESULTS} results in ${steps.length} steps: ms a step p50 ${at(steps, 0.5)}, ` +
      `p99 ${at(steps, 0.99)}, max ${at(steps, 1)}; ` +
      `event loop held up at most ${at(pauses, 1)} ms, p99.9 ${at(pauses, 0.999)}\n`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
