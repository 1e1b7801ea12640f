import { resolve } from 'node:path';
import { addressesOfHosts, isHost, percentProblem } from '../domain/network-list.ts';

const SQLITE = 'sqlite:';
const POSTGRES = /^postgres(?:ql)?:\/\//;
/** A mistyped address may lack a slash. */
const USER_IN_AUTHORITY = /:\/{0,2}[^:@/?\s]*:/;
const PASSWORD_IN_QUERY = /(password=)[^&\s]*/gi;

/** An address of another engine after `sqlite:`, perhaps with a password. */
const NO_PATH = /:\/\/|:[^/:]*@/;

/** A parsed address of a database. */
type DatabaseAddress =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** Returns what is wrong with a database address; undefined if it is valid. */
export function databaseAddressProblem(address: string): string | undefined {
  if (address.startsWith(SQLITE) && address.length > SQLITE.length) {
    if (!NO_PATH.test(address.slice(SQLITE.length))) return undefined;
  }
  if (POSTGRES.test(address) && addressesOfHosts(address).every(namesDatabase)) {
    return percentProblem(address);
  }
  return (
    'must be sqlite:PATH, such as sqlite:data/petstore.db, ' +
    'or postgres://USER@HOST:PORT/DATABASE, where commas separate several HOST:PORT'
  );
}

function namesDatabase(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && isHost(url.hostname, '[]') && url.pathname.length > 1;
}

/** Parses an address in which `databaseAddressProblem` finds nothing wrong. */
export function databaseAddress(address: string): DatabaseAddress {
  if (POSTGRES.test(address)) return { engine: 'postgres', url: address };
  return { engine: 'sqlite', path: address.slice(SQLITE.length) };
}

/** The name of the database in a file: the same from every folder. */
export function fileName(path: string): string {
  return `${SQLITE}${resolve(path)}`;
}

/** The name of the database at an address: without a password, the same from every folder. */
export function addressName(address: string): string {
  const database = databaseAddress(address);
  return database.engine === 'postgres' ? redactPassword(database.url) : fileName(database.path);
}

/** Removes passwords from the addresses in a text that is printed or logged. */
export function redactPassword(text: string): string {
  const pieces = text.split(/(?=:\/\/)/).map(withoutPassword);
  return pieces.join('').replace(PASSWORD_IN_QUERY, '$1***');
}

/** A password may contain any character, even blanks: it ends at the last `@` before another address. */
function withoutPassword(piece: string): string {
  const signAt = piece.lastIndexOf('@');
  const user = signAt < 0 ? null : USER_IN_AUTHORITY.exec(piece);
  if (user === null) return piece;
  const end = user.index + user[0].length;
  return end > signAt ? piece : `${piece.slice(0, end)}***${piece.slice(signAt)}`;
}
