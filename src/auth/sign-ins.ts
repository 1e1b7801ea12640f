import { type Caller, callerOf } from '../domain/api-key.ts';
import { type Clock, HOUR_MS, SECOND_MS } from '../domain/clock.ts';
import { Failure } from '../domain/failure.ts';
import { createTurns, type TurnRules } from '../domain/fair-places.ts';
import { keyStatus } from '../domain/key-lifecycle.ts';
import { normalPassword, passwordProblem } from '../domain/password.ts';
import {
  emailProblem,
  foldEmail,
  type Person,
  type PersonStorage,
  type SignInRecord,
  wrongSignIn,
} from '../domain/person.ts';
import { hashKey } from '../domain/secrets.ts';

/** A person whose password was right. */
export interface ProvenPerson {
  readonly caller: Caller;
  /** For `NewSession`: the session starts only if the password is still this one. */
  readonly passwordHash: string;
}

/** Signs people in, and sets their passwords. */
export type SignIns = ReturnType<typeof createSignIns>;

/** A password, and the address that the request is charged to. */
interface Sent {
  readonly address: string;
  readonly password: string;
}

interface OwnPasswordChange extends Sent {
  readonly id: bigint;
  /** The hash of the session of the request, which stays. */
  readonly sessionHash: string;
  readonly current: string;
}

/** Creates the sign-ins of a process. All throw `too_many_sign_ins` and `service_unavailable`. */
export function createSignIns(people: PersonStorage, clock: Clock) {
  const passwords = createPasswords();
  const wrong = createWrongSignIns(clock);
  const known = createKnownPairs();

  /** Returns the hash of the password if it is right. Throws `wrong_password`. */
  async function prove(
    account: string,
    address: string,
    password: string,
    find: () => ReturnType<PersonStorage['findByEmail']>,
  ): Promise<SignInRecord & { readonly passwordHash: string }> {
    wrong.count(account, address);
    let found: SignInRecord | undefined;
    let isRight: boolean;
    try {
      found = await find();
      const lane = known.has(account, address) ? passwords.known : passwords.others;
      isRight = await lane.verify(address, password, found?.passwordHash);
    } catch (error) {
      wrong.uncount(account, address);
      throw error;
    }
    // Somebody who was removed has no password any more. A key may also end in other ways.
    const isActive = found !== undefined && keyStatus(found.key, clock.now()) === 'active';
    if (!isRight || !isActive || found?.passwordHash == null) throw wrongSignIn();
    wrong.forget(account, address);
    known.add(account, address);
    return { ...found, passwordHash: found.passwordHash };
  }

  return {
    /** Throws `wrong_password`: with the same message and delay for an address that nobody has. */
    async signIn({ email, password, address }: Sent & { email: string }): Promise<ProvenPerson> {
      const account = foldEmail(email);
      // A malformed address belongs to nobody, and some databases refuse its characters. The answer takes as long.
      const find = async () =>
        emailProblem(account) === undefined ? people.findByEmail(account) : undefined;
      const { key, passwordHash } = await prove(account, address, password, find);
      return { caller: callerOf(key), passwordHash };
    },

    /** Throws `invalid_invitation`; or `invalid_body` for a refused password, and the invitation stays. */
    async acceptInvitation({ invitation, password, address }: Sent & { invitation: string }) {
      const hash = hashKey(invitation);
      const person = await people.findInvited(hash, clock.now());
      if (person === undefined) throw invalidInvitation();
      requireGoodPassword(password, person);
      const passwordHash = await passwords.others.hash(address, password);
      const isAccepted = await people.acceptInvitation(hash, clock.now(), passwordHash);
      if (!isAccepted) throw invalidInvitation();
      wrong.forget(foldEmail(person.email), address);
    },

    /** Throws `wrong_password`, or `invalid_body` for a refused password. */
    async changePassword(change: OwnPasswordChange): Promise<void> {
      const { id, sessionHash, current, password, address } = change;
      const find = () => people.findPassword(id);
      const { person, passwordHash } = await prove(`id ${id}`, address, current, find);
      requireGoodPassword(password, person);
      const newHash = await passwords.known.hash(address, password);
      const kept = { id, at: clock.now(), oldHash: passwordHash, newHash, sessionHash };
      if (!(await people.changePassword(kept))) throw wrongSignIn();
    },
  };
}

function requireGoodPassword(password: string, person: Person): void {
  const problem = passwordProblem(password, person);
  if (problem !== undefined) throw new Failure('invalid_body', `password ${problem}.`);
}

function invalidInvitation(): Failure {
  return new Failure(
    'invalid_invitation',
    'This invitation was used, has expired or was replaced by a newer one: ask a manager for another one.',
  );
}

/** What OWASP asks for at least: more memory would let sign-ins take it from everything else. */
const COSTS = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;
/** A hash with these costs that no password has. Without a person, as much work is done on it. */
const NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$7ypAAPtu7ExAMD1pqgwkQ1EO+jL1myxrQohZSaMlYA4$/aqw3cW6f6daaVlk6rL/NM/kQfzTh0r8MXzFF99/F6w';
/**
 * Each takes a core for 50 ms and more. Staff behind one address may all sign in at once, and addresses have
 * their turns: with 26 of them at work, another one waits for less than 26 checks.
 */
const TURNS: TurnRules = { atOnce: 1, perHolder: 20, inAll: 200 };
const RETRY_SECONDS = 2;

/**
 * Creates the hashing of a process. Pairs of an account and an address that have signed in before have turns of
 * their own, which no number of other addresses can take. Throws `service_unavailable` if too many wait.
 */
function createPasswords() {
  const lane = () => {
    const inTurn = createTurns(TURNS, tooManyAtOnce);
    return {
      hash: (address: string, password: string) =>
        inTurn(address, () => Bun.password.hash(normalPassword(password), COSTS)),
      /** Returns whether a password has this hash. Without one it takes as long, and returns false. */
      verify: (address: string, password: string, hash: string | null | undefined) =>
        inTurn(address, async () => {
          const isRight = await Bun.password.verify(normalPassword(password), hash ?? NOBODY);
          return isRight && typeof hash === 'string';
        }),
    };
  };
  return { known: lane(), others: lane() };
}

function tooManyAtOnce(): Failure {
  return new Failure(
    'service_unavailable',
    'Too many people are signing in at the same time; try again shortly.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

// Accounts can be long, and what people type may be a secret.
const pairOf = (account: string, address: string) => hashKey(`${address} ${account}`);

/** Remembers which accounts signed in from where, since the process started. */
function createKnownPairs() {
  const pairs = new Set<string>();
  return {
    has: (account: string, address: string) => pairs.has(pairOf(account, address)),
    add(account: string, address: string): void {
      const pair = pairOf(account, address);
      pairs.delete(pair);
      pairs.add(pair);
      if (pairs.size > PAIRS_MAX) pairs.delete(pairs.values().next().value ?? '');
    },
  };
}

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
function createWrongSignIns(clock: Clock) {
  const counts = new Map<string, Count>();

  return {
    /**
     * Counts a sign-in as wrong until it is known to be right, so that sending many at once gives no extra guesses.
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
    /** Forgets those of an account: the person at the address knows the password. */
    forget: (account: string, address: string) => void counts.delete(pairOf(account, address)),
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
