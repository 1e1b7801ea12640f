import type { Pet, Stay } from '../service.ts';
import { statusName } from '../words.ts';

/** The statuses of each colour but that of what has ended. Their meaning is always in the text too. */
const TONES = {
  good: ['available', 'answered', 'approved', 'active', 'delivered', 'enabled', 'sent'],
  waiting: ['pending', 'new', 'placed', 'invited', 'queued', 'running', 'trying again'],
  done: ['sold', 'adopted', 'completed'],
  bad: ['banned', 'failed', 'failing', 'held'],
};

/** What an animal is called by its status; one that has left, by how it did: `sold`, or `died`. */
export function standingOf(
  status: Pet['status'],
  stay: Pick<Stay, 'outcomeType'> | undefined,
): string {
  return status === 'sold' ? (stay?.outcomeType ?? status) : status;
}

/** A status as a dot and a word. */
export function Status({ value }: { readonly value: string }) {
  const [tone] = Object.entries(TONES).find(([, values]) => values.includes(value)) ?? ['ended'];
  return (
    <span class="status" data-tone={tone}>
      {statusName(value)}
    </span>
  );
}
