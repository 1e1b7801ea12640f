import { Failure, type FailureCode } from '../../domain/failure.ts';

/** What is said of an id that no record of a kind has. */
export class Missing {
  readonly code: FailureCode;
  readonly message: string;

  constructor(code: FailureCode, kind: string) {
    this.code = code;
    this.message = `There is no ${kind} with this id.`;
  }

  /** As an entry of the failures of an operation. */
  get failure(): Readonly<Partial<Record<FailureCode, string>>> {
    return { [this.code]: this.message };
  }

  /** Returns what was found under an id. Throws if nothing was. */
  found<T>(value: T | false | undefined): T {
    if (value === undefined || value === false) throw new Failure(this.code, this.message);
    return value;
  }
}
