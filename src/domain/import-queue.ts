import { Failure } from './failure.ts';
import type { ImportPolicy, ImportRecord, RequestedMapping } from './import.ts';
import type { Upload } from './upload.ts';

/** An import to carry out. */
export interface ImportTask {
  readonly record: ImportRecord;
  /** The family of the key that started it. Families take turns. */
  readonly familyId: bigint;
  readonly upload: Upload;
  /** The encoding of its text; undefined to detect it. */
  readonly encoding: string | undefined;
  readonly mapping: RequestedMapping;
  readonly overwrite: boolean;
  /** Publishes the animals. Otherwise an import neither publishes nor unpublishes any. */
  readonly publish: boolean;
  /** Reads profiles only from columns that the mapping names. */
  readonly onlyNamed: boolean;
  /** Fetches the photos that the file names. */
  readonly photos: boolean;
  readonly policy: ImportPolicy;
}

/** The imports of this process, one at a time. */
export interface ImportQueue {
  /** Identifies this process. */
  readonly owner: string;
  /**
   * Throws `service_unavailable` if too many imports wait for their turn, or too large ones: in all, or
   * of this family of keys.
   */
  requireRoom(upload: Upload, familyId: bigint): void;
  /** Carries out an import, in its turn. Takes over the file. */
  start(task: ImportTask): void;
  /** Closes the file of a request, unless an import has taken it over. */
  discard(upload: Upload): void;
}

const RETRY_SECONDS = 30;

/** The failure of an import for which there is no room. */
export function tooManyImports(): Failure {
  return new Failure(
    'service_unavailable',
    'Too many imports are waiting; nothing was imported, try again shortly.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
