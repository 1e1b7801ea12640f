/** Changing records that somebody else may change at the same time. */
import { askAboutConflict } from './components/conflict-dialog.tsx';
import { carryOut } from './outbox.ts';
import { PetstoreError } from './service.ts';

/** A change of a record, as the person saw it. */
export interface RecordChange<T extends object> {
  /** What is done, for the list of what is not sent yet: `Rename Dog`. */
  readonly label: string;
  /** What the record is called, for the question about a conflict: `Dog`. */
  readonly name: string;
  /** The record as the person saw it. */
  readonly seen: T;
  /** The new values of some fields. */
  readonly wanted: Partial<T>;
  /** The fields to show in a conflict. */
  readonly fields: readonly RecordField<T>[];
  /** Reads the record again. */
  read(): Promise<T>;
  /** Sends the change, unless the record is no longer `ifMatch`. */
  update(wanted: Partial<T>, ifMatch: T): Promise<T>;
  /** Called with the record when the change is done, or given up for that of somebody else. */
  done?(record: T): void;
}

/** A field of a record, with its value for a person. */
export interface RecordField<T> {
  readonly label: string;
  show(record: T): string;
}

/**
 * Changes a record. If somebody else has changed it since, the person sees both versions and
 * chooses. Returns whether the change is done; if not, it is listed as not sent yet. Throws a
 * `PetstoreError` if the service refuses it.
 */
export function changeRecord<T extends object>(change: RecordChange<T>): Promise<boolean> {
  let { seen } = change;

  async function send(): Promise<T> {
    for (;;) {
      try {
        return await change.update(change.wanted, seen);
      } catch (error) {
        if (!(error instanceof PetstoreError) || error.status !== 412) throw error;
        const theirs = await change.read();
        const mine = { ...theirs, ...change.wanted };
        const isSame = ({ show }: RecordField<T>) => show(theirs) === show(mine);
        // An earlier try arrived, or both wanted the same.
        if (change.fields.every(isSame)) return theirs;
        const fields = change.fields
          .filter((field) => !isSame(field) || field.show(theirs) !== field.show(seen))
          .map(({ label, show }) => ({ label, theirs: show(theirs), mine: show(mine) }));
        if ((await askAboutConflict(change.name, fields)) === 'theirs') return theirs;
        seen = theirs;
      }
    }
  }

  return carryOut({ label: change.label, send, ...(change.done && { done: change.done }) });
}

/** Removes a record. One that is already gone counts as removed. */
export function removeRecord(
  label: string,
  remove: () => Promise<void>,
  done: () => void,
): Promise<boolean> {
  async function send(): Promise<void> {
    try {
      await remove();
    } catch (error) {
      if (!(error instanceof PetstoreError) || error.status !== 404) throw error;
    }
  }
  return carryOut({ label, send, done });
}
