import { Button } from './components/button.tsx';
import { Icon } from './components/icon.tsx';
import { busyUntil, isLost, lastSeen, tryAgain } from './connection.ts';
import { formatTime } from './format.ts';
import { discard, sendAgain, unsent } from './outbox.tsx';

/** Says that the service cannot be reached, or waits. Goes away by itself. */
export function ConnectionBanner() {
  return (
    <div role="status">
      {isLost.value && (
        <div class="row spread banner">
          <Icon name="offline" />
          <p>
            The service cannot be reached. What you see was loaded before{' '}
            {formatTime(lastSeen.value)}.
          </p>
          <Button onClick={tryAgain}>Try again</Button>
        </div>
      )}
      {busyUntil.value !== undefined && (
        <div class="row spread banner">
          <Icon name="warning" />
          <p>
            Too many requests were sent. The console continues by itself at{' '}
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
  if (items.length === 0) return null;
  return (
    <section class="row spread banner outbox" aria-label="Not sent yet">
      <ul>
        {items.map(({ id, label, isSending, refusal }) => (
          <li key={id} class="row">
            <span>
              {label}
              <small>{refusal ?? (isSending ? 'Sending…' : 'Not sent yet')}</small>
            </span>
            <Button
              label={`Try again: ${label}`}
              isDisabled={isSending}
              onClick={() => sendAgain(id)}
            >
              Try again
            </Button>
            <Button kind="quiet" label={`Discard: ${label}`} onClick={() => discard(id)}>
              Discard
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
