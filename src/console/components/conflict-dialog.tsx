import { ask } from '../questions.ts';
import { Dialog } from './dialog.tsx';

/** A field that two people have changed. */
export interface ConflictField {
  readonly label: string;
  readonly theirs: string;
  readonly mine: string;
}

export type ConflictAnswer = 'theirs' | 'mine';

/** Asks whose version of a record to keep. To close the dialog keeps theirs. */
export function askAboutConflict(
  name: string,
  fields: readonly ConflictField[],
): Promise<ConflictAnswer> {
  return ask<ConflictAnswer>((answer) => (
    <Dialog title={`Somebody else has changed ${name}`} onClose={() => answer('theirs')}>
      <p>Your change is not saved yet. Which version do you want to keep?</p>
      <table class="conflict">
        <thead>
          <tr>
            <td />
            <th scope="col">Theirs</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ label, theirs, mine }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{theirs}</td>
              <td>{mine}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => answer('theirs')}>
          Keep theirs
        </button>
        <button type="button" class="button primary" onClick={() => answer('mine')}>
          Use mine
        </button>
      </div>
    </Dialog>
  ));
}
