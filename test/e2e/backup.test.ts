import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { runPetstore, spawnPetstore } from '../support/command-line.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { createServingKey, serving, UNLIMITED } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { contentOf } from '../transfer/content.ts';
import { auditFile } from './crash/audit.ts';
import { createLedger } from './crash/ledger.ts';
import { startWriting } from './writing.ts';

// The tests start databases and commands, which is slow on a busy machine.
setDefaultTimeout(120_000);

/** Writes confirmed to clients before the backup starts. */
const BEFORE = 150;

describe.each([chosenEngine()])('a backup of $name under full write load', (engine) => {
  test('holds every write acknowledged before it, and nothing half done', async () => {
    await using database = await engine.createDatabase();
    using folder = createTemporaryFolder();
    const settings = { PETSTORE_DATABASE: database.address, PETSTORE_LOG_LEVEL: 'silent' };
    const key = await createServingKey(settings, ...UNLIMITED);
    await using server = await serving(spawnPetstore(['serve', '--port', '0'], settings), key);
    const ledger = createLedger();
    const writing = startWriting(server.client, ledger);
    await eventually(
      () => ledger.requests,
      (requests) => requests > BEFORE,
    );

    const confirmed = new Set(ledger.ids);
    const before = ledger.requests;
    const path = folder.file('shop.backup');
    const finished = await runPetstore(['backup', path], settings);
    expect(finished).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ledger.requests).toBeGreaterThan(before);
    await writing.end();
    expect(ledger.problems).toEqual([]);
    expect(writing.refused()).toBe(0);

    const target = `sqlite:${folder.file('restored.db')}`;
    const restored = await runPetstore(['restore', path, '--database', target]);
    expect(restored).toMatchObject({ exitCode: 0, stderr: '' });
    await auditFile(ledger, folder.file('restored.db'));
    expect(ledger.problems).toEqual([]);
    // Animals removed meanwhile have still used up their ids.
    const { rows, lastIds } = await contentOf(target);
    const given = { '/v1/pets': 'pets', '/v1/store/orders': 'orders' };
    const orders = new Set(rows['orders']?.map(([id]) => `/v1/store/orders ${id}`));
    for (const id of confirmed) {
      const [path = '', number = ''] = id.split(' ');
      if (path === '/v1/store/orders') expect(orders).toContain(id);
      if (path in given) {
        const table = given[path as keyof typeof given];
        expect(lastIds[table]).toBeGreaterThanOrEqual(BigInt(number));
      }
    }
  });
});
