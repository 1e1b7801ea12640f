/**
 * A mark in a database that refuses every write, and with which nobody serves: on a shop that
 * moved away, or on a copy until the shop that it was made from is sealed. It is a table that is
 * there only while the database is sealed, with triggers that refuse the writes of whoever has
 * the database open already.
 */
export interface Fence {
  readonly role: 'moved' | 'copy';
  /** The database that it moved to, or that it is a copy of; without a password. */
  readonly other: string;
  /** When, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The same on both sides of one move. */
  readonly id: string;
}

/** The table of the seal. */
export const FENCE_TABLE = 'seal';

/** What a seal says of a database of this name, and what to do. */
export function fenceState(name: string, { role, other, at }: Fence) {
  const when = new Date(at).toISOString();
  return role === 'moved'
    ? {
        found: `${name} is sealed: its shop moved to ${other} at ${when}.`,
        todo:
          `Use --database ${other}; or, if that shop is given up and nothing written there ` +
          `matters, lift the seal with \`petstore unseal --database ${name}\`.`,
      }
    : {
        found: `${name} holds a copy of ${other} from a move at ${when} that was not finished.`,
        todo: 'Say the same `petstore move` again: it finishes it, or says what else to do.',
      };
}

/** What a person reads who opens a sealed database. */
export function fenceProblem(name: string, fence: Fence): string {
  const { found, todo } = fenceState(name, fence);
  return `${found} ${todo}`;
}

/** What a write is refused with, for the log of a server that runs on a sealed database. */
export function writeRefusal({ role, other }: Fence): string {
  return role === 'moved' ? `the shop moved to ${other}` : `a move from ${other} is not finished`;
}

/** A text as a literal of SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
