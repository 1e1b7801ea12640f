import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { generateKey } from '../../src/domain/api-key.ts';
import { addAnimals } from '../support/animals.ts';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { startProcessClock } from '../support/process-clock.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';

const REX = { name: 'Rex', categoryId: 1 };
/** Well-formed, but not stored. */
const UNKNOWN_KEY = generateKey('production', (count) => new Uint8Array(count));
/** The deadline for a response when the database does not respond. */
const PROMISED_MS = 2_000;

const OPERATIONS = [
  ['listPets', (p: TestPetstore) => p.writer.get('/v1/pets')],
  ['createPet', (p: TestPetstore) => p.writer.post('/v1/pets', REX)],
  ['getPet', (p: TestPetstore) => p.writer.get('/v1/pets/1')],
] as const;

describe('500 internal_error', () => {
  let petstore: TestPetstore;

  beforeAll(async () => {
    petstore = await startPetstore();
    await addAnimals(
      petstore.storage,
      [REX].map(({ name }) => ({ name })),
    );
    await petstore.database.sql('ALTER TABLE pets RENAME TO elsewhere');
  });
  afterAll(() => petstore[Symbol.asyncDispose]());

  test.each(OPERATIONS)('%s does not reveal what went wrong; the log does', async (_, send) => {
    const response = await send(petstore);
    const message = expectError(response, 'internal_error');
    const requestId = response.headers.get('x-request-id') ?? '';
    expect(message).toContain(requestId);
    expect(response.text).not.toMatch(/sql|table|elsewhere|\.ts/i);
    const isFault = (line: string) => line.includes(requestId) && line.includes('"err"');
    const fault = await eventually(
      () => petstore.log.find(isFault),
      (line) => line !== undefined,
    );
    expect(fault).toContain('pets');
  });

  test('the service works again once the fault is repaired', async () => {
    await petstore.database.sql('ALTER TABLE elsewhere RENAME TO pets');
    for (const [, send] of OPERATIONS) expect((await send(petstore)).status).toBeLessThan(300);
    await petstore.database.sql('ALTER TABLE pets RENAME TO elsewhere');
  });
});

describe('503 service_unavailable while another process holds the database', () => {
  let petstore: TestPetstore;

  beforeAll(async () => {
    petstore = await startPetstore();
  });
  afterAll(() => petstore[Symbol.asyncDispose]());

  test('createPet gives up in time, adds nothing, and works again later', async () => {
    await petstore.writer.get('/v1/pets');
    {
      await using _held = await petstore.database.holdWrites();
      using clock = startProcessClock();
      const response = await petstore.writer.post('/v1/pets', REX);
      expect(clock.now()).toBeLessThan(PROMISED_MS);
      expectError(response, 'service_unavailable');
      expect(response.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    }
    expect((await petstore.reader.get('/v1/pets')).text).toBe('[]');
    expect((await petstore.writer.post('/v1/pets', REX)).status).toBe(201);
  }, 60_000);
});

describe('503 service_unavailable when the database is damaged while it is in use', () => {
  let petstore: TestPetstore;

  afterEach(() => petstore[Symbol.asyncDispose]());

  test('for every operation, with known and unknown keys: never 401', async () => {
    petstore = await startPetstore();
    await addAnimals(petstore.storage, [{}]);
    const unused = await petstore.keyWith({});
    for (const [, send] of OPERATIONS) expect((await send(petstore)).status).toBeLessThan(300);
    expect((await petstore.anonymous.get('/readyz')).status).toBe(200);
    await petstore.database.destroy();

    const unknown = createClient(() => petstore.url, UNKNOWN_KEY);
    for (const client of [petstore.writer, unused.client, unknown]) {
      for (const response of [
        await client.get('/v1/pets'),
        await client.post('/v1/pets', REX),
        await client.get('/v1/pets/1'),
      ]) {
        expectError(response, 'service_unavailable');
        expect(response.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
        expect(response.text).not.toMatch(/sql|malformed|not a database|disk/i);
      }
    }
    const ready = await eventually(
      () => petstore.anonymous.get('/readyz'),
      ({ status }) => status === 503,
    );
    expect([ready.status, JSON.parse(ready.text)]).toMatchObject([
      503,
      {
        status: 'not ready',
        // Pages that were overwritten may show first in the start of the file.
        checks: expect.objectContaining({}),
      },
    ]);
    expect(ready.headers.get('retry-after')).toBe('2');
    expect((await petstore.anonymous.get('/livez')).status).toBe(200);
    // The lines of a worker come later.
    await eventually(
      () => petstore.log.join(''),
      (log) => /SQLITE_|PostgresError/.test(log),
    );
  });
});
