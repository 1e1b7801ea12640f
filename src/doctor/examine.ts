import type { Clock } from '../domain/clock.ts';
import type { Environment } from '../domain/deployment.ts';
import { checkServer, reasonOf } from '../mail/send.ts';
import { hostProblems, unresolvedSettings } from '../server/start-problems.ts';
import type { ReadSettings } from '../settings/config.ts';
import { databaseAddress } from '../storage/address.ts';
import { inspectBackups, inspectPhotos } from './backups.ts';
import { clockFindings } from './clock.ts';
import { AREAS, type Finding, findingsOf } from './finding.ts';
import { inspectLimits } from './limits.ts';
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
  const { values } = settings;
  const { database, environment, limits, photos, secretKey = [], smtp } = values;
  const { backup, backupEveryMs, backupKeep } = values;
  const place = backupEveryMs && backupKeep && { backup, backupEveryMs, backupKeep };
  const checks = [
    settingFindings(settings, variables),
    certificateFindings(values, clock),
    clockFindings(clock),
    hostFindings(settings),
    inspectPorts(values),
    ...(database && environment ? [inspectDatabase(database, environment, secretKey)] : []),
    ...(database && environment && place
      ? [inspectBackups({ ...place, database, environment }, clock.now())]
      : []),
    ...(database ? [inspectPhotos(photos, database)] : []),
    ...(smtp ? [inspectMail(smtp)] : []),
    ...(limits ? [inspectLimits(limits)] : []),
  ];
  const all = (await Promise.all(checks.map(async (check) => Array.fromAsync(await check)))).flat();
  return AREAS.flatMap((area) => all.filter((finding) => finding.area === area));
}

async function* hostFindings(settings: ReadSettings): AsyncGenerator<Finding> {
  for (const problem of [
    ...(await hostProblems(settings)),
    ...(await unresolvedSettings(settings)),
  ]) {
    yield findingsOf('settings').bad(`${problem}
      → The service cannot use it as it is.`);
  }
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
  const expected = { environment, secretKeys };
  return database.engine === 'postgres'
    ? await inspectPostgres(database.url, expected)
    : await Array.fromAsync(inspectSqlite(database.path, expected));
}

/** Checks the mail server: connects and signs in, and sends nothing. */
export async function inspectMail(smtp: string): Promise<readonly Finding[]> {
  const { good, bad } = findingsOf('mail');
  const { host } = new URL(smtp);
  try {
    await checkServer({ smtp });
    return [good(`The mail server ${host} can be reached.`)];
  } catch (error) {
    const todo =
      'Check host, port, user and password of PETSTORE_SMTP; with a password, a server that is not on this machine must offer TLS.';
    return [bad(`The mail server ${host} cannot be used: ${reasonOf(error)}.\n→ ${todo}`)];
  }
}
