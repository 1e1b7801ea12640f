import { describe, expect, test } from 'bun:test';
import { generateKey } from '../../../src/domain/api-key.ts';
import { hashKey, secureRandomBytes } from '../../../src/domain/secrets.ts';
import { numbered } from '../../storage/change-recorder.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';
import { createVisitor } from '../../support/visitor.ts';

const PATH = '/console/session';
const REX = { name: 'Rex', categoryId: 1 };

const petstore = forAllTests(() => startPetstore());

const visit = () => createVisitor(() => petstore.url);

describe('signing in', () => {
  test('gives a cookie that scripts cannot read and other sites cannot use', async () => {
    const visitor = visit();
    const response = await visitor.signIn(petstore.writer.key);
    expect({ status: response.status, text: response.text }).toEqual({ status: 204, text: '' });
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^petstore_session=petstore_session_[0-9A-Za-z]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('makes requests with the cookie requests by the key', async () => {
    const { client, id, text } = await petstore.keyWith({ name: 'Zoë', scopes: ['write'] });
    const visitor = visit();
    await visitor.signIn(text);
    const usage = JSON.parse((await visitor.get('/v1/usage')).text);
    expect(usage.key).toMatchObject({ id: Number(id), name: 'Zoë', scopes: ['write'] });
    const added = await visitor.post('/v1/pets', REX);
    expect(added.status).toBe(201);
    const { id: petId } = JSON.parse(added.text);
    const changed = '{"status":"sold"}';
    expect((await visitor.send('PATCH', `/v1/pets/${petId}`, changed)).status).toBe(200);
    await numbered(petstore.storage.changes);
    const history = JSON.parse((await visitor.get(`/v1/pets/${petId}/history`)).text);
    const actor = { keyId: Number(id), name: 'Zoë' };
    const line = history.find(({ type }: { type: string }) => type === 'pet.updated');
    expect(line).toMatchObject({ changes: { status: ['available', 'sold'] }, actor });
    expect((await visitor.send('DELETE', `/v1/pets/${petId}`)).status).toBe(204);
    expectError(await visitor.get('/v1/keys'), 'insufficient_scope');
    const sent = async () => (await petstore.storage.usage.list(id, RANGE(petstore)))[0]?.requests;
    // The sign-in, and all but /usage, which is unmetered.
    expect(await eventually(sent, (count) => (count ?? 0) >= 6)).toBe(6);
    const remaining = JSON.parse((await client.get('/v1/usage')).text).minute.remaining;
    expect(remaining).toBe(1_000_000 - 6);
  });

  test('stores only the hash of the token', async () => {
    const visitor = visit();
    await visitor.signIn(petstore.reader.key);
    const token = visitor.cookie()?.split('=')[1] ?? '';
    const rows = await petstore.database.sql('SELECT * FROM sessions');
    expect(rows.map(({ hash }) => hash)).toContain(hashKey(token));
    expect(JSON.stringify(rows.map((row) => Object.values(row).map(String)))).not.toContain(token);
  });

  test('accepts blanks around a pasted key', async () => {
    expect((await visit().signIn(` ${petstore.reader.key}\n`)).status).toBe(204);
  });

  test.each<[string, () => string]>([
    ['unknown', () => generateKey('production', secureRandomBytes)],
    ['malformed', () => `${petstore.reader.key}0`],
    ['of the other deployment', () => generateKey('staging', secureRandomBytes)],
    ['empty', () => ''],
  ])('with a key that is %s is refused, without a cookie', async (_, key) => {
    const visitor = visit();
    const response = await visitor.signIn(key());
    expectError(response, 'invalid_api_key');
    expect(response.headers.has('set-cookie')).toBe(false);
  });

  test.each<[string, string, 'invalid_body' | 'invalid_json' | 'body_too_large']>([
    ['nothing', '', 'invalid_json'],
    ['no JSON', '{', 'invalid_json'],
    ['a list', '[]', 'invalid_body'],
    ['no key', '{}', 'invalid_body'],
    ['a number', '{"key": 5}', 'invalid_body'],
    ['a very long key', JSON.stringify({ key: 'x'.repeat(256) }), 'invalid_body'],
    ['more than 16 kilobytes', JSON.stringify({ key: 'x'.repeat(16_384) }), 'body_too_large'],
  ])('with %s as the body is refused', async (_, body, code) => {
    expectError(await visit().send('POST', PATH, body), code);
  });

  test('with another type of body is refused, as a form of another site would send', async () => {
    const body = JSON.stringify({ key: petstore.reader.key });
    const headers = { 'content-type': 'text/plain' };
    expectError(await visit().send('POST', PATH, body, headers), 'unsupported_media_type');
  });

  test.each(['GET', 'HEAD', 'PUT', 'PATCH'])('%s is not allowed there', async (method) => {
    const response = await visit().send(method, PATH);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST, DELETE');
  });
});

describe('signing out', () => {
  test('ends the session and removes the cookie', async () => {
    const visitor = visit();
    await visitor.signIn(petstore.writer.key);
    const stolen = visitor.cookie() ?? '';
    expect((await visitor.get('/v1/pets')).status).toBe(200);
    const response = await visitor.signOut();
    expect(response.status).toBe(204);
    expect(response.headers.get('set-cookie')).toBe(
      'petstore_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    );
    expectError(await visit().get('/v1/pets', { cookie: stolen }), 'invalid_api_key');
    expectError(await visitor.get('/v1/pets'), 'missing_api_key');
  });

  test('works without a session, and twice', async () => {
    const visitor = visit();
    expect((await visitor.signOut()).status).toBe(204);
    await visitor.signIn(petstore.writer.key);
    const cookie = visitor.cookie() ?? '';
    expect((await visitor.signOut()).status).toBe(204);
    expect((await visitor.signOut({ cookie })).status).toBe(204);
  });

  test('leaves the sessions of others, also with the same key', async () => {
    const [one, two] = [visit(), visit()];
    await one.signIn(petstore.writer.key);
    await two.signIn(petstore.writer.key);
    await one.signOut();
    expect((await two.get('/v1/pets')).status).toBe(200);
  });
});

/** The hour of the test clock. */
const RANGE = ({ clock }: TestPetstore) =>
  ({ period: 'day', from: clock.now() - 86_400_000, to: clock.now() + 86_400_000 }) as const;
