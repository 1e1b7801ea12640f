import { useEffect, useRef } from 'preact/hooks';
import { busyUntil, isLost, lastSeen, tryAgain } from '../connection.ts';
import { formatTime } from '../format.ts';
import { discard, sendAgain, unsent } from '../outbox.ts';
import { Icon } from './icon.tsx';

/** Says that the service cannot be reached, or waits. Goes away by itself. */
export function ConnectionBanner() {
  return (
    <div role="status">
      {isLost.value && (
        <div class="banner">
          <Icon name="offline" />
          <p>
            The service cannot be reached. What you see was loaded before{' '}
            {formatTime(lastSeen.value)}.
          </p>
          <button type="button" class="button" onClick={tryAgain}>
            Try again
          </button>
        </div>
      )}
      {busyUntil.value !== undefined && (
        <div class="banner">
          <Icon name="warning" />
          <p>
            Your key has sent too many requests. The console goes on by itself at{' '}
            {formatTime(busyUntil.value)}.
          </p>
        </div>
      )}
    </div>
  );
}

/** The changes that could not be sent. */
export function Outbox() {
  const items = unsent.value;
  const list = useRef<HTMLUListElement>(null);
  /** The row whose button was pressed last. */
  const pressed = useRef<number | undefined>(undefined);

  useEffect(() => {
    // The button that had the focus went away with its row: the next row has its place now.
    if (pressed.current === undefined || document.activeElement !== document.body) return;
    const row = list.current?.children[Math.min(pressed.current, items.length - 1)];
    const target = row?.querySelector('button') ?? document.querySelector<HTMLElement>('#main');
    target?.focus({ preventScroll: true });
    pressed.current = undefined;
  }, [items.length]);

  if (items.length === 0) return null;
  return (
    <section class="banner outbox" aria-label="Not sent yet">
      <ul ref={list}>
        {items.map(({ id, label, isSending, refusal }, index) => (
          <li
            key={id}
            onClickCapture={() => {
              pressed.current = index;
            }}
          >
            <span>
              {label}
              <small>{refusal ?? (isSending ? 'Sending…' : 'Not sent yet')}</small>
            </span>
            <button
              type="button"
              class="button"
              aria-label={`Try again: ${label}`}
              aria-disabled={isSending}
              onClick={() => !isSending && sendAgain(id)}
            >
              Try again
            </button>
            <button
              type="button"
              class="button quiet"
              aria-label={`Discard: ${label}`}
              onClick={() => discard(id)}
            >
              Discard
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
