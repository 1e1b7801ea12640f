import { addressName } from '../storage/address.ts';
import { unknownVariables } from '../unknown-variables.ts';

/** Says on standard error that a database was made, and where: it may be the wrong place. */
export function announceDatabase(address: string): void {
  process.stderr.write(`petstore: new, empty database at ${addressName(address)}\n`);
}

/** Warns on standard error of each variable that looks like a setting and is none. */
export function warnOfUnknownVariables(variables: Readonly<Partial<Record<string, string>>>): void {
  for (const { name, nearest } of unknownVariables(variables)) {
    process.stderr.write(
      `petstore: warning: ${name} is not a setting, so it has no effect; did you mean ${nearest}?\n`,
    );
  }
}
