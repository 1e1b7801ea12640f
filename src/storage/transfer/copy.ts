import type { PortableDatabase } from '../portable-database.ts';
import { batchRows, type Cell, copiedTables, type Row, type Table } from '../tables.ts';

/** A transfer that was refused, stopped or failed; the message says the state and what to do. */
export class TransferFailure extends Error {}

/** Returns the reason of a failure, ending with a full stop. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.?$/, '.');
}

/** Reports the progress of a transfer in rows, and whether it was interrupted. */
export interface Progress {
  start(total: number): void;
  advance(step: number): void;
  isInterrupted(): boolean;
}

/**
 * Throws `TransferFailure` if the transfer was interrupted. SQLite works synchronously, so this waits
 * for one turn of the event loop, in which a signal can arrive.
 */
export async function continueAfter(progress: Progress): Promise<void> {
  await new Promise(setImmediate);
  if (progress.isInterrupted()) throw new TransferFailure('stopped as you asked.');
}

/** The longest wait of a hold for other writers. */
const HOLD_MS = 30_000;

/** The number of copied rows by table name. */
export type Counts = ReadonlyMap<string, number>;

/** The rows of a table as they were read. */
interface Taken {
  readonly rows: number;
  readonly digest: string;
}

/**
 * Copies every row into an empty database, then reads all of them back and compares. Both databases
 * are in a transaction. Throws `TransferFailure` if interrupted, or if the copy differs.
 */
export async function copyDatabase(
  source: PortableDatabase,
  target: PortableDatabase,
  progress: Progress,
): Promise<Counts> {
  const rows = [...(await countRows(source)).values()].reduce((sum, count) => sum + count, 0);
  progress.start(2 * rows);
  const taken = new Map<Table, Taken>();
  for (const table of copiedTables()) {
    taken.set(table, await copyTable(table, source, target, progress));
  }
  for (const [table, copied] of taken) {
    const { rows, digest } = await read(table, target, progress);
    if (rows === copied.rows && digest === copied.digest) continue;
    throw new TransferFailure(
      `the table ${table.name} was read back from ${target.name} otherwise than it was written ` +
        `(${rows} of ${copied.rows} rows).`,
    );
  }
  return new Map([...taken].map(([table, { rows }]) => [table.name, rows]));
}

async function copyTable(
  table: Table,
  source: PortableDatabase,
  target: PortableDatabase,
  progress: Progress,
): Promise<Taken> {
  let highest = 0n;
  const taken = await read(table, source, progress, async (rows) => {
    await target.insert(table, rows);
    const id = rows.at(-1)?.[0];
    if (typeof id === 'bigint') highest = id;
  });
  if (table.givesIds) {
    // Includes ids that the target has assigned before: a client may remember them.
    for (const id of [await source.lastId(table), await target.lastId(table)]) {
      if (id > highest) highest = id;
    }
    if (highest > 0n) await target.setLastId(table, highest);
  }
  return taken;
}

/** Reads a table to its end, a batch at a time. */
async function read(
  table: Table,
  database: PortableDatabase,
  progress: Progress,
  take: (rows: readonly Row[]) => Promise<void> = async () => {},
): Promise<Taken> {
  const digest = createDigest();
  const most = batchRows(table);
  let last: Row | undefined;
  for (;;) {
    await continueAfter(progress);
    const rows = await database.page(table, last, most);
    if (rows.length > 0) {
      await take(rows);
      digest.add(rows);
      progress.advance(rows.length);
      last = rows.at(-1);
    }
    if (rows.length < most) return { rows: digest.rows(), digest: digest.end() };
  }
}

/** Counts the rows of every table. */
export async function countRows(database: PortableDatabase): Promise<Counts> {
  const counts = new Map<string, number>();
  for (const table of copiedTables()) counts.set(table.name, await database.count(table));
  return counts;
}

/** Blocks all other writers. Throws `TransferFailure` if they do not stop in time. */
export async function hold(database: PortableDatabase, progress: Progress): Promise<void> {
  const end = performance.now() + HOLD_MS;
  while (!(await database.beginHold())) {
    await continueAfter(progress);
    if (performance.now() < end) continue;
    throw new TransferFailure(
      `${database.name} is kept by others that write, such as an import; try again when they are done.`,
    );
  }
}

/** Tables that may have rows although there is nothing in the shop. */
const OWN = ['changes', 'event_start', 'retention', 'erasures'];

/**
 * Throws `TransferFailure` if the database has any rows. The change log of records that were removed
 * does not count: it is removed too, and its ids are not reused.
 */
export async function ensureEmpty(database: PortableDatabase, advice: string): Promise<void> {
  const filled = [...(await countRows(database))].filter(([, rows]) => rows > 0);
  const found = filled
    .filter(([name]) => !OWN.includes(name))
    .map(([name, rows]) => `${rows} of ${name}`);
  if (found.length > 0) {
    throw new TransferFailure(`${database.name} is not empty (${found.join(', ')}); ${advice}`);
  }
  if (filled.length > 0) await database.clear();
}

/** Creates a digest of the rows of a table in order: equal only for equal cells. */
function createDigest() {
  const hash = new Bun.CryptoHasher('sha256');
  let count = 0;
  return {
    add(rows: readonly Row[]): void {
      hash.update(rows.map((row) => row.map(written).join('')).join(''));
      count += rows.length;
    },
    rows: () => count,
    /** SHA-256 in hexadecimal; nothing may be added afterwards. */
    end: () => hash.digest('hex'),
  };
}

/** Encodes a cell so that different lists of cells never have the same text. */
function written(cell: Cell): string {
  if (cell === null) return 'n';
  if (typeof cell === 'bigint') return `${cell};`;
  if (typeof cell !== 'string') return `b${Bun.SHA256.hash(cell, 'hex')}`;
  return `t${cell.length}:${cell}`;
}
