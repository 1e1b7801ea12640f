import type { ReadSettings } from '../config.ts';
import type { Clock } from '../domain/clock.ts';
import { AREAS, type Finding } from '../domain/finding.ts';
import { inspectLimits } from '../limits/inspect.ts';
import { inspectDatabase } from '../storage/inspect.ts';
import { certificateFindings } from './certificate.ts';
import { clockFindings } from './clock.ts';
import { inspectPorts } from './ports.ts';
import { settingFindings } from './settings.ts';

/** What is looked at. */
export interface ExamineOptions {
  readonly settings: ReadSettings;
  /** The variables of the environment, for names that mean nothing here. */
  readonly variables: Readonly<Partial<Record<string, string>>>;
  readonly clock: Clock;
}

/**
 * Looks at all that a service with these settings needs, and changes nothing. What stands on a
 * setting that cannot be used is left out; everything else is looked at, whatever is broken.
 */
export async function examine({ settings, variables, clock }: ExamineOptions): Promise<Finding[]> {
  const { database, environment, limits } = settings.values;
  const findings = await Promise.all([
    settingFindings(settings, variables),
    certificateFindings(settings.values, clock),
    clockFindings(clock),
    database !== undefined && environment !== undefined
      ? inspectDatabase(database, environment)
      : [],
    limits !== undefined ? inspectLimits(limits) : [],
    inspectPorts(settings.values),
  ]);
  const all = findings.flat();
  return AREAS.flatMap((area) => all.filter((finding) => finding.area === area));
}
