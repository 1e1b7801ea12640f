import { describe, expect, test } from 'bun:test';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { addPerson, signedIn } from '../../support/people.ts';
import { startPetstore } from '../../support/start.ts';
import { createVisitor } from '../../support/visitor.ts';

const PATH = '/console/language';

describe('one’s own account', () => {
  const petstore = forAllTests(() => startPetstore());

  const inList = async (id: number) =>
    JSON.parse((await petstore.admin.get(`/v1/people/${id}`)).text);

  test('a person of any role changes their language, and nothing else', async () => {
    for (const role of ['viewer', 'volunteer', 'manager'] as const) {
      const { id, email } = await addPerson(petstore, { role });
      const before = await inList(id);
      const person = await signedIn(petstore, { email });
      const language = async () => JSON.parse((await person.get(PATH)).text);
      expect(await language()).toEqual({ language: null });
      const body = { language: 'de', role: 'manager', name: 'X', email: 'x@example.org' };
      expect((await person.post(PATH, body)).status).toBe(204);
      expect(await language()).toEqual({ language: 'de' });
      const after = await inList(id);
      expect(after).toEqual({ ...before, language: 'de', lastSignInAt: after.lastSignInAt });
      for (const wrong of [{ language: 'fr' }, { language: '' }, {}]) {
        expectError(await person.post(PATH, wrong), 'invalid_body');
      }
      await person.post(PATH, { language: null });
      expect(await language()).toEqual({ language: null });
    }
  });

  test('a key has no language, and nobody has without signing in', async () => {
    const visitor = createVisitor(() => petstore.url);
    expectError(await visitor.get(PATH), 'missing_api_key');
    expectError(await petstore.admin.post(PATH, { language: 'de' }), 'missing_api_key');
    await visitor.signIn(petstore.admin.key);
    expect(JSON.parse((await visitor.get(PATH)).text)).toEqual({ language: null });
    expectError(await visitor.post(PATH, { language: 'de' }), 'conflict');
    expectError(await visitor.send('DELETE', PATH), 'method_not_allowed');
  });

  test('who manages people leaves their language as it is', async () => {
    const { id, email } = await addPerson(petstore);
    await (await signedIn(petstore, { email })).post(PATH, { language: 'en' });
    const { text } = await petstore.admin.patch(`/v1/people/${id}`, {
      ...{ name: 'Other', language: 'de' },
    });
    expect(JSON.parse(text)).toMatchObject({ name: 'Other', language: 'en' });
  });

  test('those who may answer enquiries are listed for each other, by id and name alone', async () => {
    const kim = await addPerson(petstore, { name: 'Kim' });
    await addPerson(petstore, { name: 'Viewer', role: 'viewer' });
    const { text } = await petstore.writer.get('/v1/staff?limit=100');
    expect(JSON.parse(text)).toContainEqual({ id: kim.id, name: 'Kim' });
    expect(text).not.toContain('Viewer');
    expectError(await petstore.reader.get('/v1/staff'), 'insufficient_scope');
  });
});
