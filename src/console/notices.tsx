/** Short messages about what was just done. */

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from './components/button.tsx';
import { Icon } from './components/icon.tsx';
import { explain } from './failures.ts';
import { t } from './language.ts';

/** More messages than these would cover what one works at: the oldest go. */
const SHOWN_MAX = 3;
/** A message without "Undo" stays this long, and longer while it is pointed at or has the focus. */
const STAYS_MS = 8_000;

/** A message, perhaps with a way to undo what it reports. */
interface NoticeContent {
  readonly id: number;
  readonly text: string;
  readonly undo: (() => Promise<unknown>) | undefined;
  /** The address of what the message is about. */
  readonly href: string | undefined;
}

const notices = signal<readonly NoticeContent[]>([]);

let lastId = 0;

/**
 * Tells the person something. With `undo`, the message has a button for it, and stays until it is
 * dismissed or the next one with `undo` takes its place. With `href`, it has a link "Show".
 */
export function notify(text: string, undo?: () => Promise<unknown>, href?: string): void {
  const others = undo ? notices.value.filter((notice) => !notice.undo) : notices.value;
  notices.value = [...others, { id: ++lastId, text, undo, href }].slice(-SHOWN_MAX);
}

/** Starts to tell the person why something was refused that has no form of its own. */
export function watchFailures(): void {
  addEventListener('unhandledrejection', (event) => {
    event.preventDefault();
    notify(explain(event.reason));
  });
}

/** Takes the last change back that can be, as the button "Undo" does. */
export function undoLast(): void {
  const last = notices.value.findLast(({ undo }) => undo);
  if (last) undoOf(last);
}

function undoOf({ id, undo }: NoticeContent): void {
  dismiss(id);
  undo?.().catch((error) => notify(t`That could not be undone. ${explain(error)}`));
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

export function dismissAll(): void {
  notices.value = [];
}

/** The place for messages. It is always there, so that screen readers notice what appears in it. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite" aria-label={t`Messages`}>
      {notices.value.map((notice) => (
        <Notice key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function Notice({ notice }: { readonly notice: NoticeContent }) {
  const { id, text, undo, href } = notice;
  const shown = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (undo) return;
    const timer = setInterval(() => {
      if (!shown.current?.matches(':hover, :focus-within')) dismiss(id);
    }, STAYS_MS);
    return () => clearInterval(timer);
  }, []);

  return (
    <div class="notice" ref={shown}>
      <span>{text}</span>
      {href !== undefined && <a class="button quiet" href={href}>{t`Show`}</a>}
      {undo && <Button kind="quiet" onClick={() => undoOf(notice)}>{t`Undo`}</Button>}
      <button type="button" class="icon-button" aria-label={t`Dismiss`} onClick={() => dismiss(id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
