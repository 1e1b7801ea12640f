import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { versionOf } from '../storage/older-database.ts';
import type { Client } from '../support/client.ts';
import { spawnPetstore } from '../support/command-line.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually, eventuallyIs } from '../support/eventually.ts';
import { createServingKey, type Serving, serving, UNLIMITED } from '../support/serving.ts';
import type { TestDatabase } from '../support/test-database.ts';
import { createNextRelease, type NextRelease, runRelease, THIS_VERSION } from './release.ts';

// Each test starts processes of two releases.
setDefaultTimeout(120_000);

const releases = { shared: createNextRelease(true), exclusive: createNextRelease(false) };
afterAll(() => {
  for (const release of Object.values(releases)) release[Symbol.dispose]();
});

const settingsOf = ({ address }: TestDatabase) => ({ PETSTORE_DATABASE: address });

function start({ main }: NextRelease, database: TestDatabase, key: string): Promise<Serving> {
  const args = ['serve', '--port', '0'];
  return serving(spawnPetstore(args, settingsOf(database), [], undefined, main), key);
}

/** Adds animals one after the other until it is told to stop. Returns the acknowledged ids. */
function keepAdding(client: Client) {
  const ids: number[] = [];
  let isEnding = false;
  const adding = (async () => {
    while (!isEnding) {
      try {
        const response = await client.post('/v1/pets', { name: 'Rex', categoryId: 1 });
        if (response.status === 201) ids.push(JSON.parse(response.text).id);
        else await Bun.sleep(10);
      } catch {
        // The server has ended.
        await Bun.sleep(10);
      }
    }
  })();
  return {
    ids,
    async end() {
      isEnding = true;
      await adding;
      return ids;
    },
  };
}

/** The ids of the animals that events say were added, in their order. */
async function createdIn(client: Client): Promise<number[]> {
  const ids: number[] = [];
  let after = '';
  for (;;) {
    const page = await client.get(`/v1/events?limit=100&type=pet.created${after}`);
    const events: { readonly id: number; readonly data: { readonly id: number } }[] = JSON.parse(
      page.text,
    );
    ids.push(...events.map(({ data }) => data.id));
    if (events.length < 100) return ids;
    after = `&after=${events.at(-1)?.id}`;
  }
}

const ready = async (client: Client) => (await client.get('/readyz')).status;

/** The process, port and key of a server of this release. */
async function startOld(database: TestDatabase) {
  const key = await createServingKey(settingsOf(database), ...UNLIMITED, '--scopes', 'admin');
  const old = await serving(spawnPetstore(['serve', '--port', '0'], settingsOf(database)), key);
  return { old, key };
}

describe.each([chosenEngine()])('an upgrade on $name', (engine) => {
  test('goes on under load where both releases can share the schema', async () => {
    await using database = await engine.createDatabase();
    const { old, key } = await startOld(database);
    await using _old = old;
    const adding = keepAdding(old.client);
    await eventually(
      () => adding.ids.length,
      (added) => added > 20,
    );
    expect(await runRelease(releases.shared, ['migrate'], settingsOf(database))).toMatchObject({
      exitCode: 0,
    });
    expect(await ready(old.client)).toBe(200);
    await using next = await start(releases.shared, database, key);
    const addingToNext = keepAdding(next.client);
    const added = adding.ids.length;
    await eventually(
      () => [adding.ids.length, addingToNext.ids.length],
      ([before = 0, after = 0]) => before > added + 20 && after > 20,
    );
    expect(await ready(old.client)).toBe(200);
    old.child.kill('SIGTERM');
    await old.child.exited;
    const ids = [...(await adding.end()), ...(await addingToNext.end())];
    const created = await eventually(
      () => createdIn(next.client),
      (found) => found.length >= ids.length,
    );
    expect(created.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  });

  test('is refused under a server that cannot share it, and ends that server if forced', async () => {
    await using database = await engine.createDatabase();
    const { old, key } = await startOld(database);
    await using _old = old;
    const adding = keepAdding(old.client);
    await eventually(
      () => adding.ids.length,
      (added) => added > 20,
    );
    const refused = await runRelease(releases.exclusive, ['migrate'], settingsOf(database));
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain(`process ${old.child.pid} on `);
    expect(refused.stderr).toContain('Nothing was changed');
    expect(refused.stderr).toContain('petstore migrate --force');
    expect(await versionOf(database)).toBe(THIS_VERSION);
    const serve = await runRelease(
      releases.exclusive,
      ['serve', '--port', '0'],
      settingsOf(database),
    );
    expect(serve.stderr).toContain(`process ${old.child.pid} on `);
    expect(await ready(old.client)).toBe(200);

    const forced = await runRelease(
      releases.exclusive,
      ['migrate', '--force'],
      settingsOf(database),
    );
    expect(forced).toMatchObject({ exitCode: 0 });
    await eventuallyIs(() => ready(old.client), 503);
    const response = await old.client.get('/v1/pets');
    expect([response.status, response.text]).toEqual([
      503,
      expect.stringContaining('later release'),
    ]);
    await adding.end();
    await using next = await start(releases.exclusive, database, key);
    const created = await createdIn(next.client);
    for (const id of adding.ids) expect(created).toContain(id);

    // As if the operator had gone back to a backup of the earlier schema.
    await database.sql('UPDATE deployment SET shared_from = 1');
    await eventuallyIs(() => ready(old.client), 200);
  });
});
