import type { ReadSettings } from '../config.ts';
import type { Clock } from '../domain/clock.ts';
import { AREAS, type Finding } from '../domain/finding.ts';
import { inspectLimits } from '../limits/inspect.ts';
import { inspectDatabase } from '../storage/inspect.ts';
import { certificateFindings } from './certificate.ts';
import { clockFindings } from './clock.ts';
import { inspectPorts } from './ports.ts';
import { settingFindings } from './settings.ts';

export interface ExamineOptions {
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
  const { database, environment, limits, secretKeys } = settings.values;
  const findings = await Promise.all([
    settingFindings(settings, variables),
    certificateFindings(settings.values, clock),
    clockFindings(clock),
    database !== undefined && environment !== undefined
      ? inspectDatabase(database, environment, secretKeys)
      : [],
    limits !== undefined ? inspectLimits(limits) : [],
    inspectPorts(settings.values),
  ]);
  const all = findings.flat();
  return AREAS.flatMap((area) => all.filter((finding) => finding.area === area));
}
