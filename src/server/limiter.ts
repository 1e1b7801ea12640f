import type { Allowance, Limiter } from '../domain/allowance.ts';
import type { Clock } from '../domain/clock.ts';
import type { Storage } from '../domain/storage.ts';
import { MEMORY, openLimiter } from '../limits/open.ts';
import type { Config } from '../settings/config.ts';
import { databaseAddress } from '../storage/address.ts';
import { type Log, openLog } from '../telemetry/log.ts';

/** Opens the configured limiter. Without a `clock` the windows follow that of the server that counts. */
export function openConfiguredLimiter(
  config: Config,
  storage: Storage,
  log: Log,
  clock?: Clock,
): Promise<Limiter> {
  if (config.limits === MEMORY && databaseAddress(config.database).engine === 'postgres') {
    log.warn('limits are counted by each instance alone: set PETSTORE_LIMITS where there are many');
  }
  return openLimiter({
    address: config.limits,
    environment: config.environment,
    storage: storage.allowances,
    rules: config,
    time: clock === undefined ? 'server' : 'caller',
    log,
  });
}

/** Reads the counts of these key families from wherever the configured servers count. */
export async function readAllowances(
  config: Config,
  storage: Storage,
  familyIds: readonly bigint[],
): Promise<readonly Allowance[]> {
  const limiter = await openConfiguredLimiter(config, storage, openLog('silent'));
  try {
    return await limiter.report(familyIds);
  } finally {
    await limiter.close();
  }
}
