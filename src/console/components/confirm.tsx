import { ask } from '../questions.ts';
import { Dialog } from './dialog.tsx';

/** A question with two answers: to do it, or not. */
export interface Confirmation {
  readonly title: string;
  /** What happens then. */
  readonly text: string;
  /** The button that does it: `Remove Bella`. */
  readonly action: string;
  /** Set if nothing is lost by it. */
  readonly isHarmless?: boolean;
}

/** Asks before something is done. Returns whether the person wants it. */
export function confirm({ title, text, action, isHarmless }: Confirmation): Promise<boolean> {
  return ask<boolean>((answer) => (
    <Dialog title={title} onClose={() => answer(false)}>
      <p>{text}</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => answer(false)}>
          Cancel
        </button>
        <button
          type="button"
          class={isHarmless ? 'button primary' : 'button danger'}
          onClick={() => answer(true)}
        >
          {action}
        </button>
      </div>
    </Dialog>
  ));
}
