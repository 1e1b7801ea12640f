/**
 * `bun renaming-process.ts DATABASE COMMITTED`: renames category 1 to 1, 2, 3 … until killed.
 * COMMITTED is a memory-mapped file of 4 bytes that holds the last acknowledged number.
 */
import { openConnection } from '../../src/storage/sqlite/connection.ts';

const [path = '', committedFile = ''] = process.argv.slice(2);
const committed = new Uint32Array(Bun.mmap(committedFile, { shared: true }).buffer);
const database = openConnection(path, 'production');
// The test needs visibility, not durability.
database.run('PRAGMA synchronous = OFF');
database.run('PRAGMA busy_timeout = 5000');
const update = database.query<null, [string]>('UPDATE categories SET name = ?1, name_folded = ?1');
const note = database.query<null, [string]>(
  "INSERT INTO changes (type, at, record_id, name) VALUES ('category.updated', 0, 1, ?1)",
);
const rename = database.transaction((name: string) => {
  update.run(name);
  note.run(name);
});

/** Commits between pauses, which let the other process write. */
const COMMITS_IN_A_ROW = 16;

for (let number = 1; ; number++) {
  rename.immediate(String(number));
  Atomics.store(committed, 0, number);
  if (number % COMMITS_IN_A_ROW === 0) Bun.sleepSync(1);
}
