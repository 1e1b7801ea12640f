import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { runPetstore, spawnPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { createServingKey, type Serving, serving, UNLIMITED } from '../support/serving.ts';
import { createPair } from '../transfer/moving.ts';
import { crossings } from '../transfer/pairs.ts';
import { audit } from './crash/audit.ts';
import { createLedger } from './crash/ledger.ts';
import { startWriting } from './writing.ts';

// The tests start databases and commands, which is slow on a busy machine.
setDefaultTimeout(120_000);

/** Writes confirmed to clients before the move starts. */
const BEFORE = 150;

async function serve(database: string, key: string): Promise<Serving> {
  const settings = { PETSTORE_DATABASE: database, PETSTORE_LOG_LEVEL: 'silent' };
  return await serving(spawnPetstore(['serve', '--port', '0'], settings), key);
}

describe.each(crossings)('petstore move from $name', ({ from, to }) => {
  test('moves every write that a running server acknowledged; the server then refuses more', async () => {
    await using pair = await createPair(from, to);
    const source = pair.source.address;
    const target = pair.target.address;
    const key = await createServingKey({ PETSTORE_DATABASE: source }, ...UNLIMITED);
    await using old = await serve(source, key);
    const ledger = createLedger();
    const writing = startWriting(old.client, ledger);
    await eventually(
      () => ledger.requests,
      (requests) => requests > BEFORE,
    );

    const moved = await runPetstore(['move', '--from', source, '--to', target]);
    expect(moved).toMatchObject({ exitCode: 0, stderr: '' });
    expect(moved.stdout).toContain(` serve --database ${target}\n`);

    const refused = await old.client.post('/v1/pets', { name: 'Too late', categoryId: 1 });
    expectError(refused, 'service_unavailable');
    const read = async () => (await old.client.get('/v1/pets')).status;
    await eventually(read, (status) => status === 503);
    await writing.end();
    expect(ledger.problems).toEqual([]);
    expect(writing.refused()).toBeGreaterThan(0);
    old.child.kill('SIGTERM');
    expect(await old.child.exited).toBe(0);

    const again = await runPetstore(['serve', '--port', '0', '--database', source]);
    expect(again).toMatchObject({ exitCode: 1, stdout: '' });
    expect(again.stderr).toMatch(/^petstore: .* is fenced: it was moved to [^\n]*\n$/);

    await using next = await serve(target, key);
    await audit(ledger, next.client);
    expect(ledger.problems).toEqual([]);
    expect((await next.client.post('/v1/pets', { name: 'Luna', categoryId: 1 })).status).toBe(201);
  });
});
