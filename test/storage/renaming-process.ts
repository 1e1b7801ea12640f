/**
 * `bun renaming-process.ts DATABASE TOLD`: renames category 1 to 1, 2, 3 … until it is ended. Each
 * number stands in TOLD, a file of 4 bytes in memory, as soon as its commit is acknowledged.
 */
import { openConnection } from '../../src/storage/sqlite/connection.ts';

const [path = '', toldFile = ''] = process.argv.slice(2);
const told = new Uint32Array(Bun.mmap(toldFile, { shared: true }).buffer);
const database = openConnection(path, 'production');
// What is renamed counts, not whether it would survive a power cut.
database.run('PRAGMA synchronous = OFF');
database.run('PRAGMA busy_timeout = 5000');
const rename = database.query<null, [string]>('UPDATE categories SET name = ?1, name_folded = ?1');

/** Commits between pauses, which let the other process write. */
const COMMITS_IN_A_ROW = 16;

for (let number = 1; ; number++) {
  rename.run(String(number));
  Atomics.store(told, 0, number);
  if (number % COMMITS_IN_A_ROW === 0) Bun.sleepSync(1);
}
