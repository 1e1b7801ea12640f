/** The colour of a status. Its meaning is always in the text too. */
type Tone = 'good' | 'waiting' | 'done' | 'bad' | 'ended';

const TONES: Readonly<Record<string, Tone>> = {
  available: 'good',
  pending: 'waiting',
  sold: 'done',
  placed: 'waiting',
  approved: 'good',
  completed: 'done',
  cancelled: 'ended',
  active: 'good',
  expired: 'ended',
  revoked: 'ended',
  banned: 'bad',
  queued: 'waiting',
  running: 'waiting',
  failed: 'bad',
  succeeded: 'good',
  delivered: 'good',
  enabled: 'good',
  disabled: 'ended',
};

/** A status as a badge. */
export function Status({ value }: { readonly value: string }) {
  return (
    <span class="status" data-tone={TONES[value] ?? 'ended'}>
      {statusName(value)}
    </span>
  );
}

/** Returns a status as a word on the screen: `Available`. */
export function statusName(value: string): string {
  const words = value.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
