/** A form in a dialog. */

import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { explain } from '../failures.ts';
import { t } from '../language.ts';
import { notify } from '../notices.tsx';
import { refusalText } from '../refusals.ts';
import { Button } from './button.tsx';
import { confirm, Dialog, useClose } from './dialog.tsx';
import { FieldProblem, Form } from './field.tsx';

/** Returns the value of a field of this name, without spaces around it. */
export type ReadField = (name: string) => string;

/** Returns what reads the values of a form as they are now. */
export function readerOf(form: HTMLFormElement): ReadField {
  const values = new FormData(form);
  return (name) => String(values.get(name) ?? '').trim();
}

/** Returns the lines of a text that say something. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter(Boolean);
}

/** Returns whether a form can be sent. If not, its fields show their problems, and the first has the focus. */
export function isComplete(form: HTMLFormElement): boolean {
  // Fields show their problems when they are asked.
  if (form.checkValidity()) return true;
  form.querySelector<HTMLElement>(':is(input, select, textarea):invalid')?.focus();
  return false;
}

/** Returns what is wrong with a field of this form, if an error is about one, which then gets the focus. */
function problemAt(form: HTMLFormElement, error: unknown): FieldProblem | undefined {
  const { message } = error as Error;
  // The service begins with the name of the field: `inCareSince must not be after today.`
  const [, named = ''] = /^(\w+) must /.exec(message) ?? [];
  const control = form.elements.namedItem(error instanceof FieldProblem ? error.field : named);
  if (!(control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)) return;
  control.focus();
  if (error instanceof FieldProblem) return error;
  return new FieldProblem(named, refusalText(message, control.labels?.[0]?.textContent ?? named));
}

interface FormDialogProps<T> {
  readonly title: string;
  /** The record that is changed, for its fields: as it was when the form was opened. */
  readonly of?: T | undefined;
  /** The text of the button that sends: by default `Save`, or the title where nothing is changed. */
  readonly action?: string;
  /** Sends the values. The dialog closes if it returns, and shows the error if it throws. */
  readonly onSubmit: (field: ReadField, form: FormData, seen: T) => Promise<unknown>;
  readonly children: ComponentChildren;
  /** A button in the corner: for what is seldom done. */
  readonly aside?: ComponentChildren;
}

/** A dialog with a form. Nothing is sent while a field has a problem, and nothing typed is lost unasked. */
export function FormDialog<T extends object>(dialog: FormDialogProps<T>) {
  const { title, of, onSubmit, ...props } = dialog;
  const { action = of === undefined ? title : t`Save` } = props;
  // Also if it is loaded again meanwhile: else a change of somebody else would be undone unasked.
  const [seen] = useState(of ?? ({} as T));
  const onClose = useClose();
  const [problem, setProblem] = useState<FieldProblem | string>();
  const [isSending, setSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  async function leave() {
    const question = {
      title: t`Leave without saving?`,
      text: t`What you have entered is lost.`,
      action: t`Leave`,
      keep: t`Go back`,
    };
    if (!form.current?.dataset['touched'] || isSending || (await confirm(question))) onClose();
  }

  async function submit(event: SubmitEvent & { currentTarget: HTMLFormElement }) {
    event.preventDefault();
    const { currentTarget: sent } = event;
    if (isSending || !isComplete(sent)) return;
    setSending(true);
    setProblem(undefined);
    try {
      await onSubmit(readerOf(sent), new FormData(sent), seen);
      // The person may have left it for another dialog, which stays open.
      if (sent.isConnected) onClose();
    } catch (error) {
      setSending(false);
      if (!sent.isConnected) return notify(`${title}: ${explain(error)}`);
      setProblem(problemAt(sent, error) ?? explain(error));
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
          // It was about what stood there before.
          setProblem(undefined);
        }}
      >
        <Form.Provider value={{ shown: seen, ...(problem instanceof FieldProblem && { problem }) }}>
          {props.children}
        </Form.Provider>
        {typeof problem === 'string' && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="row dialog-actions">
          {props.aside}
          <Button onClick={leave}>{t`Cancel`}</Button>
          <Button type="submit" kind="primary" isDisabled={isSending}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
