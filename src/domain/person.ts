import { type ApiKey, SCOPES, type Scope } from './api-key.ts';
import type { ChangeStamp, Precondition } from './change-stamp.ts';
import { DAY_MS } from './clock.ts';
import { Failure } from './failure.ts';
import { nameProblem } from './name.ts';
import type { Page, PageRequest } from './page.ts';
import { hashKey, randomText, secureRandomBytes } from './secrets.ts';

/*
 * A person who works at the shop is a key of the kind `person`. It has scopes, a plan, bans, usage and an
 * end as every key has, but no secret: the person signs in with an e-mail address and a password.
 */

/** What a person may do, as scopes of their key. */
export const ROLES = {
  viewer: ['read'],
  volunteer: ['read', 'write'],
  manager: SCOPES,
} as const satisfies Record<string, readonly Scope[]>;
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as [Role, ...Role[]];

export const PERSON_STATUSES = ['invited', 'active', 'removed'] as const;
type PersonStatus = (typeof PERSON_STATUSES)[number];

/** How long an invitation can be used, in milliseconds. */
export const INVITATION_MS = 7 * DAY_MS;

export const EMAIL_MAX = 254;
/** The rule of HTML for e-mail addresses. */
export const EMAIL_PATTERN =
  "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9-]+(?:\\.[a-zA-Z0-9-]+)*$";
const EMAIL = new RegExp(EMAIL_PATTERN);

/** Returns what is wrong with an e-mail address, as the end of a sentence, or undefined. */
export function emailProblem(email: string): string | undefined {
  return nameProblem(email, EMAIL_MAX) ?? (EMAIL.test(email) ? undefined : EMAIL_RULE);
}
const EMAIL_RULE = 'must be an e-mail address like maria@example.org';

/** Returns the form of an address that must be unique. */
export function foldEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** The languages of the console, and of mails to staff. */
export const STAFF_LANGUAGES = ['en', 'de'] as const;
export type StaffLanguage = (typeof STAFF_LANGUAGES)[number];

/** The settings of a person, which a manager may change. */
export interface PersonSettings {
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** Chosen by the person; null to follow the browser. */
  readonly language: StaffLanguage | null;
}

/** A person to add. */
export type NewPerson = Omit<PersonSettings, 'language'>;

/** Somebody who works here and may answer enquiries. */
export type StaffMember = Pick<Person, 'id' | 'name'>;

/** A person. Times are in milliseconds since the Unix epoch. */
export interface Person extends PersonSettings {
  /** The id of their key. */
  readonly id: bigint;
  readonly createdAt: number;
  readonly lastSignInAt: number | null;
  readonly removedAt: number | null;
  readonly hasPassword: boolean;
  /** When an unused invitation expires. */
  readonly invitedUntil: number | null;
}

/** An invitation to store. */
export interface NewInvitation {
  /** `hashKey` of its secret. */
  readonly hash: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** What a sign-in is checked against: person, key and password. */
export interface SignInRecord {
  readonly person: Person;
  readonly key: ApiKey;
  /** Null until the person has chosen a password. */
  readonly passwordHash: string | null;
}

/** The storage contract of people. */
export interface PersonStorage {
  /** Returns a page in ascending order of id, including people who were removed. */
  page(request: PageRequest): Promise<Page<Person>>;
  find(id: bigint): Promise<Person | undefined>;
  /** Returns a page of those who work here and may answer enquiries, in ascending order of id. */
  staff(request: PageRequest): Promise<Page<StaffMember>>;
  /** Returns the languages of those who work here and have one of these addresses, by folded address. */
  languages(emails: readonly string[]): Promise<ReadonlyMap<string, StaffLanguage | null>>;
  /** Throws `conflict` if a person who was not removed has the e-mail address. */
  create(person: NewPerson, stamp: ChangeStamp, invitation: NewInvitation): Promise<Person>;
  /**
   * Stores what `change` returns for the current person. Returns undefined for an unknown one. Throws
   * what `change` throws, and `conflict` for a removed person, for an address that is taken, and for the last manager
   * with a password, whatever keys there are, even when several changes arrive at once.
   */
  update(
    id: bigint,
    stamp: ChangeStamp,
    change: (current: Person) => PersonSettings,
  ): Promise<Person | undefined>;
  /** Stores an invitation, which ends an earlier one. Throws `conflict` for somebody who was removed. */
  invite(id: bigint, stamp: ChangeStamp, invitation: NewInvitation): Promise<Person | undefined>;
  /**
   * Ends the key and the sessions of a person, and frees the e-mail address. Throws `conflict` for the
   * last manager with a password, unless a command (without a key in the stamp) removes them.
   */
  remove(
    id: bigint,
    stamp: ChangeStamp,
    precondition: Precondition<Person>,
  ): Promise<Person | undefined>;
  /** Finds the person who has this address now; undefined if nobody does. */
  findByEmail(email: string): Promise<SignInRecord | undefined>;
  /** The same by the id. */
  findPassword(id: bigint): Promise<SignInRecord | undefined>;
  /** Finds whom an invitation is for that can be used at `now`. */
  findInvited(hash: string, now: number): Promise<Person | undefined>;
  /**
   * Sets a password, uses up the invitation and ends all sessions of the person, in one transaction.
   * Returns false if the invitation cannot be used any more.
   */
  acceptInvitation(hash: string, now: number, passwordHash: string): Promise<boolean>;
  /**
   * Sets another password, and ends all sessions but the one with this hash. Returns false if `old` is no
   * longer the hash of the password.
   */
  changePassword(change: PasswordChange): Promise<boolean>;
}

/** A change of one's own password. */
interface PasswordChange {
  readonly id: bigint;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly oldHash: string;
  readonly newHash: string;
  /** The hash of the session that stays. */
  readonly sessionHash: string;
}

const INVITATION_PREFIX = 'petstore_invite_';
const RANDOM_LENGTH = 43;

/** Makes an invitation. Its secret, with 256 random bits, is shown once and never stored. */
export function issueInvitation(now: number): { secret: string; invitation: NewInvitation } {
  const secret = INVITATION_PREFIX + randomText(RANDOM_LENGTH, secureRandomBytes);
  return { secret, invitation: { hash: hashKey(secret), expiresAt: now + INVITATION_MS } };
}

/** Returns the address that a person opens. Browsers never send the fragment, which holds the secret. */
export function invitationAddress(baseUrl: string, secret: string): string {
  return `${baseUrl.replace(/v1$/, 'console/invitation')}#${secret}`;
}

export function personStatus({ removedAt, hasPassword }: Person): PersonStatus {
  if (removedAt !== null) return 'removed';
  return hasPassword ? 'active' : 'invited';
}

/** Returns the role with these scopes. */
export function roleOf(scopes: readonly Scope[]): Role {
  return (
    ROLE_NAMES.findLast((role) => ROLES[role].every((one) => scopes.includes(one))) ?? 'viewer'
  );
}

/** The failure of an address that somebody else has. */
export function emailTaken(): Failure {
  return new Failure('conflict', 'Another person has this e-mail address.');
}

/** The failure of a change that would leave no manager who can sign in. */
export function lastManager({ name }: Pick<Person, 'name'>): Failure {
  return new Failure(
    'conflict',
    `${name} is the last manager who can sign in: make somebody else a manager first.`,
  );
}

/** The failure of a sign-in: the same for an unknown, invited or removed person, and a wrong password. */
export function wrongSignIn(): Failure {
  return new Failure('wrong_password', 'The e-mail address or the password is wrong.');
}

/** The failure of a change of somebody who was removed. */
export function personRemoved(id: bigint): Failure {
  return new Failure('conflict', `Person ${id} was removed: add a new person.`);
}
