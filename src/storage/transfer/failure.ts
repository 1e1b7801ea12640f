/** A transfer that was refused, stopped or failed; the message says the state and what to do. */
export class TransferFailure extends Error {}

/** Returns the reason of a failure, ending with a full stop. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.?$/, '.');
}
