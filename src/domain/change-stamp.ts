/** When and by whom a record is changed. */
export interface ChangeStamp {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The API key that made the change; null for a command of the operator and for the service itself. */
  readonly keyId: bigint | null;
  /** The import that makes the change; negative for one by a command. */
  readonly importId?: bigint | undefined;
}

/**
 * Checks a record in the transaction that is about to change it, so that no update is lost. Throws
 * to refuse the change.
 */
export type Precondition<T> = (current: T) => void;
