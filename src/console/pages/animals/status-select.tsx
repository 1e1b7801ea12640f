import { useEffect, useRef, useState } from 'preact/hooks';
import type { Pet, PetStatus } from '../../service.ts';
import { changeStatus } from './change-animal.ts';
import { STATUS_OPTIONS } from './filter.ts';

/** Arrow keys step through the values of a closed list. The last one counts after this pause. */
const PAUSE_MS = 700;

interface StatusSelectProps {
  readonly pet: Pet;
}

/** The status of an animal in its row. A choice is sent at once. */
export function StatusSelect({ pet }: StatusSelectProps) {
  const [draft, setDraft] = useState<PetStatus>();
  const isStepping = useRef(false);
  const shown = draft ?? pet.status;

  useEffect(() => {
    if (draft === undefined) return;
    const timer = setTimeout(() => send(draft), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft]);

  // The row may go away before the pause is over.
  const sendDraft = useRef<(() => void) | undefined>(undefined);
  sendDraft.current = draft && (() => send(draft));
  useEffect(() => () => sendDraft.current?.(), []);

  function send(status: PetStatus) {
    setDraft(undefined);
    void changeStatus(pet, status);
  }

  return (
    <select
      class="status-select"
      data-tone={shown}
      aria-label={`Status of ${pet.name}`}
      value={shown}
      onKeyDown={({ key }) => {
        isStepping.current = /^(Arrow|Home|End|Page)/.test(key);
      }}
      onPointerDown={() => {
        isStepping.current = false;
      }}
      onBlur={() => draft !== undefined && send(draft)}
      onChange={({ currentTarget }) => {
        // The options are the statuses.
        const status = currentTarget.value as PetStatus;
        if (isStepping.current) setDraft(status);
        else send(status);
      }}
    >
      {STATUS_OPTIONS.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}
