import { Failure } from '../domain/failure.ts';
import { normalPassword } from '../domain/password.ts';

/** What OWASP asks for at least: more memory would let sign-ins take it from everything else. */
const COSTS = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;
/** A hash with these costs that no password has. Without a person, as much work is done on it. */
const NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$7ypAAPtu7ExAMD1pqgwkQ1EO+jL1myxrQohZSaMlYA4$/aqw3cW6f6daaVlk6rL/NM/kQfzTh0r8MXzFF99/F6w';
/** Each takes a core for 50 ms and more. */
const AT_ONCE = 2;
/** Further ones that may wait: about half a second of work. */
const WAITING_MAX = 20;
const RETRY_SECONDS = 2;

/** Hashes and checks passwords beside the thread, a few at a time. */
export type Passwords = ReturnType<typeof createPasswords>;

/** Creates the hashing of a process. Its methods throw `service_unavailable` if too many wait. */
export function createPasswords() {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= AT_ONCE) {
      if (waiting.length >= WAITING_MAX) throw tooManyAtOnce();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      // The next one takes over the place.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  }

  return {
    hash: (password: string) => inTurn(() => Bun.password.hash(normalPassword(password), COSTS)),
    /** Returns whether a password has this hash. Without one it takes as long, and returns false. */
    verify: (password: string, hash: string | null | undefined) =>
      inTurn(async () => {
        const isRight = await Bun.password.verify(normalPassword(password), hash ?? NOBODY);
        return isRight && typeof hash === 'string';
      }),
  };
}

function tooManyAtOnce(): Failure {
  return new Failure(
    'service_unavailable',
    'Too many people are signing in at the same time; try again shortly.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
