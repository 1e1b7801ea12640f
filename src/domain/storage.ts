import type { AllowanceStorage } from './allowance.ts';
import type { KeyStorage } from './api-key.ts';
import type { Later } from './later.ts';
import type { PetStorage } from './pet.ts';

/**
 * What the service keeps, whatever the engine behind it. A method answers at once or later. One
 * that cannot reach its database throws `unavailable`; then nothing of that call was kept.
 * Values come back exactly as they went in, int64 to the last digit, text to the last byte.
 */
export interface Storage {
  readonly pets: PetStorage;
  readonly keys: KeyStorage;
  readonly allowances: AllowanceStorage;
  /** Answers when the database does, else throws `unavailable`. */
  ping(): Later<void>;
  /** Removes every animal and category; keys and ids already given stay as they are. */
  reset(): Later<void>;
  close(): Later<void>;
}
