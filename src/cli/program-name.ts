import { realpathSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { redactPassword } from '../storage/address.ts';

/** The path of files inside a compiled executable. */
const INSIDE = '/$bunfs/';
const NAME = 'petstore';

/**
 * Returns how to start this program from here, for the commands that it prints. It never has
 * npm fetch a package: `petstore` in the registry is not ours.
 */
export function programName(): string {
  if (Bun.main.startsWith(INSIDE)) return executableName();
  const checkout = dirname(dirname(Bun.main));
  if (process.cwd() === checkout) return `npm run ${NAME} --`;
  return `${shellWord(process.execPath)} ${shellWord(Bun.main)}`;
}

function executableName(): string {
  const { execPath } = process;
  const found = Bun.which(NAME);
  if (found !== null && realpathSync(found) === realpathSync(execPath)) return NAME;
  const path = relative(process.cwd(), execPath);
  if (path.startsWith('..')) return shellWord(execPath);
  return shellWord(path.includes('/') ? path : `./${path}`);
}

/** Returns the flag for a database, without its password. */
export function databaseFlag(address: string): string {
  return `--database ${shellWord(redactPassword(address))}`;
}

/** Quotes a text for a shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
