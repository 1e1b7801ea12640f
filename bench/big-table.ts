/** `bun bench/big-table.ts [SIZE...]`: pages of lists over big tables; see README.md. */
import { Database } from 'bun:sqlite';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PetFilter } from '../src/domain/pet.ts';
import type { Storage } from '../src/domain/storage.ts';
import { openStorage } from '../src/storage/open.ts';
import { openConnection } from '../src/storage/sqlite/connection.ts';
import { spreadOf, spreadText } from './statistics.ts';
import { markdownTable } from './table.ts';

/** Fills a database. Nobody else uses it, so crash safety is off, and indexes are created afterwards. */
function fill(path: string, count: number): void {
  openConnection(path, 'production').close();
  const database = new Database(path);
  database.run('PRAGMA journal_mode = MEMORY');
  database.run('PRAGMA synchronous = OFF');
  const indexes = database
    .query<{ name: string; sql: string }, []>(
      `SELECT name, sql FROM sqlite_schema
       WHERE type = 'index' AND tbl_name = 'pets' AND sql IS NOT NULL`,
    )
    .all();
  for (const { name } of indexes) database.run(`DROP INDEX ${name}`);
  database
    .query(
      `INSERT INTO pets (name, name_folded, category_id, status, was_offered, added_at)
       WITH RECURSIVE ids (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM ids WHERE i < ?1),
       hashed (i, h) AS (SELECT i, i * 2654435761 >> 13 FROM ids)
       SELECT 'bella ' || i, 'bella ' || i, 1 + h % 40, CASE (h / 40) % 3
         WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END, 1, 0
       FROM hashed`,
    )
    .run(count);
  for (const { sql } of indexes) database.run(sql);
  database.close();
}

const ROUNDS = 9;
/** Pages read in sequence in a round, each from a different position. */
const PAGES = 100;
const PAGE = 20;
/** Distance between the positions, in ids. */
const STRIDE = 97n;
const MILLION = 1_000_000;

/** The measured filters. */
const LISTS: Readonly<Record<string, PetFilter>> = {
  'no filter': {},
  status: { status: 'sold' },
  categoryId: { categoryId: 7n },
  'status and categoryId': { status: 'sold', categoryId: 7n },
};

/** Measures the processor time of a page after the first `behind` animals, in microseconds. */
async function timePages(storage: Storage, filter: PetFilter, behind: number): Promise<number> {
  const start = process.cpuUsage();
  for (let i = 0; i < PAGES; i++) {
    const afterId = BigInt(behind) + BigInt(i) * STRIDE;
    await storage.pets.list(filter, { afterId, limit: PAGE });
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / PAGES;
}

/** Measures all rounds. Columns take turns, so that a disturbance affects all of them. */
async function measure(storages: readonly Storage[], filter: PetFilter): Promise<number[][]> {
  const columns = [
    ...storages.map((storage) => () => timePages(storage, filter, 0)),
    () => timePages(storages.at(-1) as Storage, filter, MILLION),
  ];
  for (const column of columns) await column();
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const times: number[] = [];
    for (const column of columns) times.push(await column());
    rounds.push(times);
  }
  return rounds;
}

function rowOf(name: string, rounds: readonly number[][], sizes: number): string[] {
  const at = (round: readonly number[], column: number) => round[column] ?? Number.NaN;
  const ratio = (above: number, below: number) =>
    spreadText(spreadOf(rounds.map((round) => at(round, above) / at(round, below))), two);
  const times = Array.from({ length: sizes + 1 }, (_, column) =>
    spreadOf(rounds.map((round) => at(round, column))).median.toFixed(0),
  );
  return [name, ...times, ratio(sizes - 1, 0), ratio(sizes, sizes - 1)];
}

function two(value: number): string {
  return value.toFixed(2);
}

const sizes = process.argv.slice(2).map(Number);
if (sizes.length === 0) sizes.push(10_000, MILLION, 10 * MILLION);
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
// SQLite calls block signal handlers, so the folder is removed when the pipe to this process closes.
const removing = ['sh', '-c', 'trap "" INT TERM HUP; cat; rm -rf "$0"', folder];
const remover = Bun.spawn(removing, { stdin: 'pipe' });
try {
  const storages: Storage[] = [];
  for (const size of sizes) {
    const path = join(folder, `${size}.db`);
    fill(path, size);
    storages.push(await openStorage(`sqlite:${path}`, 'production'));
    const megabytes = (statSync(path).size / 1e6).toFixed(0);
    process.stderr.write(`${size} animals: ${megabytes} MB\n`);
  }
  const header = ['CPU µs a page of', ...sizes.map((size) => size.toLocaleString('en'))];
  header.push('a million rows in', 'last size ÷ first', 'a million in ÷ first page');
  const rows: string[][] = [];
  for (const [name, filter] of Object.entries(LISTS)) {
    rows.push(rowOf(name, await measure(storages, filter), sizes.length));
  }
  process.stdout.write(`${markdownTable(header, rows)}\n`);
  for (const storage of storages) await storage.close();
} finally {
  remover.stdin.end();
  await remover.exited;
}
