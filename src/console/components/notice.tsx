import { useEffect, useRef, useState } from 'preact/hooks';
import { failureOf } from '../loading.ts';
import { dismiss, type NoticeContent, notices, notify } from '../notices.ts';
import { explain } from './error-state.tsx';
import { Icon } from './icon.tsx';

/** A message without "Undo" stays this long, and longer while it is pointed at or has the focus. */
const STAYS_MS = 8_000;

/** The place for messages. It is always there, so that screen readers notice what appears in it. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite" aria-label="Messages">
      {notices.value.map((notice) => (
        <Notice key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

/** Takes the last change back that can be, as the button "Undo" does. */
export function undoLast(): void {
  const last = notices.value.findLast(({ undo }) => undo);
  if (!last) return;
  dismiss(last.id);
  takeBack(last.undo);
}

function takeBack(undo: NoticeContent['undo']): void {
  undo?.().catch((error) => notify(`That could not be undone. ${explain(failureOf(error))}`));
}

function Notice({ notice: { id, text, undo } }: { readonly notice: NoticeContent }) {
  const [isHeld, setHeld] = useState(false);
  const place = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (isHeld || undo) return;
    const timer = setTimeout(() => dismiss(id), STAYS_MS);
    return () => clearTimeout(timer);
  }, [isHeld]);

  function undoNow() {
    leave();
    takeBack(undo);
  }

  /** The button that had the focus goes away with the message. */
  function leave() {
    const hasFocus = place.current?.contains(document.activeElement);
    dismiss(id);
    if (hasFocus) document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only waits, nothing is done by pointing
    <div
      class="notice"
      ref={place}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      <span>{text}</span>
      {undo && (
        <button type="button" class="button quiet" onClick={undoNow}>
          Undo
        </button>
      )}
      <button type="button" class="icon-button" aria-label="Dismiss" onClick={leave}>
        <Icon name="close" />
      </button>
    </div>
  );
}
