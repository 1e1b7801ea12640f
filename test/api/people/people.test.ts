import { describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { hashKey } from '../../../src/domain/secrets.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { addPerson, invitePerson, PASSWORD, secretOf, signedIn } from '../../support/people.ts';
import { startPetstore } from '../../support/start.ts';
import { createVisitor } from '../../support/visitor.ts';

const petstore = forAllTests(() => startPetstore());

const ANA = { name: 'Ana', email: 'Ana@Example.org', role: 'viewer' };

test('a person is added, listed, changed and removed', async () => {
  const { admin, baseUrl, url, clock } = petstore;
  const added = await admin.post('/v1/people', ANA);
  expect(added.status).toBe(201);
  const { invitation, ...person } = JSON.parse(added.text);
  expect(person).toEqual({
    id: expect.any(Number),
    ...ANA,
    language: null,
    status: 'invited',
    createdAt: new Date(clock.now()).toISOString(),
    lastSignInAt: null,
    removedAt: null,
    invitedUntil: new Date(clock.now() + 7 * DAY_MS).toISOString(),
  });
  expect(invitation).toStartWith(`${url}/console/invitation#petstore_invite_`);
  expect(added.headers.get('cache-control')).toBe('no-store');
  expect(added.headers.get('location')).toBe(`${baseUrl}/people/${person.id}`);

  const path = `/v1/people/${person.id}`;
  const shown = await admin.get(path);
  expect(JSON.parse(shown.text)).toEqual(person);
  expect(added.headers.get('etag')).toBe(shown.headers.get('etag') ?? '');
  expect(JSON.parse((await admin.get('/v1/people')).text)).toContainEqual(person);
  const keys = JSON.parse((await admin.get('/v1/keys?limit=100')).text);
  expect(keys.map(({ id }: { id: number }) => id)).not.toContain(person.id);
  const key = JSON.parse((await admin.get(`/v1/keys/${person.id}`)).text);
  expect(key).toMatchObject({ name: 'Ana', plan: 'staff', scopes: ['read'], perMinute: 1_000 });

  const etag = shown.headers.get('etag') ?? '';
  const change = { name: 'Ana B.', role: 'manager' };
  const changed = await admin.patch(path, change, { 'if-match': etag });
  expect(JSON.parse(changed.text)).toEqual({ ...person, ...change });
  expectError(await admin.patch(path, { name: 'C' }, { 'if-match': etag }), 'precondition_failed');
  expectError(await admin.delete(path, { 'if-match': etag }), 'precondition_failed');
  expect((await admin.delete(path)).status).toBe(204);
  expect((await admin.delete(path)).status).toBe(204);
  const gone = JSON.parse((await admin.get(path)).text);
  expect(gone).toMatchObject({ status: 'removed', removedAt: expect.any(String) });
  expect(expectError(await admin.patch(path, { name: 'D' }), 'conflict')).toContain('was removed');
  expect((await admin.post('/v1/people', { ...ANA, email: 'ana@example.org' })).status).toBe(201);
});

test('people are not keys that one changes, rotates or revokes', async () => {
  const { admin } = petstore;
  const { id } = await invitePerson(petstore);
  const path = `/v1/keys/${id}`;
  for (const answer of [
    await admin.patch(path, { name: 'x' }),
    await admin.delete(path),
    await admin.post(`${path}/rotate`, {}),
  ]) {
    expect(expectError(answer, 'conflict')).toBe(`Key ${id} is a person: change that person.`);
  }
  expect((await admin.post(`${path}/unban`, {})).status).toBe(200);
  expect((await admin.get(`${path}/usage`)).status).toBe(200);
  expectError(await admin.get('/v1/people/1'), 'person_not_found');
});

test.each([
  [{ email: 'ana' }, 'email must be an e-mail address like maria@example.org'],
  [{ email: 'a b@example.org' }, 'email must be an e-mail address'],
  [{ email: `${'a'.repeat(250)}@b.org` }, 'email must have at most 254 characters'],
  [{ role: 'boss' }, 'role must be one of viewer, volunteer, manager'],
  [{ name: '' }, 'name must not be empty'],
])('a person with %o is refused', async (part, problem) => {
  const sent = await petstore.admin.post('/v1/people', { ...ANA, email: 'b@example.org', ...part });
  expect(expectError(sent, 'invalid_body')).toContain(problem);
});

describe('an invitation', () => {
  const accept = (invitation: string, password = PASSWORD) =>
    createVisitor(() => petstore.url).post('/console/invitation', { invitation, password });

  test('is shown once, and only its hash is stored', async () => {
    const { admin, database } = petstore;
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const body = { ...ANA, email: 'once@example.org' };
    const first = await admin.post('/v1/people', body, headers);
    const { id, invitation } = JSON.parse(first.text);
    const message = expectError(await admin.post('/v1/people', body, headers), 'conflict');
    expect(message).toContain(`invited person ${id}`);
    const secret = secretOf(invitation);
    const tables = ['people', 'api_keys', 'idempotent_results'];
    const rows = await Promise.all(tables.map((name) => database.sql(`SELECT * FROM ${name}`)));
    const stored = JSON.stringify(rows.flat().map((row) => Object.values(row).map(String)));
    expect(stored).toContain(hashKey(secret));
    expect(stored).not.toContain(secret);
    expect(petstore.log.join()).not.toContain(secret);
  });

  test('sets a password, once, and ends the sessions of the person', async () => {
    const person = await addPerson(petstore);
    expectError(await accept(person.invitation), 'invalid_invitation');
    const visitor = await signedIn(petstore, person);
    expect((await visitor.get('/v1/pets')).status).toBe(200);
    const again = await petstore.admin.post(`/v1/people/${person.id}/invitation`, {});
    expect(again.status).toBe(201);
    // The password stays until there is another one.
    await signedIn(petstore, person);
    const { invitation } = JSON.parse(again.text);
    expect((await accept(secretOf(invitation), 'another good password')).status).toBe(204);
    petstore.clock.advance(1_000);
    expectError(await visitor.get('/v1/pets'), 'invalid_api_key');
    await signedIn(petstore, person, 'another good password');
    const old = createVisitor(() => petstore.url);
    const { email } = person;
    expectError(
      await old.post('/console/session', { email, password: PASSWORD }),
      'wrong_password',
    );
  });

  test.each([
    ['short', 'must have at least 12 characters'],
    ['x'.repeat(1_001), 'must have at most 1000 characters'],
    ['Password 1234', 'is too common'],
    ['aaaaaaaaaaaaaaa', 'is too common'],
    ['Maria Magdalena', 'must not be your name or e-mail address'],
    ['maria.magdalena', 'must not be your name or e-mail address'],
  ])('stays if the password is refused: %s', async (password, problem) => {
    const email = `maria.magdalena@${crypto.randomUUID()}.example.org`;
    const { invitation } = await invitePerson(petstore, { name: 'Maria Magdalena', email });
    expect(expectError(await accept(invitation, password), 'invalid_body')).toBe(
      `password ${problem}${problem.startsWith('is') ? ': others would guess it' : ''}.`,
    );
    expect((await accept(invitation)).status).toBe(204);
  });

  test('ends when the e-mail address changes, since it went to the old one', async () => {
    const person = await invitePerson(petstore, { role: 'manager' });
    const { id, invitation } = person;
    await petstore.admin.patch(`/v1/people/${id}`, { name: 'Still invited' });
    const kept = JSON.parse((await petstore.admin.get(`/v1/people/${id}`)).text);
    expect(kept.invitedUntil).toEqual(expect.any(String));
    const { text } = await petstore.admin.patch(`/v1/people/${id}`, { email: `b.${person.email}` });
    expect(JSON.parse(text).invitedUntil).toBeNull();
    expectError(await accept(invitation), 'invalid_invitation');
  });

  test('ends after seven days, with a newer one and with the person', async () => {
    const { admin, clock } = petstore;
    const late = await invitePerson(petstore);
    clock.advance(7 * DAY_MS);
    expectError(await accept(late.invitation), 'invalid_invitation');
    const replaced = await invitePerson(petstore);
    await admin.post(`/v1/people/${replaced.id}/invitation`, {});
    expectError(await accept(replaced.invitation), 'invalid_invitation');
    const removed = await invitePerson(petstore);
    await admin.delete(`/v1/people/${removed.id}`);
    expectError(await accept(removed.invitation), 'invalid_invitation');
    expectError(await accept('petstore_invite_unknown'), 'invalid_invitation');
  });

  test('is taken from the page of the console alone, and not over an open network', async () => {
    const { invitation } = await invitePerson(petstore);
    const visitor = createVisitor(() => petstore.url);
    const send = (headers: Record<string, string>) =>
      visitor.post('/console/invitation', { invitation, password: PASSWORD }, headers);
    expectError(await send({ 'sec-fetch-site': 'cross-site' }), 'cross_site_request');
    expectError(await send({ host: 'petstore.example' }), 'insecure_connection');
    expect((await send({})).status).toBe(204);
  });
});
