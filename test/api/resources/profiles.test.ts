import { beforeAll, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { EMPTY_PROFILE, PRIVATE_FIELDS } from '../../../src/domain/profile.ts';
import { idOf } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const NEW = { ...EMPTY_PROFILE, inCareSince: '2027-01-15' };

describe('/v1/pets/{petId}/profile (getProfile, updateProfile)', () => {
  let path: string;

  const petstore = forAllTests(() => startPetstore());
  beforeAll(async () => {
    const added = await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    path = `/v1/pets/${idOf(added)}/profile`;
  });

  const patch = (body: unknown, headers = {}) => petstore.writer.patch(path, body, headers);

  test('a new animal has a profile of which nothing is known', async () => {
    expect(JSON.parse((await petstore.writer.get(path)).text)).toEqual(NEW);
  });

  test('a change is shown to staff whole, and to readers without private fields', async () => {
    const change = { species: 'cat', neutered: false, location: 'Room 2', medicalNotes: 'Deaf.' };
    const changed = await patch(change);
    expect(changed.status).toBe(200);
    expect(JSON.parse(changed.text)).toEqual({ ...NEW, ...change });
    const json = JSON.parse((await petstore.reader.get(path)).text);
    expect(json).toMatchObject({ species: 'cat', neutered: false });
    for (const name of Object.keys(PRIVATE_FIELDS)) expect(json).not.toHaveProperty(name);
  });

  test('the age group follows from the birth date as time passes', async () => {
    await patch({
      birthDate: new Date(petstore.clock.now() - 360 * DAY_MS).toISOString().slice(0, 10),
    });
    const age = async () => JSON.parse((await petstore.reader.get(path)).text).ageGroup;
    expect(await age()).toBe('baby');
    petstore.clock.advance(10 * DAY_MS);
    expect(await age()).toBe('young');
  });

  test('both tags that a caller can have seen work in If-Match, others are refused', async () => {
    for (const client of [petstore.reader, petstore.writer]) {
      const etag = (await client.get(path)).headers.get('etag') ?? '';
      expect((await patch({ breed: `Breed of ${etag}` }, { 'if-match': etag })).status).toBe(200);
      expectError(await patch({ breed: 'Late' }, { 'if-match': etag }), 'precondition_failed');
    }
  });

  test.each([
    ['{"species":"dragon"}', 'species must be one of dog, cat'],
    ['{"breed":""}', 'breed must not be empty'],
    ['{"mixed":"yes"}', 'mixed must be true or false'],
    ['{"birthDate":"2099-01-01"}', 'birthDate must not be after today'],
    ['{"birthDate":"2025-02-30"}', 'birthDate must be a date like'],
    ['{"birthDate":"1799-12-31"}', 'birthDate must be a date like'],
    ['{"birthDate":"1.5.2023"}', 'birthDate must be a date like'],
    ['{"weightGrams":0}', 'weightGrams must be a whole number from 1 to 2000000'],
    ['{"weightGrams":1.5}', 'weightGrams must be a whole number'],
    ['{"colours":"Brown"}', 'colours must be a list'],
    ['{"colours":[]}', 'colours must not be empty'],
    ['{"colours":["a","b","c","d"]}', 'colours must have at most 3 items'],
    ['{"fee":{"amount":-1,"currency":"EUR"}}', 'fee.amount must be a whole number'],
    ['{"fee":{"amount":1,"currency":"euro"}}', 'fee.currency must be three capital letters'],
    ['{"videoUrl":"http://example.com"}', 'videoUrl must be an address that starts with https'],
    ['{"microchip":"12345678"}', 'microchip must be 9 to 15 of 0-9 and A-Z'],
    ['{"published":null}', 'published must be true or false'],
    ['{"description":"a\\u0000b"}', 'description must not contain control characters'],
  ])('%s is refused and changes nothing', async (body, message) => {
    const before = (await petstore.writer.get(path)).text;
    const said = expectError(await patch(body), 'invalid_body');
    expect(said).toContain(message);
    expect(said).not.toContain(';');
    expect((await petstore.writer.get(path)).text).toBe(before);
  });
});
