import type { Clock } from '../domain/clock.ts';
import type { Environment } from '../domain/deployment.ts';
import { checkServer, reasonOf } from '../mail/send.ts';
import { hostProblems, unresolvedSettings } from '../server/start-problems.ts';
import type { ReadSettings } from '../settings/config.ts';
import { databaseAddress } from '../storage/address.ts';
import { inspectBackups } from './backups.ts';
import { clockFindings } from './clock.ts';
import { AREAS, type Finding, failed, passed } from './finding.ts';
import { inspectLimits } from './limits.ts';
import { inspectPhotos } from './photos.ts';
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
  const { backup, backupEveryMs, backupKeep } = settings.values;
  const findings = await Promise.all([
    settingFindings(settings, variables),
    certificateFindings(settings.values, clock),
    clockFindings(clock),
    addressFindings(settings),
    database !== undefined && environment !== undefined
      ? inspectDatabase(database, environment, secretKey)
      : [],
    database !== undefined ? inspectPhotos(photos, database) : [],
    smtp !== undefined ? inspectMail(smtp) : [],
    database !== undefined &&
    environment !== undefined &&
    backupEveryMs !== undefined &&
    backupKeep !== undefined
      ? inspectBackups({ backup, backupEveryMs, backupKeep, database, environment }, clock.now())
      : [],
    limits !== undefined ? inspectLimits(limits) : [],
    inspectPorts(settings.values),
  ]);
  const all = findings.flat();
  return AREAS.flatMap((area) => all.filter((finding) => finding.area === area));
}

async function addressFindings(settings: ReadSettings): Promise<Finding[]> {
  const problems = [...(await hostProblems(settings)), ...(await unresolvedSettings(settings))];
  return problems.map((problem) =>
    failed('settings', problem, 'The service cannot use it as it is.'),
  );
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

/** Checks the mail server: connects and signs in, and sends nothing. */
export async function inspectMail(smtp: string): Promise<readonly Finding[]> {
  const { host } = new URL(smtp);
  try {
    await checkServer({ smtp });
    return [passed('mail', `The mail server ${host} can be reached.`)];
  } catch (error) {
    const found = `The mail server ${host} cannot be used: ${reasonOf(error)}.`;
    const todo =
      'Check host, port, user and password of PETSTORE_SMTP; with a password, a server that is not on this machine must offer TLS.';
    return [failed('mail', found, todo)];
  }
}
