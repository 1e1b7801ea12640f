import type { Database } from 'bun:sqlite';
import type { Write } from './writer.ts';

/** A number that is another one after every change of the records. */
export interface RecordsVersion {
  read(): number;
  /** Writes as `write` does, and counts that as a change. */
  readonly write: Write;
}

/**
 * Counts the changes made through this connection, and sees those of others: `data_version` is
 * another one when, and only when, another connection has committed since it was read.
 */
export function createRecordsVersion(database: Database, write: Write): RecordsVersion {
  const dataVersion = database.query<{ data_version: bigint }, []>('PRAGMA data_version');
  let version = 0;
  let seen: bigint | undefined;

  return {
    read() {
      const found = dataVersion.get()?.data_version;
      if (found !== seen) {
        seen = found;
        version++;
      }
      return version;
    },
    write: (work) =>
      write(() => {
        version++;
        return work();
      }),
  };
}
