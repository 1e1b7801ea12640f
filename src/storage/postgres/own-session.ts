import { unavailable } from '../../domain/failure.ts';
import { type Connection, openConnection } from './connection.ts';
import { SharedSession } from './faults.ts';
import { OWN_PROCESS } from './server-process.ts';

/**
 * Makes sure that a connection has its session for itself. A pooler in transaction mode gives it to others
 * between two transactions, and with it settings, locks and prepared statements. Throws `unavailable`.
 */
export async function expectOwnSession(connection: Connection, url: string): Promise<void> {
  if (connection.process === null) return;
  // A pooler hands out the session that was used last, or all of them in turn. With two in turn, every
  // second statement gets the same one.
  const other = await openConnection(url);
  try {
    const processes = [await processOf(connection), await processOf(connection)];
    const isOwn = processes.every((process) => process === connection.process);
    if (!isOwn || other.process === connection.process) throw unavailable(new SharedSession());
  } finally {
    other.end();
  }
}

async function processOf(connection: Connection): Promise<string | null> {
  const [row] = await connection.query<{ process: string | null }>(
    `SELECT ${OWN_PROCESS} AS process`,
  );
  return row?.process ?? null;
}
