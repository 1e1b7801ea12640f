import { type Caller, callerOf } from '../domain/api-key.ts';
import type { Clock } from '../domain/clock.ts';
import { Failure } from '../domain/failure.ts';
import { keyStatus } from '../domain/key-lifecycle.ts';
import { passwordProblem } from '../domain/password.ts';
import {
  emailProblem,
  foldEmail,
  type Person,
  type PersonStorage,
  type SignInRecord,
  wrongSignIn,
} from '../domain/person.ts';
import { hashKey } from '../domain/secrets.ts';
import { createPasswords } from './passwords.ts';
import { createWrongSignIns } from './wrong-sign-ins.ts';

/** Where a request comes from. */
interface Sent {
  /** The address that it is charged to. */
  readonly address: string;
}

export interface SignInAttempt extends Sent {
  readonly email: string;
  readonly password: string;
}

/** A person whose password was right. */
export interface ProvenPerson {
  readonly caller: Caller;
  /** For `NewSession`: the session starts only if the password is still this one. */
  readonly passwordHash: string;
}

export interface InvitationUse extends Sent {
  readonly invitation: string;
  readonly password: string;
}

export interface OwnPasswordChange extends Sent {
  readonly id: bigint;
  /** The hash of the session of the request, which stays. */
  readonly sessionHash: string;
  readonly current: string;
  readonly password: string;
}

/** What needs a password. A process has it once, so that its bounds hold for all its threads. */
export interface SignIns {
  /** Throws `wrong_password`, the same and as late for whoever cannot sign in. */
  signIn(attempt: SignInAttempt): Promise<ProvenPerson>;
  /** Throws `invalid_invitation`; or `invalid_body` for a refused password, and the invitation stays. */
  acceptInvitation(use: InvitationUse): Promise<void>;
  /** Throws `wrong_password`, or `invalid_body` for a refused password. */
  changePassword(change: OwnPasswordChange): Promise<void>;
}

/** Creates the sign-ins of a process. All throw `too_many_sign_ins` and `service_unavailable`. */
export function createSignIns(people: PersonStorage, clock: Clock): SignIns {
  const passwords = createPasswords();
  const wrong = createWrongSignIns(clock);

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
      isRight = await passwords.verify(password, found?.passwordHash);
    } catch (error) {
      wrong.uncount(account, address);
      throw error;
    }
    // Somebody who was removed has no password any more. A key may also end in other ways.
    const isActive = found !== undefined && keyStatus(found.key, clock.now()) === 'active';
    if (!isRight || !isActive || found?.passwordHash == null) throw wrongSignIn();
    wrong.forget(account, address);
    return { ...found, passwordHash: found.passwordHash };
  }

  return {
    async signIn({ email, password, address }) {
      const account = foldEmail(email);
      // Nobody has an address that is none, and not every database takes its characters. It takes as long.
      const find = () =>
        emailProblem(account) === undefined ? people.findByEmail(account) : undefined;
      const { key, passwordHash } = await prove(account, address, password, find);
      return { caller: callerOf(key), passwordHash };
    },

    async acceptInvitation({ invitation, password, address }) {
      const hash = hashKey(invitation);
      const person = await people.findInvited(hash, clock.now());
      if (person === undefined) throw invalidInvitation();
      requireGoodPassword(password, person);
      const passwordHash = await passwords.hash(password);
      const isAccepted = await people.acceptInvitation(hash, clock.now(), passwordHash);
      if (!isAccepted) throw invalidInvitation();
      wrong.forget(foldEmail(person.email), address);
    },

    async changePassword({ id, sessionHash, current, password, address }) {
      const find = () => people.findPassword(id);
      const { person, passwordHash } = await prove(`id ${id}`, address, current, find);
      requireGoodPassword(password, person);
      const newHash = await passwords.hash(password);
      const change = { id, at: clock.now(), oldHash: passwordHash, newHash, sessionHash };
      if (!(await people.changePassword(change))) throw wrongSignIn();
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
