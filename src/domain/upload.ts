/**
 * A file that a request sent, stored on disk without a name: it disappears when its descriptor is
 * closed, or with the process.
 */
export interface Upload {
  readonly descriptor: number;
  readonly bytes: number;
  /** SHA-256 of its content, in hexadecimal. */
  readonly digest: string;
  /** What a form calls it; undefined for a body that is the file itself. */
  readonly name?: string | undefined;
}
