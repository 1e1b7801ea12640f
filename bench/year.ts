/**
 * `bun bench/year.ts [sqlite|postgres]`: a year of a shop that gets 40 animals a day, and keeps what can be set
 * for a month or two: the rows of every table at the end of each quarter, the kilobytes of a thousand rows, the
 * size of the whole, and the backups, one a day; see README.md.
 */
import { DAY_MS } from '../src/domain/clock.ts';
import { databaseAddress } from '../src/storage/address.ts';
import { openStorage } from '../src/storage/open.ts';
import { measureSpace } from '../src/storage/sqlite/space.ts';
import { COPIED } from '../src/storage/tables.ts';
import { createTestClock } from '../test/support/clock.ts';
import { sqliteDatabaseAt } from '../test/support/engines.ts';
import { statement } from '../test/support/postgres-engine.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { createTemporaryFolder } from '../test/support/temporary.ts';
import { openShop } from '../test/support/year.ts';
import { keepBackups } from '../test/support/year-backups.ts';
import { markdownTable } from './table.ts';

const ANIMALS_PER_DAY = 40;
const QUARTERS = [1, 2, 3, 4];
const QUARTER_DAYS = 91;
const ROWS_MIN = 300;
const KEPT = {
  eventsKeepMs: 30 * DAY_MS,
  auditKeepMs: 60 * DAY_MS,
  enquiriesKeepMs: 30 * DAY_MS,
  ordersKeepMs: 30 * DAY_MS,
};

/** The bytes of each table with its indexes. */
const SIZES = {
  sqlite: `SELECT tbl_name AS name, sum(pgsize) AS bytes
    FROM dbstat JOIN sqlite_schema USING (name) GROUP BY tbl_name`,
  postgres: `SELECT tablename AS name, pg_total_relation_size(quote_ident(tablename)) AS bytes
    FROM pg_tables WHERE schemaname = current_schema()`,
};

/** Rows and bytes of a table. */
interface Measured {
  readonly rows: number;
  readonly bytes: number;
}

/** A database, with statements on a connection of its own. */
interface Database {
  readonly address: string;
  sql(text: string): Promise<Record<string, unknown>[]>;
}

async function measure(database: Database): Promise<Map<string, Measured>> {
  const { engine } = databaseAddress(database.address);
  const found = await database.sql(SIZES[engine]);
  const bytes = new Map(found.map((row) => [String(row['name']), Number(row['bytes'])]));
  const measured = new Map<string, Measured>();
  for (const table of COPIED) {
    const [row] = await database.sql(`SELECT count(*) AS n FROM ${table}`);
    measured.set(table, { rows: Number(row?.['n']), bytes: bytes.get(table) ?? 0 });
  }
  return measured;
}

/** The sizes of the whole database and of its log, in megabytes. */
async function whole(database: Database): Promise<string> {
  const address = databaseAddress(database.address);
  if (address.engine === 'sqlite') {
    const { size, log = 0 } = await measureSpace(address.path);
    return `${megabytes(size)} and ${megabytes(log)}`;
  }
  const [row] = await database.sql('SELECT pg_database_size(current_database()) AS bytes');
  return megabytes(Number(row?.['bytes']));
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

async function live(database: Database): Promise<string> {
  const { engine } = databaseAddress(database.address);
  const storage = await openStorage(database.address, 'production');
  const clock = createTestClock();
  const shop = await openShop(storage, clock, KEPT, ANIMALS_PER_DAY);
  using backups = keepBackups(database.address, clock);
  const ends: Map<string, Measured>[] = [];
  const sizes: string[] = [];
  const kept: string[] = [];
  for (const quarter of QUARTERS) {
    for (let day = 0; day < QUARTER_DAYS; day++) {
      await shop.live();
      await backups.make();
      // The days are too short for autovacuum.
      if (engine === 'postgres' && day % 2 === 0) await database.sql('VACUUM');
    }
    sizes.push(await whole(database));
    await backups.expectNewest();
    kept.push(`${backups.count()}, ${megabytes(backups.size())}`);
    if (engine === 'postgres' && quarter === QUARTERS.at(-1)) await database.sql('VACUUM FULL');
    ends.push(await measure(database));
    process.stderr.write(`${engine}: quarter ${quarter} of 4\n`);
  }
  await storage.close();
  const last = ends.at(-1) ?? new Map<string, Measured>();
  const rows = [...last]
    .filter(([, { rows }]) => rows > 1)
    .map(([table, { rows, bytes }]) => [
      table,
      ...ends.map((end) => (end.get(table)?.rows ?? 0).toLocaleString('en')),
      // A table of few rows is a page or two.
      rows < ROWS_MIN ? '' : `${Math.round(bytes / rows)} kB`,
    ]);
  const header = [
    `${engine}: rows`,
    ...QUARTERS.map((quarter) => `quarter ${quarter}`),
    'a thousand',
  ];
  const name = engine === 'sqlite' ? 'file and log' : 'database';
  return markdownTable(header, [...rows, [name, ...sizes, ''], ['backups', ...kept, '']]);
}

const [only] = process.argv.slice(2);
if (only !== 'postgres') {
  using folder = createTemporaryFolder();
  console.log(`${await live(sqliteDatabaseAt(folder.file('petstore.db')))}\n`);
}
if (only !== 'sqlite') {
  await using server = await startPostgres();
  await statement(server.addressOf('postgres'), 'CREATE DATABASE petstore');
  const address = server.addressOf('petstore');
  console.log(await live({ address, sql: (text) => statement(address, text) }));
}
