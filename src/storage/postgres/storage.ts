import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { SECOND_MS } from '../../domain/clock.ts';
import type { Environment } from '../../domain/deployment.ts';
import type { Records } from '../../domain/records.ts';
import type { PoolUse, Storage } from '../../domain/storage.ts';
import type { Opening } from '../opening.ts';
import { createAllowanceStorage } from './allowances.ts';
import { createCategoryStorage } from './categories.ts';
import { createChangeLog } from './change-log.ts';
import { stampValues } from './change-notes.ts';
import { createChangeNumbering } from './change-numbering.ts';
import { createChangeTracker, type PostgresChangeTracker } from './change-tracker.ts';
import { type Session, within } from './connection.ts';
import { createDeliveryStorage } from './deliveries.ts';
import { findFence } from './fence.ts';
import { createIdempotencyStorage } from './idempotency.ts';
import { createImportStorage } from './imports.ts';
import { createKeyStorage } from './keys.ts';
import { createOrderStorage } from './orders.ts';
import { createPetStorage } from './pets.ts';
import { createPool, endForgotten, limitsOf, ONE, PATIENCE_MS } from './pool.ts';
import { createConnect } from './primary.ts';
import { prepareDatabase } from './schema.ts';
import { createSessionStorage } from './sessions.ts';
import { createStatsStorage, foldPetCounts } from './stats.ts';
import { createUsageStorage } from './usage.ts';
import { createWebhookStorage } from './webhooks.ts';
import { type Access, accessInside, accessThrough } from './writer.ts';

/** The tables that a reset empties. */
const RESET = [
  ...[
    'pets',
    'imported_rows',
    'imports',
    'orders',
    'adoptions',
    'categories',
    'idempotent_results',
  ],
];

/** Interval at which changes of counts are added up. */
const FOLD_MS = SECOND_MS;

/** Opens the storage in a PostgreSQL database. Throws `UnusableDatabase`. */
export async function openPostgresStorage(
  url: string,
  environment: Environment,
  opening: Opening = {},
): Promise<Storage> {
  const connect = createConnect(url);
  const trackers: PostgresChangeTracker[] = [];
  const pool = createPool(async () => {
    const connection = await connect();
    const meet = () => Promise.all(trackers.map((tracker) => tracker.meet(connection)));
    await within(PATIENCE_MS, connection.end, meet);
    return connection;
  }, limitsOf(opening.connections));
  // Of its own, so that requests and the numbering of their changes never wait for each other.
  const numberingPool = createPool(connect, ONE);
  const numbering = createChangeNumbering(numberingPool);
  const pools = [pool, numberingPool];
  async function close(): Promise<void> {
    await numbering.end();
    await Promise.all(pools.map((each) => each.close()));
  }
  try {
    await prepareDatabase(pool.run, url, environment, opening);
  } catch (error) {
    await close();
    throw error;
  }
  const access = accessThrough(pool);
  const recordAccess = accessThrough(pool, numbering.wake);
  let foldAt = 0;

  return {
    ...createRecords(recordAccess),
    changes: createChangeLog(access, numbering.listen),
    trackChanges(observer) {
      const own = createPool(connect, ONE);
      const tracker = createChangeTracker(own, observer, opening.trackerPatienceMs);
      pools.push(own);
      trackers.push(tracker);
      return tracker;
    },
    // A change of a key or webhook is no event, so nothing is numbered after it.
    keys: createKeyStorage(access),
    webhooks: createWebhookStorage(access),
    deliveries: createDeliveryStorage(access),
    allowances: createAllowanceStorage(access),
    usage: createUsageStorage(access),
    sessions: createSessionStorage(access),
    idempotency: createIdempotencyStorage(access, recordAccess.write, recordsIn),
    isFenced: () => access.read(async (session) => (await findFence(session)) !== undefined),
    ping: () => access.read(async (session) => void (await session.query('SELECT 1'))),
    reset: (stamp) => recordAccess.writeLong((session) => reset(session, stamp)),
    // The server runs autovacuum.
    async optimize() {
      await endForgotten(
        pools.flatMap((each) => each.givenUp()),
        pool,
      );
      // The last step may still wait for its commit.
      if (numberingPool.givenUp().length === 0) await numbering.run();
      if (performance.now() < foldAt) return;
      foldAt = performance.now() + FOLD_MS;
      await access.write(foldPetCounts);
    },
    pool: () => sum(pools.map((each) => each.use())),
    close,
  };
}

/**
 * Waits for every change under way, so that nothing that the log has before the reset is left, and
 * keeps others out until it is noted.
 */
async function reset(session: Session, stamp: ChangeStamp): Promise<void> {
  await session.run('LOCK TABLE pets, orders, categories IN EXCLUSIVE MODE');
  for (const table of RESET) await session.run(`DELETE FROM ${table}`);
  await session.run(
    `INSERT INTO unnumbered_changes (type, at, key_id) VALUES ('store.reset', $1, $2)`,
    ...stampValues(stamp),
  );
}

function sum(uses: readonly PoolUse[]): PoolUse {
  const total = (count: keyof PoolUse) => uses.reduce((all, use) => all + use[count], 0);
  return { inUse: total('inUse'), idle: total('idle'), waiting: total('waiting') };
}

function createRecords(access: Access): Records {
  return {
    pets: createPetStorage(access),
    categories: createCategoryStorage(access),
    orders: createOrderStorage(access),
    keys: createKeyStorage(access),
    stats: createStatsStorage(access.read),
    webhooks: createWebhookStorage(access),
    imports: createImportStorage(access),
  };
}

/** Returns the records, read and written inside a transaction. */
function recordsIn(session: Session): Records {
  return createRecords(accessInside(session));
}
