import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { openStorage } from '../../src/storage/open.ts';
import { migrations } from '../../src/storage/sqlite/migrations.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { runPetstore } from '../support/command-line.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { expectMigratedAdoptions, oldAdoptions } from './migrated-adoptions.ts';
import { expectMigratedHistories } from './migrated-histories.ts';
import { expectMigratedKeys } from './migrated-keys.ts';
import { expectMigratedOrder, OLD_ORDER } from './migrated-order.ts';
import { animal, imported } from './subject.ts';

describe('migrations of SQLite', () => {
  test('are numbered from 1 without gaps', () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, i) => i + 1));
  });

  test('bring a database of every earlier release up to date without data loss', async () => {
    using folder = createTemporaryFolder();
    for (let version = 1; version < migrations.length; version++) {
      const path = folder.file(`version-${version}.db`);
      {
        using old = new Database(path);
        for (const { sql } of migrations.slice(0, version)) old.run(sql);
        old.run("INSERT INTO deployment (environment) VALUES ('production')");
        const later = version < 6 ? '' : ", 'sold', 0, NULL";
        old.run(`INSERT INTO pets VALUES (41, 'Rex', 'rex', 1, 'sold', 'x'${later})`);
        old.run(
          `INSERT INTO pets VALUES (42, 'Zoë', '${version < 20 ? 'zoë' : 'zoe'}', 1, 'sold', NULL${later})`,
        );
        old.run(`PRAGMA application_id = ${0x50455453}`);
        old.run(`PRAGMA user_version = ${version}`);
      }
      const storage = await openStorage(`sqlite:${path}`, 'production');
      expect(await storage.pets.find(41n)).toEqual({
        id: 41n,
        name: 'Rex',
        categoryId: 1n,
        status: 'sold',
      });
      const { items } = await storage.pets.list({ nameFolded: 'zoe' }, { afterId: 0n, limit: 9 });
      expect(items.map(({ id }) => id)).toEqual([42n]);
      await storage.keys.list();
      await storage.close();
    }
  });

  test('keep the orders of an earlier release, which had neither contact nor note', async () => {
    using folder = createTemporaryFolder();
    const path = folder.file('petstore.db');
    {
      using old = new Database(path);
      for (const { sql } of migrations.slice(0, 7)) old.run(sql);
      old.run("INSERT INTO deployment (environment) VALUES ('production')");
      old.run(OLD_ORDER);
      old.run(`PRAGMA application_id = ${0x50455453}`);
      old.run('PRAGMA user_version = 7');
    }
    const { orders, close } = await openStorage(`sqlite:${path}`, 'production');
    await expectMigratedOrder(orders);
    await close();
  });

  test('keep each animal and its history when tables are rebuilt', async () => {
    using folder = createTemporaryFolder();
    const path = folder.file('petstore.db');
    {
      using old = new Database(path);
      old.run('PRAGMA foreign_keys = ON');
      for (const { sql } of migrations.slice(0, 5)) old.run(sql);
      old.run("INSERT INTO deployment (environment) VALUES ('production')");
      old.run("INSERT INTO pets VALUES (3, 'Rex', 'rex', 7, 'sold', 'x')");
      old.run("INSERT INTO pets VALUES (5, 'Quetzal', 'quetzal', 7, 'available', NULL)");
      old.run("INSERT INTO pets VALUES (8, 'Tom', 'tom', 7, 'pending', NULL)");
      old.run("INSERT INTO pets VALUES (12, 'Gone', 'gone', 7, 'sold', NULL)");
      const note = 'INSERT INTO status_changes (pet_id, status, changed_at, key_id) VALUES';
      old.run(`${note} (12, 'sold', 1, 1), (3, 'available', 10, 1), (5, 'available', 20, NULL),
        (3, 'pending', 30, 2), (3, 'sold', 40, NULL)`);
      old.run(
        'INSERT INTO derived_pet_names (rowid, name_folded) SELECT id, name_folded FROM pets',
      );
      old.run('UPDATE derived_pet_names_state SET indexed_to = 12');
      old.run('DELETE FROM pets WHERE id = 12');
      old.run(`PRAGMA application_id = ${0x50455453}`);
      old.run('PRAGMA user_version = 5');
    }
    const startedAt = Date.now();
    const { pets, close } = await openStorage(`sqlite:${path}`, 'production');
    await expectMigratedHistories(pets, [3n, 5n, 8n], startedAt);
    const named = async (nameFolded: string) =>
      (await pets.list({ nameFolded }, { afterId: undefined, limit: 9 })).items.map(({ id }) => id);
    expect(await named('quetz')).toEqual([5n]);
    await pets.update(5n, { name: 'Iguana' }, CHANGE_STAMP, () => {});
    const outcome = await pets.importBatch([imported({ externalId: 'x' })], CHANGE_STAMP);
    expect(outcome).toMatchObject({ created: 0, changes: [{ before: { id: 3n } }] });
    expect((await pets.create(animal(), CHANGE_STAMP)).id).toBe(13n);
    await pets.remove(8n, CHANGE_STAMP, () => {});
    await close();
    using database = new Database(path, { readonly: true });
    expect(database.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(database.query('PRAGMA foreign_key_check').all()).toEqual([]);
    const match = (trigram: string) =>
      database
        .query('SELECT rowid AS id FROM derived_pet_names WHERE derived_pet_names MATCH ?')
        .all(`"${trigram}"`);
    expect([match('igu'), match('que'), match('tom')]).toEqual([[{ id: 5 }], [], []]);
  });

  test('give each key of an earlier release a lifetime and its own family', async () => {
    using folder = createTemporaryFolder();
    const path = folder.file('petstore.db');
    {
      using old = new Database(path);
      for (const { sql } of migrations.slice(0, 7)) old.run(sql);
      old.run("INSERT INTO deployment (environment) VALUES ('production')");
      old.run(`INSERT INTO api_keys (id, hash, name, plan, scopes, created_at, expires_at) VALUES
        (3, '${'a'.repeat(64)}', 'A', 'pro', 'write', 100, 250),
        (4, '${'b'.repeat(64)}', 'B', 'pro', 'write', 100, NULL)`);
      old.run(`PRAGMA application_id = ${0x50455453}`);
      old.run('PRAGMA user_version = 7');
    }
    const { keys, close } = await openStorage(`sqlite:${path}`, 'production');
    expectMigratedKeys(await keys.list());
    await close();
  });

  test('count the adoptions of an earlier release in the weeks of their completion', async () => {
    using folder = createTemporaryFolder();
    const path = folder.file('petstore.db');
    {
      using old = new Database(path);
      for (const { sql } of migrations.slice(0, 14)) old.run(sql);
      old.run("INSERT INTO deployment (environment) VALUES ('production')");
      old.run(oldAdoptions('changes'));
      old.run(`PRAGMA application_id = ${0x50455453}`);
      old.run('PRAGMA user_version = 14');
    }
    const { stats, close } = await openStorage(`sqlite:${path}`, 'production');
    await expectMigratedAdoptions(stats);
    await close();
  });

  test('run once when several processes start at once on a new file', async () => {
    using folder = createTemporaryFolder();
    for (let round = 0; round < 3; round++) {
      const address = `sqlite:${folder.file(`${round}.db`)}`;
      const starts = Array.from({ length: 4 }, () =>
        runPetstore(['migrate', '--database', address]),
      );
      for (const finished of await Promise.all(starts)) {
        expect(finished).toMatchObject({ exitCode: 0, stderr: '' });
      }
      using database = new Database(folder.file(`${round}.db`));
      expect(database.query('SELECT environment FROM deployment').all()).toHaveLength(1);
      expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    }
  }, 60_000);
});
