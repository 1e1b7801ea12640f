import { resolve } from 'node:path';

const SQLITE = 'sqlite:';
const POSTGRES = /^postgres(?:ql)?:\/\//;
/** An address that is wrong may lack a slash. */
const USER_IN_AUTHORITY = /:\/{0,2}[^:@/?\s]*:/;
const PASSWORD_IN_QUERY = /(password=)[^&\s]*/gi;

/** What an address of a database names. */
export type DatabaseAddress =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** Says what is wrong with a database address, or undefined for one that can be opened. */
export function databaseAddressProblem(address: string): string | undefined {
  if (address.startsWith(SQLITE) && address.length > SQLITE.length) return undefined;
  if (POSTGRES.test(address)) {
    const url = URL.parse(address);
    if (url !== null && url.hostname !== '' && url.pathname.length > 1) return undefined;
  }
  return (
    'must be sqlite:PATH, such as sqlite:data/petstore.db, ' +
    'or postgres://USER@HOST:PORT/DATABASE'
  );
}

/** Reads an address in which `databaseAddressProblem` finds nothing wrong. */
export function databaseAddress(address: string): DatabaseAddress {
  if (POSTGRES.test(address)) return { engine: 'postgres', url: address };
  return { engine: 'sqlite', path: address.slice(SQLITE.length) };
}

/** What the shop in a file is called: the same from every folder. */
export function fileName(path: string): string {
  return `${SQLITE}${resolve(path)}`;
}

/** What the shop at an address is called: without a password, the same from every folder. */
export function addressName(address: string): string {
  const database = databaseAddress(address);
  return database.engine === 'postgres' ? redactPassword(database.url) : fileName(database.path);
}

/** Takes passwords out of addresses in a text, for whatever is printed or logged. */
export function redactPassword(text: string): string {
  const pieces = text.split(/(?=:\/\/)/).map(withoutPassword);
  return pieces.join('').replace(PASSWORD_IN_QUERY, '$1***');
}

/** A password may hold every sign, blanks too, so it ends at the last `@` before another address. */
function withoutPassword(piece: string): string {
  const signAt = piece.lastIndexOf('@');
  const user = signAt < 0 ? null : USER_IN_AUTHORITY.exec(piece);
  if (user === null) return piece;
  const end = user.index + user[0].length;
  return end > signAt ? piece : `${piece.slice(0, end)}***${piece.slice(signAt)}`;
}
