import { realpathSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { redactPassword } from '../storage/address.ts';

/** Where the runtime keeps the files that are inside an executable. */
const INSIDE = '/$bunfs/';
const NAME = 'petstore';

/**
 * How this program can be started again from here, for the commands that it prints. It never names
 * what npm would fetch: the package `petstore` of the registry is not ours.
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

/** The flag that leads a command to the database at an address, without its password. */
export function databaseFlag(address: string): string {
  return `--database ${shellWord(redactPassword(address))}`;
}

/** A text as one word of a shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
