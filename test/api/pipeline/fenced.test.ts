import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chosenEngine } from '../../support/engines.ts';
import { eventuallyIs } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';
import { createVisitor } from '../../support/visitor.ts';
import { createPair, move } from '../../transfer/moving.ts';
import { expectLimits } from './expect-limits.ts';

// The tests create and move databases, which is slow on a busy machine.
setDefaultTimeout(60_000);

/** Log levels. */

const readiness = async ({ anonymous }: TestPetstore) => (await anonymous.get('/readyz')).status;

describe.each([chosenEngine()])('a server whose database has moved away from $name', (engine) => {
  test('is not ready and refuses all requests', async () => {
    await using pair = await createPair(engine, engine);
    await using petstore = await startPetstore({
      // The service of this database; disposing of the pair stops it.
      engine: { name: engine.name, createDatabase: async () => pair.source },
      settings: { PETSTORE_LIMITS: 'memory:' },
    });
    const { reader, writer, anonymous, clock } = petstore;
    const revoked = await petstore.keyWith({});
    const pet = { name: 'Willow', categoryId: 1 };
    expect((await writer.post('/v1/pets', pet)).status).toBe(201);
    // From the second request on the response is cached.
    for (let n = 0; n < 3; n++) expect((await reader.get('/v1/pets')).status).toBe(200);
    expect((await revoked.client.get('/v1/pets/1')).status).toBe(200);

    await move(pair);
    await eventuallyIs(() => readiness(petstore), 503);
    const { text } = await anonymous.get('/readyz');
    expect(text).toContain('the database was moved');
    expect((await anonymous.get('/livez')).status).toBe(200);
    const refused = [
      await reader.get('/v1/pets'),
      await reader.get('/v1/pets/1'),
      await revoked.client.get('/v1/pets/1'),
      await anonymous.get('/v1/pets'),
      await writer.post('/v1/pets', pet),
      await writer.delete('/v1/pets/1'),
    ];
    for (const response of refused) {
      expect(expectError(response, 'service_unavailable')).toContain('moved to another database');
      expect(response.headers.get('retry-after')).toBe('2');
      expectLimits(response, clock.now());
    }

    const visitor = createVisitor(() => petstore.url);
    expectError(await visitor.signIn(writer.key), 'service_unavailable');
    expectError(await visitor.signOut(), 'service_unavailable');
    const logged = petstore.log.filter((line) => /fenced|fence of/.test(line));
    expect(logged.map((line) => JSON.parse(line).level)).toEqual(['warn']);
  });
});
