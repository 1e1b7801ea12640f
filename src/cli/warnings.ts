import { addressName } from '../storage/address.ts';
import { unknownVariables } from '../unknown-variables.ts';

/** Reports a new database and its place on standard error: it may be the wrong place. */
export function announceDatabase(address: string): void {
  process.stderr.write(`petstore: new, empty database at ${addressName(address)}\n`);
}

/** Warns on standard error about variables that look like settings but are none. */
export function warnOfUnknownVariables(variables: Readonly<Partial<Record<string, string>>>): void {
  for (const { name, nearest } of unknownVariables(variables)) {
    process.stderr.write(
      `petstore: warning: ${name} is not a setting, so it has no effect; did you mean ${nearest}?\n`,
    );
  }
}
