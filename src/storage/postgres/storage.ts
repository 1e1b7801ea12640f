import type { Environment } from '../../domain/deployment.ts';
import type { Records } from '../../domain/records.ts';
import type { PoolUse, Storage } from '../../domain/storage.ts';
import type { Opening } from '../opening.ts';
import { createAllowanceStorage } from './allowances.ts';
import { createCategoryStorage } from './categories.ts';
import { connect, type Session } from './connection.ts';
import { findFence } from './fence.ts';
import { createIdempotencyStorage } from './idempotency.ts';
import { createKeyStorage } from './keys.ts';
import { createOrderStorage } from './orders.ts';
import { createPetStorage } from './pets.ts';
import { createPool } from './pool.ts';
import { prepareDatabase } from './schema.ts';
import { createRecordsVersion } from './version.ts';
import { type Access, accessInside, accessThrough } from './writer.ts';

/**
 * Animals before orders: an order that is being placed locks its animal, so `reset` waits for it
 * and then removes it too.
 */
const RESET = ['pets', 'imported_rows', 'orders', 'categories', 'idempotent_results'];

/** Opens the storage in a PostgreSQL database. Throws `UnusableDatabase`. */
export async function openPostgresStorage(
  url: string,
  environment: Environment,
  opening: Opening = {},
): Promise<Storage> {
  const versionPool = createPool(() => connect(url), 1);
  const version = createRecordsVersion(versionPool);
  const pool = createPool(() => {
    version.renew();
    return connect(url);
  });
  const pools = [pool, versionPool];
  const close = async () => void (await Promise.all(pools.map((each) => each.close())));
  try {
    await prepareDatabase(pool.run, url, environment, opening);
  } catch (error) {
    await close();
    throw error;
  }
  const access = accessThrough(pool);

  return {
    ...createRecords(access),
    recordsVersion: version.read,
    keys: createKeyStorage(access, version.writeBeside),
    allowances: createAllowanceStorage(access),
    idempotency: createIdempotencyStorage(access, recordsIn, version.writeBeside),
    isFenced: () => access.read(async (session) => (await findFence(session)) !== undefined),
    ping: () => access.read(async (session) => void (await session.query('SELECT 1'))),
    reset: () =>
      access.writeLong(async (session) => {
        for (const table of RESET) await session.run(`DELETE FROM ${table}`);
      }),
    // The server runs autovacuum.
    optimize: () => undefined,
    pool: () => sum(pools.map((each) => each.use())),
    close,
  };
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
  };
}

/** Returns the records, read and written inside a transaction. */
function recordsIn(session: Session): Records {
  return createRecords(accessInside(session));
}
