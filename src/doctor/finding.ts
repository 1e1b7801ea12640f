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

/**
 * Returns what makes the findings of an area, from a sentence and, on the next line after an arrow, advice. `bad` keeps
 * the service from starting or from doing its job.
 */
export function findingsOf(area: Area) {
  const finding = (verdict: Verdict, text: string): Finding => {
    const [found = '', todo] = text.split(/\n *→ /);
    // Where all is good there is nothing to do.
    return { area, verdict, found, ...(verdict !== 'good' && todo !== undefined && { todo }) };
  };
  return {
    good: (text: string) => finding('good', text),
    advice: (text: string) => finding('advice', text),
    bad: (text: string) => finding('bad', text),
    /** `advice` if it is worth a change, else `good`. */
    unless: (isBetter: boolean, text: string) => finding(isBetter ? 'advice' : 'good', text),
  };
}
