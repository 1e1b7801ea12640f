import * as z from 'zod';
import { KEY_NAME_MAX } from '../../domain/api-key.ts';
import { DAY_MS } from '../../domain/clock.ts';
import {
  EMAIL_MAX,
  EMAIL_PATTERN,
  emailProblem,
  emailTaken,
  INVITATION_MS,
  invitationAddress,
  issueInvitation,
  lastManager,
  PERSON_STATUSES,
  type Person,
  personRemoved,
  personStatus,
  ROLE_NAMES,
  STAFF_LANGUAGES,
  type StaffMember,
} from '../../domain/person.ts';
import { changes, creates, lists, removes, removing, shows, takes } from '../contract/bodies.ts';
import { listPage, pageOf, pageQuery } from '../contract/list-page.ts';
import { defineOperation, Missing, operationsNamed, type Result } from '../contract/operation.ts';
import { requireMatch, tagOf } from '../contract/precondition.ts';
import { int64InPath, nameInBody, oneOf, textInBody } from '../contract/request-fields.ts';
import {
  assignedIdOut,
  nameOut,
  recordOut,
  timeOut,
  withTimeTexts,
} from '../contract/response-fields.ts';
import { shownOnce } from '../contract/shown-once.ts';

const NAME = 'What the person is called.';
const EMAIL = 'The e-mail address that the person signs in with.';
const ROLE =
  'What the person may do: a `viewer` reads, a `volunteer` reads and writes, a `manager` does everything.';
const LANGUAGE =
  'The language of the console and of mails for the person, or null: as the browser says, and mails in that of the shop.';
const DAYS = INVITATION_MS / DAY_MS;

const personFields = () => ({
  id: assignedIdOut('Unique identifier: the id of a key, under which the person makes changes.'),
  name: nameOut(NAME, KEY_NAME_MAX),
  email: z.string().meta({ description: EMAIL, maxLength: EMAIL_MAX, pattern: EMAIL_PATTERN }),
  role: z.enum(ROLE_NAMES).meta({ description: ROLE }),
  language: z.enum(STAFF_LANGUAGES).nullable().meta({ description: LANGUAGE }),
  status: z.enum(PERSON_STATUSES).meta({
    description: 'Whether the person can sign in: `invited` until they have chosen a password.',
  }),
  createdAt: timeOut('When the person was added'),
  lastSignInAt: timeOut('When the person last signed in, or null').nullable(),
  removedAt: timeOut('When the person was removed, or null').nullable(),
  invitedUntil: timeOut('Until when an unused invitation can be used, or null').nullable(),
});

const personSchema = recordOut('Person', 'Somebody who works here.', personFields);
const invitedSchema = recordOut('InvitedPerson', 'Somebody with a new invitation.', () => ({
  ...personFields(),
  invitation: z.string().meta({
    description:
      'The address where the person chooses a password, once. Send it to them: it cannot be shown again.',
    format: 'uri',
    maxLength: 2_048,
  }),
}));

const staffSchema = recordOut(
  'StaffMember',
  'Somebody who works here and may answer enquiries.',
  () => ({ id: assignedIdOut('Id of the person.'), name: nameOut(NAME, KEY_NAME_MAX) }),
);

const MARIA = {
  id: 7n,
  name: 'Maria',
  email: 'maria@example.org',
  role: 'volunteer',
  language: 'de',
  status: 'active',
  createdAt: '2026-11-21T15:04:05.000Z',
  lastSignInAt: '2026-11-23T08:01:12.000Z',
  removedAt: null,
  invitedUntil: null,
};
const INVITED_MARIA = {
  ...MARIA,
  language: null,
  status: 'invited',
  lastSignInAt: null,
  invitedUntil: '2026-11-28T15:04:05.000Z',
  invitation:
    'https://petstore.example/console/invitation#petstore_invite_ExampleInvitationExampleInvitationExample0',
};

const fields = {
  name: nameInBody(NAME, KEY_NAME_MAX),
  email: textInBody(emailProblem, EMAIL, EMAIL_MAX, EMAIL_PATTERN),
  role: oneOf(ROLE_NAMES).meta({ description: ROLE }),
};
const newPersonSchema = z
  .object(fields)
  .meta({ id: 'NewPerson', description: 'Somebody who is to work here.' });
const personChangeSchema = z
  .object(fields)
  .partial()
  .meta({ id: 'PersonChange', description: 'The changes to make to a person.' });

const personPath = z.object({ personId: int64InPath('Id of the person.') });
const NO_SUCH_PERSON = new Missing('person_not_found', 'person');

function personValue(person: Person) {
  const { id, name, email, role, language, createdAt, lastSignInAt, removedAt, invitedUntil } =
    person;
  const times = withTimeTexts({ createdAt, lastSignInAt, removedAt, invitedUntil });
  return { id, name, email, role, language, status: personStatus(person), ...times };
}

function personResult(person: Person | undefined): Result {
  return { value: personValue(NO_SUCH_PERSON.orThrow(person)) };
}

const shown = shownOnce(
  (id) =>
    `An earlier request with this Idempotency-Key invited person ${id}, and the invitation is not shown again: if you did not get it, invite person ${id} with another Idempotency-Key.`,
);

function invitedResult(person: Person, secret: string, baseUrl: string): Result {
  return shown.resultOf(person.id, `${baseUrl}/people/${person.id}`, async () => {
    const value = { ...personValue(person), invitation: invitationAddress(baseUrl, secret) };
    return { value, headers: { etag: tagOf(personValue(person)) } };
  });
}

const shared = { access: 'admin', stability: 'beta', tag: 'People' } as const;
const onPerson = {
  ...shared,
  path: '/people/{personId}',
  pathParameters: personPath,
  missing: NO_SUCH_PERSON,
} as const;

export const peopleOperations = operationsNamed({
  listPeople: defineOperation({
    ...shared,
    method: 'GET',
    path: '/people',
    summary: 'List people',
    description:
      'Lists people in ascending order of id, including those who were removed. Follow the Link header for more pages.',
    queryParameters: pageQuery,
    success: lists(
      'A page of people.',
      pageOf(personSchema, 'People', 'People in ascending order of id.'),
      [MARIA],
    ),
    async handle({ query }, { storage, baseUrl }) {
      const list = listPage({ baseUrl, path: '/people', query });
      const page = await storage.people.page(list.request);
      return list.result(page, personValue);
    },
  }),
  createPerson: defineOperation({
    ...shared,
    grantsAccess: true,
    method: 'POST',
    path: '/people',
    summary: 'Add a person',
    description: `Adds a person, with an invitation that is good for ${DAYS} days and one use: the address of a page where they choose a password. The response is the only one that contains it: a repeat with the same \`Idempotency-Key\` adds nobody and is 409. In the console, only within five minutes of signing in.`,
    body: takes('The person to add.', newPersonSchema, {
      name: MARIA.name,
      email: MARIA.email,
      role: MARIA.role,
    }),
    success: creates('Person added.', invitedSchema, INVITED_MARIA),
    failures: { conflict: emailTaken().message },
    async handle({ body, stamp }, { storage, baseUrl }) {
      const { secret, invitation } = issueInvitation(stamp.at);
      const person = await storage.people.create(body, stamp, invitation);
      return invitedResult(person, secret, baseUrl);
    },
    restore: shown.restore,
  }),
  getPerson: defineOperation({
    ...onPerson,
    method: 'GET',
    summary: 'Get a person',
    description: 'Returns what is known about a person, also about one who was removed.',
    success: shows('The requested person.', personSchema, MARIA),
    handle: async ({ path }, { storage }) => personResult(await storage.people.find(path.personId)),
  }),
  updatePerson: defineOperation({
    ...onPerson,
    grantsAccess: true,
    method: 'PATCH',
    summary: 'Change a person',
    description:
      'Changes the name, e-mail address or role of a person (JSON merge patch, RFC 7396), on every instance within a second. Another e-mail address ends an open invitation. The last manager who has a password keeps that role. In the console, only within five minutes of signing in.',
    body: changes('The members to change.', personChangeSchema, { role: 'manager' }),
    success: shows('The changed person.', personSchema, { ...MARIA, role: 'manager' }),
    failures: { conflict: lastManager(MARIA).message },
    async handle({ path, body, stamp, ifMatch }, { storage }) {
      const check = requireMatch(ifMatch, personValue);
      const updated = storage.people.update(path.personId, stamp, (person) => {
        check(person);
        const { name = person.name, email = person.email, role = person.role } = body;
        return { ...person, name, email, role };
      });
      return personResult(await updated);
    },
  }),
  removePerson: defineOperation({
    ...onPerson,
    method: 'DELETE',
    summary: 'Remove a person',
    description:
      'Ends all sessions of a person, on every instance within a second. The person cannot sign in again, stays in the list as long as the audit goes back, and the e-mail address can be used for somebody else. The last manager who has a password is not removed.',
    success: removes('Person removed.'),
    failures: { conflict: lastManager(MARIA).message },
    handle({ path, stamp, ifMatch }, { storage }) {
      const check = requireMatch(ifMatch, personValue);
      return removing(NO_SUCH_PERSON, storage.people.remove(path.personId, stamp, check));
    },
  }),
  invitePerson: defineOperation({
    ...onPerson,
    grantsAccess: true,
    method: 'POST',
    path: '/people/{personId}/invitation',
    summary: 'Invite a person again',
    description: `Makes a new invitation, for somebody who did not use the first one or has forgotten the password. It is good for ${DAYS} days and one use, and ends earlier ones. The password stays until the person has chosen another one, which ends their sessions. The response is the only one that contains the invitation. In the console, only within five minutes of signing in.`,
    success: creates('Invitation made.', invitedSchema, INVITED_MARIA),
    failures: { conflict: personRemoved(7n).message },
    async handle({ path, stamp }, { storage, baseUrl }) {
      const { secret, invitation } = issueInvitation(stamp.at);
      const person = await storage.people.invite(path.personId, stamp, invitation);
      return invitedResult(NO_SUCH_PERSON.orThrow(person), secret, baseUrl);
    },
    restore: shown.restore,
  }),
  listStaff: defineOperation({
    access: 'write',
    tag: 'People',
    stability: 'experimental',
    method: 'GET',
    path: '/staff',
    summary: 'List who may answer enquiries',
    description:
      'Lists the people who work here and have the scope `write`, by id and name alone: who can take care of an enquiry. Follow the Link header for more pages.',
    queryParameters: pageQuery,
    success: lists(
      'A page of people.',
      pageOf(staffSchema, 'Staff', 'People in ascending order of id.'),
      [{ id: 7n, name: 'Maria' }],
    ),
    async handle({ query }, { storage, baseUrl }) {
      const list = listPage({ baseUrl, path: '/staff', query });
      const page = await storage.people.staff(list.request);
      return list.result(page, ({ id, name }: StaffMember) => ({ id, name }));
    },
  }),
});
