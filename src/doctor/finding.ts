/** `good`: as it should be. `advice`: works, but could be better. `bad`: must be fixed. */
export type Verdict = 'good' | 'advice' | 'bad';

/** Areas of findings, in the order of the report. */
export const AREAS = [
  'settings',
  'clock',
  'database',
  'disk',
  'photos',
  'mail',
  'tasks',
  'backups',
  'limits',
  'ports',
] as const;
export type Area = (typeof AREAS)[number];

/** The result of one check, made before the service starts or while it runs. */
export interface Finding {
  readonly area: Area;
  readonly verdict: Verdict;
  /** One sentence, without passwords. */
  readonly found: string;
  /** Advice; absent if there is nothing to do. */
  readonly todo?: string;
}

/** Creates the finding of a check that passed. */
export function passed(area: Area, found: string): Finding {
  return { area, verdict: 'good', found };
}

/** Creates the finding of something that works but could be better. */
export function advice(area: Area, found: string, todo: string): Finding {
  return { area, verdict: 'advice', found, todo };
}

/** Creates the finding of something that keeps the service from starting or from doing its job. */
export function failed(area: Area, found: string, todo: string): Finding {
  return { area, verdict: 'bad', found, todo };
}
