/** How something was found: as it should be, worth a change, or in the way of the service. */
export type Verdict = 'good' | 'advice' | 'bad';

/** What a finding is about, in the order in which they are told. */
export const AREAS = ['settings', 'clock', 'database', 'disk', 'limits', 'ports'] as const;
export type Area = (typeof AREAS)[number];

/** One thing that was looked at before or while the service runs. */
export interface Finding {
  readonly area: Area;
  readonly verdict: Verdict;
  /** What was found, in one sentence without passwords. */
  readonly found: string;
  /** What to do about it; absent where nothing is to be done. */
  readonly todo?: string;
}

/** All is as it should be. */
export function passed(area: Area, found: string): Finding {
  return { area, verdict: 'good', found };
}

/** The service runs, but would be better off. */
export function advice(area: Area, found: string, todo: string): Finding {
  return { area, verdict: 'advice', found, todo };
}

/** The service would not start, or not do what it promises. */
export function failed(area: Area, found: string, todo: string): Finding {
  return { area, verdict: 'bad', found, todo };
}
