/** A form in a dialog. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { explain } from '../failures.ts';
import { notify } from '../notices.tsx';
import { Button } from './button.tsx';
import { confirm, Dialog, useClose } from './dialog.tsx';

/** Returns the value of a field of this name, without spaces around it. */
export type ReadField = (name: string) => string;

interface FormDialogProps {
  readonly title: string;
  /** The text of the button that sends, if it is not the title: `Save`. */
  readonly action?: string;
  /** Sends the values. The dialog closes if it returns, and shows the error if it throws. */
  readonly onSubmit: (field: ReadField, form: FormData) => Promise<unknown>;
  readonly children: ComponentChildren;
  /** A button in the corner: for what is seldom done. */
  readonly aside?: ComponentChildren;
}

/** A dialog with a form. Nothing is sent while a field has a problem, and nothing typed is lost unasked. */
export function FormDialog({ title, action = title, onSubmit, ...props }: FormDialogProps) {
  const onClose = useClose();
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);

  const form = useRef<HTMLFormElement>(null);

  async function leave() {
    const question = {
      title: 'Leave without saving?',
      text: 'What you have entered is lost.',
      action: 'Leave',
      keep: 'Go back',
    };
    if (!form.current?.dataset['touched'] || isSending || (await confirm(question))) onClose();
  }

  async function submit(event: SubmitEvent & { currentTarget: HTMLFormElement }) {
    event.preventDefault();
    const { currentTarget: sent } = event;
    // Fields show their problems when they are asked.
    if (isSending || !sent.checkValidity()) {
      return sent.querySelector<HTMLElement>(':is(input, select, textarea):invalid')?.focus();
    }
    setSending(true);
    setProblem(undefined);
    const values = new FormData(sent);
    try {
      await onSubmit((name) => String(values.get(name) ?? '').trim(), values);
      // The person may have left it for another dialog, which stays open.
      if (sent.isConnected) onClose();
    } catch (error) {
      const reason = explain(error);
      if (!sent.isConnected) return notify(`${title}: ${reason}`);
      setProblem(reason);
      setSending(false);
    }
  }

  return (
    <Dialog title={title} onClose={leave}>
      <form
        ref={form}
        class="stack dialog-form"
        noValidate
        onSubmit={submit}
        onInput={({ currentTarget }) => {
          currentTarget.dataset['touched'] = 'true';
          // What the service said was about what was there before.
          setProblem(undefined);
        }}
      >
        {props.children}
        {problem !== undefined && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="row dialog-actions">
          {props.aside}
          <Button onClick={leave}>Cancel</Button>
          <Button type="submit" kind="primary" isDisabled={isSending}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
