/** Bounds of `limit` on every list, as the interface states them. */
export const PAGE_LIMIT_MAX = 100;
export const PAGE_LIMIT_DEFAULT = 20;

/** A place in a list that ascends by id: what comes after `afterId`, or the start. */
export interface PageRequest {
  readonly afterId: bigint | undefined;
  /** 1 to 100. */
  readonly limit: number;
}

/** A page and whether more follows it. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly more: boolean;
  /**
   * Where the next page begins, if it is not behind the last item: a page that looked through as
   * much as one may can hold few items, or none, while more follow.
   */
  readonly resumeAfter?: bigint;
}

/** Makes a page of rows that were read with one row more than the limit. */
export function pageOf<T>(rows: T[], limit: number): Page<T> {
  const more = rows.length > limit;
  return { items: more ? rows.slice(0, limit) : rows, more };
}
