import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface DialogProps {
  readonly title: string;
  /** Called by Escape and by the button "Close". The owner then no longer renders the dialog. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly isWide?: boolean;
}

/** A modal dialog. The focus returns to where it was before. */
export function Dialog({ title, onClose, children, isWide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      const target = before?.isConnected ? before : document.querySelector('#main');
      if (target instanceof HTMLElement) target.focus();
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
      onClose={onClose}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
      {/* After the content, so that the first field gets the focus. */}
      <button type="button" class="icon-button dialog-close" aria-label="Close" onClick={onClose}>
        <Icon name="close" />
      </button>
    </dialog>
  );
}
