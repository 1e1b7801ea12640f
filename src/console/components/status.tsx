import { statusName } from '../words.ts';

/** The statuses of each colour but that of what has ended. Their meaning is always in the text too. */
const TONES = {
  good: ['available', 'answered', 'approved', 'active', 'delivered', 'enabled', 'sent'],
  waiting: ['pending', 'new', 'placed', 'invited', 'queued', 'running', 'trying again'],
  done: ['sold', 'completed'],
  bad: ['banned', 'failed', 'failing', 'held'],
};

/** A status as a dot and a word. */
export function Status({ value }: { readonly value: string }) {
  const [tone] = Object.entries(TONES).find(([, values]) => values.includes(value)) ?? ['ended'];
  return (
    <span class="status" data-tone={tone}>
      {statusName(value)}
    </span>
  );
}
