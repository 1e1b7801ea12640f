import type { Database } from 'bun:sqlite';
import type { Change } from '../../domain/change-log.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { CHANGE_COLUMNS, type ChangeCells, changeCells } from '../rows/change.ts';

/** Writes to the change log, inside the transaction of the change. */
export type NoteChange = (change: Change, stamp: ChangeStamp) => void;

/** The writer of the change log, and who wants to know of commits. */
export interface ChangeWriter {
  readonly note: NoteChange;
  /** Called after each commit: calls the listeners if changes were noted. */
  committed(): void;
  listen(listener: () => void): () => void;
}

/** Creates the writer of the change log in SQLite. */
export function createChangeWriter(database: Database): ChangeWriter {
  const targets = CHANGE_COLUMNS.map(() => '?').join(', ');
  const insert = database.query<null, ChangeCells>(
    `INSERT INTO changes (${CHANGE_COLUMNS.join(', ')}) VALUES (${targets})`,
  );
  const listeners = new Set<() => void>();
  let hasNoted = false;

  return {
    note(change, stamp) {
      insert.run(...changeCells(change, stamp));
      hasNoted = true;
    },
    committed() {
      if (!hasNoted) return;
      hasNoted = false;
      for (const listener of listeners) listener();
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
