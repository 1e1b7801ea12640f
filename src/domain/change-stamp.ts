/** When and by whom something is changed; kept with the history of an animal. */
export interface ChangeStamp {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The API key that asked for it; null for a command of the keeper. */
  readonly keyId: bigint | null;
}

/**
 * Looks at a record before it is changed, in the transaction that changes it, and throws what
 * forbids the change: a lost update cannot slip in between.
 */
export type Precondition<T> = (current: T) => void;
