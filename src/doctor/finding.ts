/** `good`: as it should be. `advice`: works, but could be better. `bad`: must be fixed. */
export type Verdict = 'good' | 'advice' | 'bad';

/** Areas of findings, in the order of the report. */
export const AREAS = [
  ...(['settings', 'clock', 'database', 'disk', 'photos', 'mail'] as const),
  ...(['tasks', 'backups', 'limits', 'ports'] as const),
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

/** Returns what makes the findings of an area. `bad` keeps the service from starting or from doing its job. */
export function findingsOf(area: Area) {
  return {
    good: (found: string): Finding => ({ area, verdict: 'good', found }),
    advice: (found: string, todo: string): Finding => ({ area, verdict: 'advice', found, todo }),
    bad: (found: string, todo: string): Finding => ({ area, verdict: 'bad', found, todo }),
    /** `advice` if it is worth a change, else `good`. */
    unless: (isBetter: boolean, found: string, todo: string): Finding =>
      isBetter ? { area, verdict: 'advice', found, todo } : { area, verdict: 'good', found },
  };
}
