import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildChecker } from '../conformance/linearizability/checker.ts';
import { isolated } from './isolation.ts';
import { installPatroni, missing } from './programs.ts';

/*
 * `npm run test:failover [RUNS] [SCENARIO…]`: fails a real Patroni cluster over under load. A scenario is named by
 * its first words. PETSTORE_FAILOVER_PATRONI tests another version of Patroni, PETSTORE_FAILOVER_MODE another mode of
 * synchronous replication; with PETSTORE_FAILOVER_PROXY=1 the service connects through HAProxy.
 */

const [runs = '1', ...scenarios] = process.argv.slice(2);
const reason = missing();
if (reason !== undefined) {
  console.log(`${reason}\n(fail) failover\n\n 0 pass\n 1 fail`);
  process.exit(1);
}
// The namespace has no way to the registries.
const patroni = await installPatroni(process.env['PETSTORE_FAILOVER_PATRONI']);
const work = mkdtempSync(join(tmpdir(), 'petstore-failover-'));
const checker = await buildChecker(work);
const trials = [process.execPath, join(import.meta.dir, 'trials.ts')];
const mode = process.env['PETSTORE_FAILOVER_MODE'];
const flags = [
  ...(process.env['PETSTORE_FAILOVER_PROXY'] === undefined ? [] : ['--proxy']),
  ...(mode === undefined ? [] : ['--mode', mode]),
  ...['--patroni', patroni, '--checker', checker, '--runs', runs, ...scenarios],
];
const child = Bun.spawn(isolated([...trials, ...flags]), {
  stdio: ['ignore', 'inherit', 'inherit'],
});
process.exitCode = await child.exited;
rmSync(work, { recursive: true });
