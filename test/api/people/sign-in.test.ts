import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import {
  addPerson,
  invitePerson,
  PASSWORD,
  signedIn,
  type TestPerson,
} from '../../support/people.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';
import { createVisitor, type Visitor } from '../../support/visitor.ts';

let petstore: TestPetstore;
beforeAll(async () => {
  const settings = { PETSTORE_TRUSTED_PROXIES: '127.0.0.1', PETSTORE_ANONYMOUS_PER_MINUTE: '1000' };
  petstore = await startPetstore({ settings });
});
afterAll(() => petstore[Symbol.asyncDispose]());

const visit = () => createVisitor(() => petstore.url);
const from = (address: string) => ({ 'x-forwarded-for': address });

/** Tries to sign in. Without an address it comes from that of the test. */
function attempt(email: string, password: string, address = '198.51.100.1') {
  return visit().post('/console/session', { email, password }, from(address));
}

test('a person signs in by e-mail and password, and acts under their own name', async () => {
  const person = await addPerson(petstore, { name: 'Zoë', role: 'volunteer' });
  const visitor = visit();
  const email = ` ${person.email.toUpperCase()} `;
  const answer = await visitor.post('/console/session', { email, password: PASSWORD });
  expect(answer.status).toBe(204);
  expect(answer.headers.getSetCookie()[0]).toContain('HttpOnly; SameSite=Strict');
  const usage = JSON.parse((await visitor.get('/v1/usage')).text);
  expect(usage).toMatchObject({
    key: { id: person.id, name: 'Zoë', scopes: ['read', 'write'] },
    plan: 'staff',
    minute: { limit: 1_000 },
  });
  const added = await visitor.post('/v1/pets', { name: 'Rex', categoryId: 1 });
  expect(added.status).toBe(201);
  expectError(await visitor.get('/v1/people'), 'insufficient_scope');
  const { admin, clock } = petstore;
  const shown = JSON.parse((await admin.get(`/v1/people/${person.id}`)).text);
  expect(shown).toMatchObject({
    status: 'active',
    lastSignInAt: new Date(clock.now()).toISOString(),
  });
});

test.each([
  ['NUL', 'a\u0000@b.co'],
  ['no address', 'maria'],
  ['half a character', '\ud800@b.co'],
])('an address with %s is one that nobody has', async (_, email) => {
  expectError(await attempt(email, PASSWORD, '198.51.100.99'), 'wrong_password');
});

test('composed and decomposed letters are the same password', async () => {
  const { invitation, email } = await invitePerson(petstore);
  const password = 'Café Müller Straße';
  await visit().post('/console/invitation', { invitation, password: password.normalize('NFD') });
  expect((await attempt(email, password.normalize('NFC'))).status).toBe(204);
});

test('whoever cannot sign in gets the same answer', async () => {
  const { admin } = petstore;
  const active = await addPerson(petstore);
  const invited = await invitePerson(petstore);
  const removed = await addPerson(petstore);
  await admin.delete(`/v1/people/${removed.id}`);
  const answers = [
    await attempt('nobody@example.org', PASSWORD),
    await attempt(active.email, `${PASSWORD}.`),
    await attempt(invited.email, PASSWORD),
    await attempt(removed.email, PASSWORD),
  ];
  for (const answer of answers) {
    expect(expectError(answer, 'wrong_password')).toBe(
      'The e-mail address or the password is wrong.',
    );
    expect(answer.headers.has('set-cookie')).toBe(false);
  }
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
});

test.each<[object, 'invalid_body' | 'body_too_large']>([
  [{}, 'invalid_body'],
  [{ email: 'a@b.org' }, 'invalid_body'],
  [{ email: 'a@b.org', password: 7 }, 'invalid_body'],
  [{ email: 'a@b.org', password: '' }, 'invalid_body'],
  [{ email: 'a@b.org', password: 'x'.repeat(2_001) }, 'invalid_body'],
  [{ email: 'a@b.org', password: 'x'.repeat(20_000) }, 'body_too_large'],
])('a sign-in with %p is refused', async (body, code) => {
  const answer = await visit().post('/console/session', body, from('198.51.100.2'));
  expectError(answer, code);
});

describe('wrong sign-ins', () => {
  async function fail(person: TestPerson, times: number, address: string): Promise<void> {
    for (let n = 0; n < times; n++) {
      expectError(await attempt(person.email, 'a wrong password', address), 'wrong_password');
    }
  }

  test('end after ten in an hour for an account from an address, and only there', async () => {
    const person = await addPerson(petstore);
    const here = '203.0.113.7';
    await fail(person, 10, here);
    const refused = await attempt(person.email, PASSWORD, here);
    expect(expectError(refused, 'too_many_sign_ins')).toContain('try again in 60 minutes');
    expect(refused.headers.get('retry-after')).toBe('3600');
    // Its owner elsewhere, and others here.
    expect((await attempt(person.email, PASSWORD, '203.0.113.8')).status).toBe(204);
    const other = await addPerson(petstore);
    expect((await attempt(other.email, PASSWORD, here)).status).toBe(204);
    petstore.clock.advance(HOUR_MS);
    expect((await attempt(person.email, PASSWORD, here)).status).toBe(204);
  });

  test('begin at zero after a right one, and after a new password', async () => {
    const person = await addPerson(petstore);
    const here = '203.0.113.9';
    await fail(person, 9, here);
    expect((await attempt(person.email, PASSWORD, here)).status).toBe(204);
    await fail(person, 10, here);
    const again = await petstore.admin.post(`/v1/people/${person.id}/invitation`, {});
    const invitation = new URL(JSON.parse(again.text).invitation).hash.slice(1);
    const accepted = { invitation, password: 'another good password' };
    await visit().post('/console/invitation', accepted, from(here));
    expect((await attempt(person.email, 'another good password', here)).status).toBe(204);
  });

  test('at the same time are not more than ten', async () => {
    const person = await addPerson(petstore);
    const tries = Array.from({ length: 15 }, () =>
      attempt(person.email, 'a wrong password', '203.0.113.10'),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)]);
  });

  test('are charged to the address', async () => {
    const settings = { PETSTORE_ANONYMOUS_PER_MINUTE: '3' };
    await using strict = await startPetstore({ settings });
    const person = await addPerson(strict);
    const sent = () =>
      createVisitor(() => strict.url).post('/console/session', {
        email: person.email,
        password: 'a wrong password',
      });
    expectError(await sent(), 'wrong_password');
    expectError(await sent(), 'wrong_password');
    expectError(await sent(), 'rate_limit_minute');
    strict.clock.advance(MINUTE_MS);
    await signedIn(strict, person);
  });

  test('are logged, however few requests are, without e-mail or password', async () => {
    const settings = { PETSTORE_LOG_SAMPLE: '0' };
    await using quiet = await startPetstore({ settings });
    const person = await addPerson(quiet);
    await createVisitor(() => quiet.url).post('/console/session', {
      email: person.email,
      password: 'a wrong password',
    });
    await signedIn(quiet, person);
    await quiet.admin.get('/v1/pets');
    // The lines of two workers come in any order.
    const logged = () =>
      quiet.log
        .map((line) => JSON.parse(line))
        .filter(({ path }) => path !== undefined)
        .map(({ method, path, status, keyId }) => `${method} ${path} ${status} ${keyId}`)
        .sort();
    await eventually(logged, ({ length }) => length === 4);
    expect(logged()).toEqual([
      'POST /console/invitation 204 undefined',
      `POST /console/session 204 ${person.id}`,
      'POST /console/session 401 undefined',
      expect.stringMatching(/^POST \/v1\/people 201 \d+$/),
    ]);
    const log = quiet.log.join();
    for (const secret of [PASSWORD, 'a wrong password', person.email, person.invitation]) {
      expect(log).not.toContain(secret);
    }
  });
});

describe('one’s own account', () => {
  const change = (visitor: Visitor, current: string, password: string) =>
    visitor.post('/console/password', { current, password });
  const sessions = async (visitor: Visitor) =>
    JSON.parse((await visitor.get('/console/sessions')).text);

  test('has another password, which ends the other sessions', async () => {
    const person = await addPerson(petstore);
    const [here, there] = [await signedIn(petstore, person), await signedIn(petstore, person)];
    expectError(await change(here, 'a wrong password', 'a new password!'), 'wrong_password');
    expect(expectError(await change(here, PASSWORD, 'short'), 'invalid_body')).toBe(
      'password must have at least 12 characters.',
    );
    expect((await change(here, PASSWORD, 'a new password!')).status).toBe(204);
    petstore.clock.advance(SECOND_MS);
    expect((await here.get('/v1/pets')).status).toBe(200);
    expectError(await there.get('/v1/pets'), 'invalid_api_key');
    await signedIn(petstore, person, 'a new password!');
  });

  test('has a list of sessions, which end one by one', async () => {
    const person = await addPerson(petstore);
    const [here, there] = [await signedIn(petstore, person), await signedIn(petstore, person)];
    const listed = await sessions(here);
    expect(listed).toHaveLength(2);
    const at = new Date(petstore.clock.now()).toISOString();
    for (const one of listed) {
      expect(one).toMatchObject({ createdAt: at, lastUsedAt: at });
      expect(one.id).toMatch(/^[0-9a-f]{16}$/);
    }
    const other = listed.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent);
    const path = `/console/sessions/${other.id}`;
    const foreign = await signedIn(petstore, await addPerson(petstore));
    expect((await foreign.send('DELETE', path)).status).toBe(204);
    expect(await sessions(here)).toHaveLength(2);
    expect((await here.send('DELETE', path)).status).toBe(204);
    petstore.clock.advance(SECOND_MS);
    expectError(await there.get('/v1/pets'), 'invalid_api_key');
    expect(await sessions(here)).toEqual([expect.objectContaining({ isCurrent: true })]);
  });

  test('is only for the page itself, and for whoever is signed in', async () => {
    const visitor = await signedIn(petstore, await addPerson(petstore));
    const headers = { 'sec-fetch-site': 'same-site' };
    for (const [method, path] of [
      ['GET', '/console/sessions'],
      ['DELETE', '/console/sessions/0000'],
      ['POST', '/console/password'],
    ] as const) {
      const body = method === 'POST' ? '{}' : undefined;
      expectError(await visitor.send(method, path, body, headers), 'cross_site_request');
      expectError(await visit().send(method, path, body), 'missing_api_key');
      const authorization = `Bearer ${petstore.admin.key}`;
      expectError(await visitor.send(method, path, body, { authorization }), 'missing_api_key');
      expectError(await visitor.send('PUT', path), 'method_not_allowed');
    }
    const byKey = visit();
    await byKey.signIn(petstore.admin.key);
    expect(expectError(await change(byKey, 'x', 'y'), 'conflict')).toContain('no password');
    expect(await sessions(byKey)).toHaveLength(1);
  });
});

test('somebody who is removed is out within a second, and stays out', async () => {
  const person = await addPerson(petstore);
  const visitor = await signedIn(petstore, person);
  expect((await visitor.get('/v1/pets')).status).toBe(200);
  expect((await petstore.admin.delete(`/v1/people/${person.id}`)).status).toBe(204);
  petstore.clock.advance(SECOND_MS);
  expectError(await visitor.get('/v1/pets'), 'invalid_api_key');
  expectError(await attempt(person.email, PASSWORD, '198.51.100.3'), 'wrong_password');
});

test('a new role counts within a second', async () => {
  // One manager stays.
  await addPerson(petstore, { role: 'manager' });
  const person = await addPerson(petstore, { role: 'manager' });
  const visitor = await signedIn(petstore, person);
  expect((await visitor.get('/v1/keys')).status).toBe(200);
  await petstore.admin.patch(`/v1/people/${person.id}`, { role: 'viewer' });
  petstore.clock.advance(SECOND_MS);
  expectError(await visitor.get('/v1/keys'), 'insufficient_scope');
});
