import { statusName } from '../words.ts';

/** The colour of a status. Its meaning is always in the text too. */
type Tone = 'good' | 'waiting' | 'done' | 'bad' | 'ended';

const TONES: Readonly<Record<string, Tone>> = {
  available: 'good',
  pending: 'waiting',
  sold: 'done',
  new: 'waiting',
  answered: 'good',
  placed: 'waiting',
  approved: 'good',
  completed: 'done',
  active: 'good',
  invited: 'waiting',
  banned: 'bad',
  queued: 'waiting',
  running: 'waiting',
  failed: 'bad',
  failing: 'bad',
  'trying again': 'waiting',
  delivered: 'good',
  enabled: 'good',
};

/** A status as a dot and a word. */
export function Status({ value }: { readonly value: string }) {
  return (
    <span class="status" data-tone={TONES[value] ?? 'ended'}>
      {statusName(value)}
    </span>
  );
}
