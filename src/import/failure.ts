import { isUnavailable } from '../domain/failure.ts';
import { type ImportFailureReason, INTERRUPTED, REASON_MAX } from '../domain/import.ts';

/** A file that cannot be imported at all. The message says why and what to do. */
export class ImportFailure extends Error {}

/** The failure of a file that would make more categories than are allowed. */
export function tooManyNewCategories(most: number): ImportFailure {
  return new ImportFailure(
    `The file would make more than ${most.toLocaleString('en')} new categories; is its category ` +
      'column the right one? Nothing was imported.',
  );
}

/** Stops an import when the process ends. */
export class Interrupted extends Error {}

/** Stops an import whose key may no longer write. */
export class KeyRevoked extends Error {}

/** Code points of a stored message, which can list many columns. */
const MESSAGE_MAX = 2_000;

const REST_MISSING =
  'The animals that are counted here are stored, the other rows are not. Import the file again: rows with an external id that are stored already change nothing.';

/** Returns what an import says about the error that ended it. */
export function failureReason(error: unknown): ImportFailureReason {
  if (error instanceof Interrupted) return INTERRUPTED;
  if (error instanceof ImportFailure) {
    return { code: 'invalid_file', message: shortened(error.message, MESSAGE_MAX) };
  }
  if (error instanceof KeyRevoked) {
    const message =
      'The key that started this import was revoked, has expired, or may no longer write. The animals that are counted here are stored, the other rows are not.';
    return { code: 'key_revoked', message };
  }
  if (isUnavailable(error)) {
    const message = `The service could not reach its database for too long. ${REST_MISSING}`;
    return { code: 'service_unavailable', message };
  }
  return { code: 'internal_error', message: `Something went wrong on our side. ${REST_MISSING}` };
}

/** Shortens the reason of a rejected row: it can quote a value as long as a row. */
export function shortReason(reason: string): string {
  return shortened(reason, REASON_MAX);
}

/** Shortens a text to a number of code points. */
export function shortened(text: string, max: number): string {
  // A code point has at most two UTF-16 units, so only this much of a long text is checked.
  const characters = [...text.slice(0, 2 * max + 2).toWellFormed()];
  if (characters.length <= max) return characters.join('');
  return `${characters.slice(0, max - 1).join('')}…`;
}
