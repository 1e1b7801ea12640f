import { expect, setDefaultTimeout, test } from 'bun:test';
import { HOUR_MS, SECOND_MS } from '../../../src/domain/clock.ts';
import { openServer } from '../../../src/server/server.ts';
import { readConfig } from '../../../src/settings/config.ts';
import { openLog } from '../../../src/telemetry/log.ts';
import { chosenEngine, type TestEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { startPetstore } from '../../support/start.ts';
import { createVisitor } from '../../support/visitor.ts';

// Databases are started, on a machine that may be busy.
setDefaultTimeout(60_000);

/** Starts two instances with one database and one clock. */
async function startTwo(engine: TestEngine) {
  const settings = { PETSTORE_LIMITS: 'memory:' };
  const petstore = await startPetstore({ engine, settings });
  const config = readConfig(
    {},
    {
      ...settings,
      PETSTORE_DATABASE: petstore.database.address,
      PETSTORE_PORT: '0',
      PETSTORE_OPS_PORT: 'off',
    },
  );
  const { clock } = petstore;
  const other = await openServer(config, { clock, log: openLog('silent') });
  return {
    petstore,
    here: () => createVisitor(() => petstore.url),
    there: () => createVisitor(() => other.url),
    async [Symbol.asyncDispose]() {
      await other.close();
      await petstore[Symbol.asyncDispose]();
    },
  };
}

test.each([chosenEngine()])('a session on $name is one of all instances', async (engine) => {
  await using two = await startTwo(engine);
  const { petstore, here, there } = two;
  const { clock } = petstore;
  const visitor = here();
  await visitor.signIn(petstore.writer.key);
  const cookie = visitor.cookie() ?? '';
  const pets = async (server: typeof here) => server().get('/v1/pets', { cookie });

  // It works elsewhere at once, also right after it was tried before it existed.
  expect((await pets(there)).status).toBe(200);
  const body = { name: 'Rex', categoryId: 1 };
  expect((await there().post('/v1/pets', body, { cookie })).status).toBe(201);

  // A use at one keeps it alive at the other.
  clock.advance(7 * HOUR_MS);
  const used = clock.now();
  expect((await pets(there)).status).toBe(200);
  const stored = async () => {
    const [row] = await petstore.database.sql('SELECT last_used_at AS at FROM sessions');
    return Number(row?.['at']);
  };
  await eventually(stored, (at) => at === used);
  clock.advance(7 * HOUR_MS);
  expect((await pets(here)).status).toBe(200);

  // Signing out counts at once here, and within a second there.
  expect((await pets(there)).status).toBe(200);
  expect((await visitor.signOut()).status).toBe(204);
  expectError(await pets(here), 'invalid_api_key');
  clock.advance(SECOND_MS);
  expectError(await pets(there), 'invalid_api_key');
});

test.each([chosenEngine()])(
  'the end of a key on $name ends its sessions on all instances',
  async (engine) => {
    await using two = await startTwo(engine);
    const { petstore, here, there } = two;
    const { text, id } = await petstore.keyWith({});
    const visitors = [here(), there()];
    for (const visitor of visitors) {
      await visitor.signIn(text);
      expect((await visitor.get('/v1/pets')).status).toBe(200);
    }
    expect((await petstore.admin.delete(`/v1/keys/${id}`)).status).toBe(204);
    petstore.clock.advance(SECOND_MS);
    for (const visitor of visitors) expectError(await visitor.get('/v1/pets'), 'invalid_api_key');
  },
);
