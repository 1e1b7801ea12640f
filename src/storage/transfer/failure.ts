/** A transfer that was refused, stopped or failed; the message says what is so now and what to do. */
export class TransferFailure extends Error {}

/** Why something failed, as a sentence that others can follow. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.?$/, '.');
}
