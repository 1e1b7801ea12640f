import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { failureOf } from '../loading.ts';
import { notify } from '../notices.ts';
import { Dialog } from './dialog.tsx';
import { explain } from './error-state.tsx';

interface FormDialogProps {
  readonly title: string;
  /** The text of the button that sends: `Add animal`. */
  readonly action: string;
  /** Sends the values. The dialog closes if it returns, and shows the error if it throws. */
  readonly onSubmit: (values: FormData) => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog with a form. Nothing is sent while a field has a problem. */
export function FormDialog({ title, action, onSubmit, onClose, children }: FormDialogProps) {
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const isOpen = useRef(true);
  useEffect(
    () => () => {
      isOpen.current = false;
    },
    [],
  );

  async function submit(event: SubmitEvent & { currentTarget: HTMLFormElement }) {
    event.preventDefault();
    const form = event.currentTarget;
    // Fields show their problems when they are asked.
    if (isSending || !form.checkValidity()) return focusFirstProblem(form);
    setSending(true);
    setProblem(undefined);
    try {
      await onSubmit(new FormData(form));
      // The person may have left it for another dialog, which stays open.
      if (isOpen.current) onClose();
    } catch (error) {
      const reason = explain(failureOf(error));
      if (!isOpen.current) return notify(`${title}: ${reason}`);
      setProblem(reason);
      setSending(false);
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form class="dialog-form" noValidate onSubmit={submit}>
        {children}
        {problem !== undefined && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" aria-disabled={isSending}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function focusFirstProblem(form: HTMLFormElement): void {
  form.querySelector<HTMLElement>(':is(input, select, textarea):invalid')?.focus();
}
