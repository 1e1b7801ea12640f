/** Counts of the photos that a file names. */
export interface PhotoCounts {
  readonly found: number;
  readonly added: number;
  /** The animal has them, or had them: they were taken by an earlier import. */
  readonly known: number;
  readonly failed: number;
  /** The first that failed: the address without the query, which may hold a secret, or the name in a ZIP, and why. */
  readonly problems: readonly string[];
}

export const NO_PHOTOS: PhotoCounts = { found: 0, added: 0, known: 0, failed: 0, problems: [] };
/** Photos that failed and are listed. */
export const PHOTO_PROBLEMS_MAX = 10;
export const PHOTO_PROBLEM_MAX = 300;
