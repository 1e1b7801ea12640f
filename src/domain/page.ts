/** Bounds of `limit` on every list. */
export const PAGE_LIMIT_MAX = 100;
export const PAGE_LIMIT_DEFAULT = 20;

/** A request for the part of a list that follows `afterId`, or for its start. */
export interface PageRequest {
  readonly afterId: bigint | undefined;
  /** 1 to 100. */
  readonly limit: number;
  /** Whether the list descends by id, so that `afterId` is above the page. */
  readonly isDescending?: boolean | undefined;
}

/** A page of a list, and whether more items follow it. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly more: boolean;
  /** The id of the first item that did not fit, if one was read. */
  readonly nextId?: bigint | undefined;
  /**
   * The id after which the next page starts, if it is not that of the last item: a search that
   * reached its bound can return few items, or none, while more follow.
   */
  readonly resumeAfter?: bigint;
}

/** Creates a page from rows that were read with a limit of one more. */
export function pageOf<T extends { readonly id: bigint }>(rows: T[], limit: number): Page<T> {
  const next = rows[limit];
  if (next === undefined) return { items: rows, more: false };
  return { items: rows.slice(0, limit), more: true, nextId: next.id };
}
