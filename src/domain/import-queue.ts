import { Failure } from './failure.ts';
import type { ImportRecord } from './import.ts';
import type { Upload } from './upload.ts';

/** How rows become animals, as a request says it: names of columns and texts to be parsed. */
export interface RequestedMapping {
  readonly name?: string | undefined;
  readonly category?: string | undefined;
  readonly categoryId?: string | undefined;
  readonly status?: string | undefined;
  readonly statusMap?: string | undefined;
  readonly externalId?: string | undefined;
  readonly unnamed?: string | undefined;
}

/** An import to carry out. */
export interface ImportTask {
  readonly record: ImportRecord;
  readonly upload: Upload;
  readonly format: 'csv' | 'ndjson';
  readonly mapping: RequestedMapping;
  readonly overwrite: boolean;
}

/** The imports of this process, one at a time. */
export interface ImportQueue {
  /** Identifies this process. */
  readonly owner: string;
  /** Throws `service_unavailable` if too many imports wait for their turn, or too large ones. */
  requireRoom(upload: Upload): void;
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
