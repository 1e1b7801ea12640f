/** Counts of the photos that a file names. */
export interface PhotoCounts {
  readonly found: number;
  readonly added: number;
  /** Taken by an earlier import, even if the animal no longer has them. */
  readonly known: number;
  readonly failed: number;
  /** The first failures: the address without its query, which may hold a secret, or the name in a ZIP; and why. */
  readonly problems: readonly string[];
}

export const NO_PHOTOS: PhotoCounts = { found: 0, added: 0, known: 0, failed: 0, problems: [] };
/** The most failures that are listed. */
export const PHOTO_PROBLEMS_MAX = 10;
export const PHOTO_PROBLEM_MAX = 300;
