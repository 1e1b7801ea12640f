import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { empty } from '../storage/older-database.ts';
import { type Finished, runHere, spawnPetstore } from '../support/command-line.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { expectFailure } from './workspace.ts';

// The tests start commands, which is slow on a busy machine.
setDefaultTimeout(120_000);

/** Every command that must not create a database. */
const COMMANDS: readonly (readonly string[])[] = [
  ['backup', 'shop.backup'],
  ['export'],
  ['keys', 'list'],
  ['keys', 'list', '--json'],
  ['keys', 'change', '1', '--plan', 'free'],
  ['keys', 'rotate', '1'],
  ['keys', 'revoke', '1'],
  ['keys', 'unban', '1'],
  ['reset', '--environment', 'staging'],
  ['compact'],
  ['doctor'],
  ['doctor', '--json'],
];

/** Commands that create one, each with its arguments. */
const CREATORS: readonly (readonly string[])[] = [
  ['migrate'],
  ['keys', 'create', '--name', 'x', '--plan', 'free'],
  ['keys', 'create', '--name', 'x', '--plan', 'free', '--json'],
  ['import', 'animals.csv'],
];

const ANIMALS = 'name,categoryId\nRex,1\n';

describe('in a folder without a database', () => {
  test.each(COMMANDS)('%s %s creates nothing, and says where it looked', async (...args) => {
    using folder = createTemporaryFolder();
    const finished = await runHere(args, {}, folder.path);
    const target = `sqlite:${folder.file('data/petstore.db')}`;
    if (args[0] === 'doctor') expectMissing(finished, target);
    else
      expectFailure(
        finished,
        1,
        new RegExp(`^petstore: There is no Petstore database at ${target}\\. `),
      );
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('move creates nothing on either side', async () => {
    using folder = createTemporaryFolder();
    const args = ['move', '--to', `sqlite:${folder.file('new.db')}`];
    const finished = await runHere(args, {}, folder.path);
    expectFailure(finished, 1, /no Petstore database at sqlite:.*data\/petstore.db\. /);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('an import that is only rehearsed makes nothing', async () => {
    using folder = createTemporaryFolder();
    writeFileSync(folder.file('animals.csv'), ANIMALS);
    const args = ['import', 'animals.csv', '--dry-run'];
    const finished = await runHere(args, {}, folder.path);
    expect(finished).toMatchObject({ exitCode: 0, stderr: '', newDatabase: undefined });
    expect(readdirSync(folder.path)).toEqual(['animals.csv']);
  });

  test.each(CREATORS)('%s %s creates one and says where, the first time', async (...args) => {
    using folder = createTemporaryFolder();
    writeFileSync(folder.file('animals.csv'), ANIMALS);
    const newDatabase = `sqlite:${folder.file('data/petstore.db')}`;
    const first = await runHere(args, {}, folder.path);
    expect(first).toMatchObject({ exitCode: 0, stderr: '', newDatabase });
    expect(first.stdout).not.toContain('new, empty database');
    const second = await runHere(args, {}, folder.path);
    expect(second).toMatchObject({ exitCode: 0, stderr: '', newDatabase: undefined });
  });

  test.each([['serve'], ['demo']])(
    '%s creates one and says where, the first time',
    async (name) => {
      using folder = createTemporaryFolder();
      const errors: string[] = [];
      for (let start = 0; start < 2; start++) {
        const args = [name, '--port', '0', '--log-level', 'silent'];
        const child = spawnPetstore(args, {}, [], folder.path);
        let [output, error] = ['', ''];
        const reading = Promise.all([
          (async () => {
            for await (const chunk of child.stdout) output += new TextDecoder().decode(chunk);
          })(),
          (async () => {
            for await (const chunk of child.stderr) error += new TextDecoder().decode(chunk);
          })(),
        ]);
        await eventually(
          () => output + error,
          (text) => text.includes('Serving on'),
        );
        child.kill('SIGTERM');
        await reading;
        errors.push(error.replace(/^(?:Serving|Metrics) on .*\n/gm, ''));
        expect(await child.exited).toBe(0);
      }
      const target = `sqlite:${folder.file('data/petstore.db')}`;
      expect(errors).toEqual([`petstore: new, empty database at ${target}\n`, '']);
    },
  );
});

describe.each([chosenEngine()])('an empty $name database', (engine) => {
  test('stays unchanged by every other command', async () => {
    await using database = await engine.createDatabase();
    using folder = createTemporaryFolder();
    await empty(database);
    const settings = { PETSTORE_DATABASE: database.address };
    for (const args of COMMANDS) {
      const finished = await runHere(args, settings, folder.path);
      if (args[0] === 'doctor') expectMissing(finished, database.address);
      else expectFailure(finished, 1, /^petstore: There is no Petstore database at \w+:/);
    }
    expect(readdirSync(folder.path)).toEqual([]);
    writeFileSync(folder.file('animals.csv'), ANIMALS);
    const rehearsal = ['import', 'animals.csv', '--dry-run'];
    const rehearsed = await runHere(rehearsal, settings, folder.path);
    expect(rehearsed).toMatchObject({ exitCode: 0, stderr: '', newDatabase: undefined });
    if (engine.name === 'sqlite') {
      expect(existsSync(database.address.replace('sqlite:', ''))).toBe(false);
    } else {
      const tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'";
      expect(await database.sql(tables)).toEqual([]);
    }
  });

  test('becomes a database of the service by a restore, which says so', async () => {
    await using database = await engine.createDatabase();
    using folder = createTemporaryFolder();
    await empty(database);
    const shop = { PETSTORE_DATABASE: `sqlite:${folder.file('shop.db')}` };
    await runHere(['migrate'], shop);
    await runHere(['backup', folder.file('shop.backup')], shop);
    const args = ['restore', folder.file('shop.backup'), '--database', database.address];
    expect(await runHere(args)).toMatchObject({
      exitCode: 0,
      stderr: '',
      newDatabase: database.address,
    });
  });
});

/** Checks the findings of the doctor for a missing database. */
function expectMissing({ exitCode, stdout }: Finished, target: string): void {
  expect(exitCode).toBe(1);
  expect(stdout).toContain(`There is no Petstore database at ${target}.`);
}

describe('a variable that is not a setting', () => {
  test.each([
    ['PETSTORE_DATABSE', 'PETSTORE_DATABASE'],
    ['PETSTORE_PORTS', 'PETSTORE_PORT'],
    ['PETSTORE_MAX_WAIT', 'PETSTORE_MAX_WAITING'],
    ['PETSTORE_TRUSTED_PROXY', 'PETSTORE_TRUSTED_PROXIES'],
  ])('%s causes a warning at the start that suggests %s', async (name, nearest) => {
    using folder = createTemporaryFolder();
    const finished = await runHere(['migrate'], { [name]: '1' }, folder.path);
    expect(finished.exitCode).toBe(0);
    expect(finished.stderr).toBe(
      `petstore: warning: ${name} is not a setting, so it has no effect; did you mean ${nearest}?\n`,
    );
  });

  test('is not reported if it is a client’s key, as in the guides', async () => {
    using folder = createTemporaryFolder();
    const settings = { PETSTORE_API_KEY: 'petstore_live_x' };
    const finished = await runHere(['migrate'], settings, folder.path);
    expect(finished).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
