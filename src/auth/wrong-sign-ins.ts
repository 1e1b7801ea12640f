import { type Clock, HOUR_MS, SECOND_MS } from '../domain/clock.ts';
import { Failure } from '../domain/failure.ts';
import { hashKey } from '../domain/secrets.ts';

/** Wrong sign-ins in an hour, for each pair of an account and an address. */
const WRONG_MAX = 10;
/**
 * Pairs that are counted; then the oldest is forgotten. To have one forgotten, somebody sends as many
 * wrong sign-ins with other accounts first, and addresses may send few: that is no way to guess more.
 */
const PAIRS_MAX = 20_000;

interface Count {
  /** When the first was sent, in milliseconds since the Unix epoch. */
  readonly since: number;
  readonly wrong: number;
}

/** Counts wrong sign-ins in this process. The account need not exist, so the count tells nothing of it. */
export function createWrongSignIns(clock: Clock) {
  const counts = new Map<string, Count>();

  // Accounts can be long, and what people type may be a secret.
  const pairOf = (account: string, address: string) => hashKey(`${address} ${account}`);

  return {
    /**
     * Counts a sign-in as wrong until it is known to be right, so that many at once are no more guesses.
     * Throws `too_many_sign_ins`.
     */
    count(account: string, address: string): void {
      const pair = pairOf(account, address);
      const now = clock.now();
      const known = counts.get(pair);
      // A clock that was set back must not lengthen the hour.
      const isOver = known === undefined || now - known.since >= HOUR_MS || now < known.since;
      const { since, wrong } = isOver ? { since: now, wrong: 0 } : known;
      if (wrong >= WRONG_MAX) throw tooManySignIns(since + HOUR_MS - now);
      // The oldest hour first.
      if (isOver) counts.delete(pair);
      counts.set(pair, { since, wrong: wrong + 1 });
      if (counts.size > PAIRS_MAX) counts.delete(counts.keys().next().value ?? '');
    },
    /** Takes one back that could not be checked. */
    uncount(account: string, address: string): void {
      const pair = pairOf(account, address);
      const known = counts.get(pair);
      if (known !== undefined) counts.set(pair, { ...known, wrong: known.wrong - 1 });
    },
    /** Forgets those of an account: whoever is at the address knows the password. */
    forget: (account: string, address: string) => void counts.delete(pairOf(account, address)),
    /** The pairs that are counted. */
    size: () => counts.size,
  };
}

function tooManySignIns(milliseconds: number): Failure {
  const retryAfterSeconds = Math.max(1, Math.ceil(milliseconds / SECOND_MS));
  const minutes = Math.ceil(retryAfterSeconds / 60);
  return new Failure(
    'too_many_sign_ins',
    `Too many wrong sign-ins with this e-mail address from here; try again in ${minutes} minutes, or ask a manager for a new invitation.`,
    { retryAfterSeconds },
  );
}
