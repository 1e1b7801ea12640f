/**
 * A mark that makes a database refuse every write and every server: on a database that was moved
 * away, or on a copy until its source is fenced. It is a table that exists only while the database is
 * fenced, with triggers that refuse the writes of processes that have the database open already.
 */
export interface Fence {
  readonly role: 'moved' | 'copy';
  /** The database that it moved to, or that it is a copy of; without a password. */
  readonly other: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The same on both sides of one move. */
  readonly id: string;
}

/** The table of the fence. */
export const FENCE_TABLE = 'fence';

/** Describes the fence of the database `name`, and what to do about it. */
export function fenceState(name: string, { role, other, at }: Fence) {
  const when = new Date(at).toISOString();
  return role === 'moved'
    ? {
        found: `${name} is fenced: it was moved to ${other} at ${when}.`,
        todo: `Use --database ${other}.`,
      }
    : {
        found: `${name} holds a copy of ${other} from a move at ${when} that was not finished.`,
        todo: 'Run the same `petstore move` again: it finishes the move, or says what else to do.',
      };
}

/** The message for opening a fenced database. */
export function fenceProblem(name: string, fence: Fence): string {
  const { found, todo } = fenceState(name, fence);
  return `${found} ${todo}`;
}

/** The reason for refusing a write, in the log of a server that runs on a fenced database. */
export function writeRefusal({ role, other }: Fence): string {
  return role === 'moved'
    ? `the database was moved to ${other}`
    : `a move from ${other} is not finished`;
}

/** Quotes a text as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
