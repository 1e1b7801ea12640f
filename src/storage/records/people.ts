import type { ApiKey } from '../../domain/api-key.ts';
import { changedFields } from '../../domain/audit.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import {
  emailTaken,
  foldEmail,
  lastManager,
  type NewInvitation,
  type NewPerson,
  type Person,
  type PersonSettings,
  type PersonStorage,
  personRemoved,
  personStatus,
  ROLES,
  roleOf,
  type SignInRecord,
  type StaffLanguage,
  type StaffMember,
  wrongSignIn,
} from '../../domain/person.ts';
import { hashKey } from '../../domain/secrets.ts';
import { fieldsOf, number, numberOrNull, plain } from '../fields.ts';
import { listed } from '../lists.ts';
import {
  forUpdate,
  isTextIn,
  methodsOf,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { createKey, KEY, KEY_BY_ID, LOCK_WITH_ADMINS, scopesIn } from './keys.ts';
import { noteAudit } from './notes.ts';

/** A person in their key and the row of `people`. */
const PERSON = fieldsOf(
  {
    id: plain<bigint>(),
    name: plain<string>(),
    email: plain<string>(),
    role: (cell: string) => roleOf(scopesIn(cell)),
    language: plain<StaffLanguage | null>(),
    createdAt: number,
    lastSignInAt: numberOrNull,
    removedAt: numberOrNull,
    hasPassword: (cell: bigint) => Number(cell) === 1,
    invitedUntil: numberOrNull,
  },
  {
    role: 'scopes',
    lastSignInAt: 'last_used_at',
    removedAt: 'revoked_at',
    hasPassword: 'CASE WHEN password_hash IS NULL THEN 0 ELSE 1 END',
  },
);
const FROM = 'FROM people JOIN api_keys ON id = key_id';

const BY_ID = sql`SELECT ${PERSON.columns} ${FROM} WHERE id = $1`.as(PERSON);
const LIST = sql`SELECT ${PERSON.columns} ${FROM}`.as(PERSON);
const INVITED = sql`SELECT ${PERSON.columns} ${FROM}
    WHERE invitation_hash = $1 AND invited_until > $2`.as(PERSON);
/** The condition for somebody who works here and may answer enquiries. */
export const IS_STAFF = sql`revoked_at IS NULL AND ',' || scopes || ',' LIKE '%,write,%'`;
export const STAFF_BY_ID =
  sql`SELECT id, name ${FROM} WHERE id = $1 AND ${IS_STAFF}`.as<StaffMember>();
const STAFF = sql`SELECT id, name ${FROM}`.as<StaffMember>();
const LANGUAGES =
  sql`SELECT email_folded AS email, language ${FROM} WHERE email_folded ${isTextIn('$1')}`.as<{
    readonly email: string;
    readonly language: StaffLanguage | null;
  }>();
const signIns = (condition: string) =>
  sql`SELECT api_keys.*, password_hash, ${PERSON.columns}
      FROM people JOIN (SELECT ${KEY.columns} FROM api_keys) AS api_keys ON id = key_id
      WHERE ${condition}`.as(
    (row: { password_hash: string | null }): SignInRecord => ({
      person: PERSON.of(row),
      key: KEY.of(row),
      passwordHash: row.password_hash,
    }),
  );
const BY_EMAIL = signIns('email_folded = $1');
const PASSWORD = signIns('id = $1');
const INSERT = sql`INSERT INTO people (key_id, email, email_folded, invitation_hash, invited_until)
  VALUES ($1, $2, $3, $4, $5)`;
const SAVE_KEY = sql`UPDATE api_keys SET name = $2, scopes = $3 WHERE id = $1`;
const SAVE = sql`UPDATE people SET email = $2, email_folded = $3, language = $4 WHERE key_id = $1`;
const INVITE = sql`UPDATE people SET invitation_hash = $2, invited_until = $3 WHERE key_id = $1`;
const REVOKE = sql`UPDATE api_keys SET revoked_at = $2 WHERE id = $1`;
const FORGET = sql`UPDATE people SET email_folded = NULL, password_hash = NULL,
  invitation_hash = NULL, invited_until = NULL WHERE key_id = $1`;
const HOLDER = sql`SELECT key_id FROM people WHERE email_folded = $1`.value<bigint>();
const OTHER_MANAGER = sql`SELECT key_id ${FROM} WHERE id <> $1 AND revoked_at IS NULL
  AND password_hash IS NOT NULL AND ',' || scopes || ',' LIKE '%,admin,%' LIMIT 1`.value<bigint>();
const ACCEPT = sql`UPDATE people
  SET password_hash = $3, invitation_hash = NULL, invited_until = NULL
  WHERE invitation_hash = $1 AND invited_until > $2 RETURNING key_id`.value<bigint>();
/** Checking passwords takes a while, in which the session may have been ended. */
const CHANGE_PASSWORD = sql`UPDATE people
  SET password_hash = $3, invitation_hash = NULL, invited_until = NULL
  WHERE key_id = $1 AND password_hash = $2
    AND EXISTS (SELECT 1 FROM sessions WHERE sessions.key_id = $1 AND hash = $4)
  RETURNING key_id`.value<bigint>();
const END_SESSIONS = sql`DELETE FROM sessions WHERE key_id = $1 AND hash <> $2`;

/** Finds a person whose password still has this hash, for a sign-in under way. */
const PROOF =
  sql`SELECT key_id FROM people WHERE key_id = $1 AND password_hash = $2 ${forUpdate}`.value<bigint>();
const SIGNED_IN = sql`UPDATE api_keys SET last_used_at = $2 WHERE id = $1`;

/*
 * On PostgreSQL all of these lock the key first, then the row of the person, then sessions, so that no
 * two wait for each other.
 */

/** Notes a sign-in. Throws if the password was changed, or the person removed, since it was checked. */
export function* noteSignIn(id: bigint, passwordHash: string, at: number): Work<void> {
  yield* SIGNED_IN.run(id, at);
  if ((yield* PROOF.one(id, passwordHash)) === undefined) throw wrongSignIn();
}

/**
 * Throws `conflict` if somebody else has the address. On PostgreSQL, if another transaction takes it at the
 * same time, the unique column fails, and this transaction runs again and finds it here.
 */
function* requireFreeEmail(email: string, id?: bigint): Work<void> {
  const holder = yield* HOLDER.one(foldEmail(email));
  if (holder !== undefined && holder !== id) throw emailTaken();
}

/** Locks a person with all who may manage people. */
function* lock(id: bigint, at: number): Work<{ key: ApiKey; person: Person } | undefined> {
  yield* LOCK_WITH_ADMINS.run(id, at);
  const person = yield* BY_ID.one(id);
  return person && { person, key: yield* KEY_BY_ID.only(id) };
}

/** Throws `conflict` for the last manager who can sign in, after `lock`. Keys are of no use to people. */
function* requireManagerBeside(person: Person): Work<void> {
  if (person.role !== 'manager' || personStatus(person) !== 'active') return;
  if ((yield* OTHER_MANAGER.one(person.id)) === undefined) throw lastManager(person);
}

type Shown = NewPerson & Partial<PersonSettings>;

/** What the audit shows of a person. Where somebody can be reached is theirs. */
function changed(before: Shown | undefined, after: Shown | undefined) {
  const shown = (one: Shown | undefined) =>
    one && { name: one.name, email: one.email, role: one.role, language: one.language };
  return changedFields(shown(before), shown(after), ['email']);
}

const NEW_PASSWORD = { password: true } as const;

/** What people do with their own passwords. */
function passwordsThrough(transactions: Transactions) {
  return methodsOf<PersonStorage>(transactions).writes({
    *acceptInvitation(hash, now, passwordHash) {
      const id = yield* ACCEPT.one(hash, now, passwordHash);
      if (id === undefined) return false;
      yield* END_SESSIONS.run(id, '');
      yield* noteAudit('person.updated', { id }, NEW_PASSWORD, { at: now, keyId: id });
      return true;
    },
    *changePassword({ id, at, oldHash, newHash, sessionHash }) {
      const isChanged = yield* CHANGE_PASSWORD.one(id, oldHash, newHash, sessionHash);
      if (isChanged === undefined) return false;
      yield* END_SESSIONS.run(id, sessionHash);
      yield* noteAudit('person.updated', { id }, NEW_PASSWORD, { at, keyId: id });
      return true;
    },
  });
}

function* create(
  { name, email, role }: NewPerson,
  stamp: ChangeStamp,
  { hash, expiresAt }: NewInvitation,
): Work<Person> {
  yield* requireFreeEmail(email);
  const { id } = yield* createKey({
    // A person has no key: this is the hash of a text that no key can be.
    hash: hashKey(hash),
    name,
    plan: 'staff',
    perMinute: null,
    perDay: null,
    scopes: ROLES[role],
    createdAt: stamp.at,
    expiresAt: null,
  });
  yield* INSERT.run(id, email, foldEmail(email), hash, expiresAt);
  yield* noteAudit('person.created', { id }, changed(undefined, { name, email, role }), stamp);
  return yield* BY_ID.only(id);
}

/** People. */
export function createPersonStorage(transactions: Transactions): PersonStorage {
  const { reads, writes } = methodsOf<PersonStorage>(transactions);
  return {
    ...reads({
      page: (request) => listed(LIST, request),
      find: (id) => BY_ID.one(id),
      staff: (request) => listed(STAFF, request, [IS_STAFF]),
      *languages(emails) {
        const found = yield* LANGUAGES.all(JSON.stringify(emails.map(foldEmail)));
        return new Map(found.map(({ email, language }) => [email, language]));
      },
      findByEmail: (email) => BY_EMAIL.one(foldEmail(email)),
      findPassword: (id) => PASSWORD.one(id),
      findInvited: (hash, now) => INVITED.one(hash, now),
    }),
    ...writes({
      create,
      *update(id, stamp, change) {
        const known = yield* lock(id, stamp.at);
        if (known === undefined) return undefined;
        const { name, email, role, language } = change(known.person);
        if (known.person.removedAt !== null) throw personRemoved(id);
        yield* requireFreeEmail(email, id);
        // Scopes that a role would not change stay: a role may have got more since.
        const scopes = role === known.person.role ? known.key.scopes : ROLES[role];
        if (role !== 'manager') yield* requireManagerBeside(known.person);
        yield* SAVE_KEY.run(id, name, scopes.join());
        yield* SAVE.run(id, email, foldEmail(email), language);
        // The invitation went to an address that is no longer theirs.
        if (foldEmail(email) !== foldEmail(known.person.email)) yield* INVITE.run(id, null, null);
        const fields = changed(known.person, { name, email, role, language });
        if (Object.keys(fields).length > 0)
          yield* noteAudit('person.updated', { id }, fields, stamp);
        return yield* BY_ID.only(id);
      },
      *invite(id, stamp, { hash, expiresAt }) {
        const known = yield* lock(id, stamp.at);
        if (known === undefined) return undefined;
        if (known.person.removedAt !== null) throw personRemoved(id);
        yield* INVITE.run(id, hash, expiresAt);
        yield* noteAudit('person.invited', { id }, {}, stamp);
        return yield* BY_ID.only(id);
      },
      *remove(id, stamp, precondition) {
        const known = yield* lock(id, stamp.at);
        if (known === undefined) return undefined;
        precondition(known.person);
        if (known.person.removedAt !== null) return known.person;
        if (stamp.keyId !== null) yield* requireManagerBeside(known.person);
        yield* noteAudit('person.removed', { id }, changed(known.person, undefined), stamp);
        yield* REVOKE.run(id, stamp.at);
        yield* FORGET.run(id);
        yield* END_SESSIONS.run(id, '');
        return yield* BY_ID.only(id);
      },
    }),
    ...passwordsThrough(transactions),
  };
}
