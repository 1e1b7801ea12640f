import { statusName } from '../../components/status.tsx';
import { STATUS_KEYS, UNDO_KEY } from './row-keys.ts';

const ID = 'animal-keys';

/** The keys of the table, behind a button. */
export function KeysHelp() {
  return (
    <>
      <button type="button" class="button quiet keys-help-button" popovertarget={ID}>
        Keyboard
      </button>
      <div id={ID} class="keys-help" popover="auto" role="dialog" aria-label="Keys in the table">
        <p>In the row that you are in:</p>
        <dl>
          {Object.entries(STATUS_KEYS).map(([key, status]) => (
            <div key={key}>
              <dt>
                <kbd>{key.toUpperCase()}</kbd>
              </dt>
              <dd>{statusName(status)}</dd>
            </div>
          ))}
          <div>
            <dt>
              <kbd>{UNDO_KEY.toUpperCase()}</kbd>
            </dt>
            <dd>Undo the last change</dd>
          </div>
          <div>
            <dt>
              <kbd>↑</kbd> <kbd>↓</kbd>
            </dt>
            <dd>Row above, row below</dd>
          </div>
        </dl>
      </div>
    </>
  );
}
