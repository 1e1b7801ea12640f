import type { Clock } from '../domain/clock.ts';
import type { Environment } from '../domain/deployment.ts';
import type { ReadSettings } from '../settings/config.ts';
import { databaseAddress } from '../storage/address.ts';
import { inspectBackups } from './backups.ts';
import { inspectBucket } from './bucket.ts';
import { clockFindings } from './clock.ts';
import { AREAS, type Finding } from './finding.ts';
import { inspectLimits } from './limits.ts';
import { inspectMail } from './mail.ts';
import { inspectPorts } from './ports.ts';
import { inspectPostgres } from './postgres.ts';
import { certificateFindings, settingFindings } from './settings.ts';
import { inspectSqlite } from './sqlite.ts';

interface ExamineOptions {
  readonly settings: ReadSettings;
  /** The environment, to find misspelt settings. */
  readonly variables: Readonly<Partial<Record<string, string>>>;
  readonly clock: Clock;
}

/**
 * Checks everything that a service with these settings needs, and changes nothing. Skips only the
 * checks that depend on an unusable setting.
 */
export async function examine({ settings, variables, clock }: ExamineOptions): Promise<Finding[]> {
  const { database, environment, limits, photos, secretKey, smtp } = settings.values;
  const { backup, backupEveryMs } = settings.values;
  const findings = await Promise.all([
    settingFindings(settings, variables),
    certificateFindings(settings.values, clock),
    clockFindings(clock),
    database !== undefined && environment !== undefined
      ? inspectDatabase(database, environment, secretKey)
      : [],
    photos !== undefined ? inspectBucket('photos', photos) : [],
    smtp !== undefined ? inspectMail(smtp) : [],
    database !== undefined && environment !== undefined && backupEveryMs !== undefined
      ? inspectBackups({ backup, backupEveryMs, database, environment }, clock.now())
      : [],
    limits !== undefined ? inspectLimits(limits) : [],
    inspectPorts(settings.values),
  ]);
  const all = findings.flat();
  return AREAS.flatMap((area) => all.filter((finding) => finding.area === area));
}

/**
 * Inspects the database of a deployment, without writing to it. `secretKeys` are those of the setting.
 * Never throws.
 */
export async function inspectDatabase(
  address: string,
  environment: Environment,
  secretKeys: readonly string[] = [],
): Promise<readonly Finding[]> {
  const database = databaseAddress(address);
  if (database.engine === 'postgres')
    return await inspectPostgres(database.url, environment, secretKeys);
  return inspectSqlite(database.path, environment, secretKeys);
}
