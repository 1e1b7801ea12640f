import { expect } from 'bun:test';
import type { PortableDatabase } from '../../src/storage/portable-database.ts';
import { changeLog, copiedTables, type Row } from '../../src/storage/tables.ts';
import type { Progress } from '../../src/storage/transfer/copy.ts';
import { openSource, openTarget } from '../../src/storage/transfer/open-portable.ts';
import { RESTORED_CHANGES_GAP } from '../../src/storage/transfer/restore.ts';

/** The rows of every table, and the last id that each gave, by the name of the table. */
export interface Content {
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  readonly lastIds: Readonly<Record<string, bigint>>;
}

/** Nothing at all. */
export const EMPTY: Content = { rows: {}, lastIds: {} };

/** Nobody watches, nobody stops it. */
export const UNWATCHED: Progress = {
  start: () => {},
  advance: () => {},
  isInterrupted: () => false,
};

/** All that is in a database, fenced or not. */
export async function contentOf(address: string): Promise<Content> {
  const database = await openSource(address);
  try {
    await database.beginSnapshot();
    const rows: Record<string, readonly Row[]> = {};
    const lastIds: Record<string, bigint> = {};
    for (const table of copiedTables()) {
      rows[table.name] = await database.page(table, undefined, 1_000_000);
      if (table.givesIds) lastIds[table.name] = await database.lastId(table);
    }
    return { rows, lastIds };
  } finally {
    await database.close();
  }
}

/** Puts rows into an empty database, whatever they are. */
export async function putContent(address: string, { rows, lastIds }: Content): Promise<void> {
  await changing(address, async (database) => {
    for (const table of copiedTables()) {
      await database.insert(table, rows[table.name] ?? []);
      const last = lastIds[table.name] ?? 0n;
      if (table.givesIds && last > 0n) await database.setLastId(table, last);
    }
  });
}

/** Changes a database that nobody else has open, in one transaction. */
async function changing(
  address: string,
  change: (database: PortableDatabase) => Promise<void>,
): Promise<void> {
  const shop = await openTarget(address, 'production');
  try {
    if (!(await shop.beginHold())) throw new Error('somebody holds it');
    await change(shop);
    await shop.commit();
  } finally {
    await shop.close();
  }
}

/** The content of a database into which a backup with this content was restored. */
export function restoredContent({ rows, lastIds }: Content): Content {
  const id = (lastIds['changes'] ?? 0n) + RESTORED_CHANGES_GAP;
  const blank = Object.keys(changeLog().columns).map(() => null);
  const reset = [id, 'store.reset', expect.any(BigInt), ...blank.slice(3)];
  return {
    rows: {
      ...rows,
      changes: [...(rows['changes'] ?? []), reset],
      webhooks: (rows['webhooks'] ?? []).map(disabled),
      channels: (rows['channels'] ?? []).map(disabledChannel),
    },
    lastIds: { ...lastIds, changes: id },
  };
}

const WEBHOOK_COLUMNS = Object.keys(
  copiedTables().find(({ name }) => name === 'webhooks')?.columns ?? {},
);

const CHANNEL_COLUMNS = Object.keys(
  copiedTables().find(({ name }) => name === 'channels')?.columns ?? {},
);

/** A channel in a copy of its database. */
function disabledChannel(row: Row): Row {
  const at = CHANNEL_COLUMNS.indexOf('disabled_reason');
  return row[at] === null ? row.with(at, 'copied') : row;
}

/** A webhook in a copy of its database. */
export function disabled(row: Row): Row {
  const at = (column: string) => WEBHOOK_COLUMNS.indexOf(column);
  if (row[at('disabled_reason')] !== null) return row;
  const revision = row[at('revision')];
  if (typeof revision !== 'bigint') throw new Error('a webhook has no revision');
  return row.with(at('disabled_reason'), 'copied').with(at('revision'), revision + 1n);
}
