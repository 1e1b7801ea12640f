/** Dialogs, and questions that are asked in one. */

import { signal } from '@preact/signals';
import { type ComponentChildren, createContext, type VNode } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { t } from '../language.ts';
import { closeDialog, query, whenMoving } from '../router.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { Icon } from './icon.tsx';

/** Closes the dialog that is being shown. */
const Closing = createContext(() => {});

/** Returns the function that closes the dialog around a component. */
export const useClose = () => useContext(Closing);

interface InAddressProps {
  /** The query parameter that opens the dialog. */
  readonly name: string;
  /** Further parameters that go when it closes. */
  readonly also?: readonly string[];
  /** The dialog for a value of the parameter. */
  readonly children: (value: string) => ComponentChildren;
}

/** A dialog that is open while the address says so. */
export function InAddress({ name, also = [], children }: InAddressProps) {
  const value = query.value.get(name);
  if (value === null) return null;
  const gone = Object.fromEntries([name, ...also].map((one) => [one, undefined]));
  return (
    <Closing.Provider key={value} value={() => closeDialog(gone)}>
      {children(value)}
    </Closing.Provider>
  );
}

interface DialogProps {
  readonly title: string;
  /** Called by Escape and by the button "Close", instead of what closes the dialog. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
  readonly isWide?: boolean;
}

/** A modal dialog. The focus returns to where it was before. */
export function Dialog({ title, children, isWide = false, ...props }: DialogProps) {
  const close = useClose();
  const { onClose = close } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // The browser focuses the first of several choices, which then looks like the chosen one.
    const first = document.activeElement;
    if (first instanceof HTMLInputElement && first.type === 'radio') {
      first.form?.querySelector<HTMLElement>(`[name="${first.name}"]:checked`)?.focus();
    }
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);

  function cancel(event: Event) {
    event.preventDefault();
    onClose();
  }

  return (
    <dialog
      ref={dialog}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={titleId}
      onCancel={cancel}
      // Escape is handled here: a browser closes the dialog at the second one, whatever we say.
      onKeyDown={(event) => event.key === 'Escape' && cancel(event)}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
      {/* After the content, so that the first field gets the focus. */}
      <button
        type="button"
        class="icon-button dialog-close"
        aria-label={t`Close`}
        onClick={onClose}
      >
        <Icon name="close" />
      </button>
    </dialog>
  );
}

/** The open questions, the newest last. */
const questions = signal<readonly VNode[]>([]);
let lastId = 0;

/** Shows a dialog above the page until it calls `answer`, and returns that answer. */
export function ask<T>(dialogWith: (answer: (value: T) => void) => VNode): Promise<T> {
  return new Promise((resolve) => {
    const dialog = dialogWith((value) => {
      questions.value = questions.value.filter((one) => one !== question);
      resolve(value);
    });
    const question = <div key={++lastId}>{dialog}</div>;
    questions.value = [...questions.value, question];
  });
}

/** Shows a dialog above the page until it is closed. What it is given stays as it was when it was opened. */
export function open(dialog: VNode): void {
  void ask<void>((answer) => <Closing.Provider value={() => answer()}>{dialog}</Closing.Provider>);
}

/** Takes all questions away. Nobody gets an answer. */
export function dropQuestions(): void {
  questions.value = [];
}

export function Questions() {
  return <div class="questions">{questions.value}</div>;
}

/** Keeps what was typed in a dialog when the person goes back or leaves: the dialog asks as at Escape. */
export function watchDialogs(): void {
  whenMoving(() => {
    const newest = [...document.querySelectorAll('.frame[data-hidden="false"] dialog')].at(-1);
    // The others are in the address: going back closes them.
    const isKept = newest?.matches('.questions dialog, :has([data-touched])');
    if (isKept) newest?.dispatchEvent(new Event('cancel', { cancelable: true }));
    return isKept === true;
  });
  addEventListener('beforeunload', (event) => {
    if (document.querySelector('dialog [data-touched]')) event.preventDefault();
  });
}

/** A question with two answers: to do it, or not. */
export interface Confirmation {
  readonly title: string;
  /** What happens then. */
  readonly text: string;
  /** The button that does it: `Remove Bella`. */
  readonly action: string;
  /** The button that does not. */
  readonly keep?: string | undefined;
  /** Set if nothing is lost by it. */
  readonly isHarmless?: boolean;
  /** What the person has to type first, since much is lost by it. */
  readonly typed?: string | undefined;
}

/** Asks before something is done. Returns whether the person wants it. */
export function confirm(question: Confirmation): Promise<boolean> {
  return ask<boolean>((answer) => <Confirm {...question} onAnswer={answer} />);
}

function Confirm(props: Confirmation & { readonly onAnswer: (isWanted: boolean) => void }) {
  const { title, text, action, keep = t`Cancel`, isHarmless, typed, onAnswer } = props;
  const form = useRef<HTMLFormElement>(null);

  function submit(event: Event) {
    event.preventDefault();
    if (form.current?.checkValidity()) onAnswer(true);
  }

  return (
    <Dialog title={title} onClose={() => onAnswer(false)}>
      <form class="stack dialog-form" noValidate ref={form} onSubmit={submit}>
        <p>{text}</p>
        {typed !== undefined && (
          <Field
            label={t`Type ${typed} to continue`}
            name="typed"
            check={(value) => (value.trim() === typed ? undefined : t`Type ${typed}.`)}
          />
        )}
        <div class="row dialog-actions">
          <Button onClick={() => onAnswer(false)}>{keep}</Button>
          <Button type="submit" kind={isHarmless ? 'primary' : 'danger'}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/**
 * Shows a new key or secret, the only time that it can be seen. A change that was sent later from
 * the list of what was not sent shows it on any page.
 */
export function showOnce(title: string, secret: string, text?: string): Promise<void> {
  return ask((answer) => (
    <ShownOnce title={title} secret={secret} text={text} onClose={() => answer(undefined)} />
  ));
}

interface ShownOnceProps extends Required<Pick<DialogProps, 'title' | 'onClose'>> {
  readonly secret: string;
  readonly text?: string | undefined;
}

const KEEP_IT = t`Copy it now and keep it safe. It cannot be shown again.`;

function ShownOnce({ title, secret, text = KEEP_IT, onClose }: ShownOnceProps) {
  const [isCopied, setCopied] = useState(false);

  async function copy() {
    // Without https there is no clipboard: the text can still be selected.
    await navigator.clipboard?.writeText(secret).then(
      () => setCopied(true),
      () => {},
    );
  }

  async function close() {
    const question = {
      title: t`Close without a copy?`,
      text: t`It cannot be shown again. Without a copy of it, you need a new one.`,
      action: t`Close`,
      keep: t`Go back`,
    };
    if (isCopied || (await confirm(question))) onClose();
  }

  return (
    <Dialog title={title} onClose={close}>
      <p>{text}</p>
      <output class="secret" onCopy={() => setCopied(true)}>
        {secret}
      </output>
      <p role="status">{isCopied && t`Copied.`}</p>
      <div class="row dialog-actions">
        <Button onClick={close}>{t`Done`}</Button>
        <Button kind="primary" onClick={copy}>{t`Copy`}</Button>
      </div>
    </Dialog>
  );
}
