import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { openStorage } from '../../src/storage/open.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { runHere, runPetstore } from '../support/command-line.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { expectFailure } from './workspace.ts';

describe('petstore', () => {
  test.each([[['--help']], [['serve', '--help']], [['keys', 'create', '--help']]])(
    'prints its help: %p',
    async (args: string[]) => {
      const { exitCode, stdout, stderr } = await runHere(args);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toContain('Usage: petstore');
    },
  );

  test('shows durations in its help in the form that it accepts', async () => {
    const { stdout } = await runHere(['keys', 'rotate', '--help']);
    expect(stdout).toContain('(default: 24h)');
    expect(stdout).not.toContain('86400000');
  });

  test.each<[RegExp, string[]]>([
    [/Usage: petstore/, []],
    [/unknown command/, ['server']],
    [/unknown option/, ['serve', '--prot', '1']],
    [/argument missing/, ['serve', '--port']],
  ])('exits with 2, and %p, for %p', async (message, args) => {
    expectFailure(await runHere(args), 2, message);
  });

  test('reports all wrong settings at once, and does not start', async () => {
    using folder = createTemporaryFolder();
    const finished = await runHere(
      ['serve', '--port', '99999', '--database', 'mysql://x', '--host', '127.0.0.1'],
      {
        PETSTORE_ENVIRONMENT: 'test',
        PETSTORE_BASE_URL: 'https://petstore.example/v2',
        PETSTORE_STAGING_BASE_URL: 'ftp://petstore.example/v1',
        PETSTORE_CORS_ORIGINS: 'https://shop.example/path',
        PETSTORE_SHUTDOWN_DELAY: '5',
        PETSTORE_LOG_LEVEL: 'loud',
        PETSTORE_PORT: 'ignored, since the flag wins',
        HOME: folder.path,
      },
    );
    expectFailure(finished, 1, /^petstore: /);
    for (const source of [
      '--port must be a whole number from 0 to 65535',
      '--database must be sqlite:PATH',
      'PETSTORE_ENVIRONMENT must be one of production, staging',
      'PETSTORE_BASE_URL must be an http or https address like',
      'PETSTORE_STAGING_BASE_URL must be an http or https address like',
      'PETSTORE_CORS_ORIGINS must be origins',
      'PETSTORE_SHUTDOWN_DELAY must be like 30s',
      'PETSTORE_LOG_LEVEL must be one of',
    ]) {
      expect(finished.stderr).toContain(source);
    }
    expect(finished.stderr).not.toContain('PETSTORE_PORT');
  });

  test.each([
    'https://petstore.example',
    'https://petstore.example/v1/',
    'https://petstore.example/v1?x',
    'https://petstore.example/v1#x',
    'https://user:secret@petstore.example/v1',
    '/v1',
    'petstore/v1',
  ])('refuses the base address %s', async (url) => {
    expectFailure(await runHere(['serve', '--base-url', url]), 1, /--base-url must be/);
  });

  test('migrate creates the database; a second run changes nothing', async () => {
    using folder = createTemporaryFolder();
    const address = `sqlite:${folder.file('new/petstore.db')}`;
    for (let i = 0; i < 2; i++) {
      const { exitCode, stderr } = await runHere(['migrate', '--database', address]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    }
    expect(existsSync(folder.file('new/petstore.db'))).toBe(true);
  });

  test('a database that cannot be used fails with one sentence and exit 1', async () => {
    using folder = createTemporaryFolder();
    await Bun.write(folder.file('notes.txt'), 'not a database, not at all'.repeat(9));
    const address = `sqlite:${folder.file('notes.txt')}`;
    for (const [runIt, ...args] of [
      [runHere, 'migrate'],
      [runHere, 'keys', 'list'],
      // These end their process.
      [runPetstore, 'serve', '--port', '0'],
      [runPetstore, 'demo'],
    ] as const) {
      const finished = await runIt([...args, '--database', address]);
      expectFailure(finished, 1, /^petstore: .* is not a database/);
    }
  });

  test('reset empties staging and keeps its keys; production refuses', async () => {
    using folder = createTemporaryFolder();
    for (const environment of ['staging', 'production'] as const) {
      const address = `sqlite:${folder.file(`${environment}.db`)}`;
      const settings = { PETSTORE_DATABASE: address, PETSTORE_ENVIRONMENT: environment };
      await runHere(['keys', 'create', '--name', 'x', '--plan', 'free'], settings);
      const storage = await openStorage(address, environment);
      await storage.pets.create({ name: 'Rex', categoryId: 1n, status: 'sold' }, CHANGE_STAMP);
      const finished = await runHere(['reset'], settings);
      if (environment === 'staging') expect(finished).toMatchObject({ exitCode: 0, stderr: '' });
      else expectFailure(finished, 1, /only staging can be reset/);
      expect(await storage.pets.count()).toBe(environment === 'staging' ? 0 : 1);
      expect(await storage.keys.list()).toHaveLength(1);
      await storage.close();
    }
  });

  test('reset of a production database with --environment staging is refused', async () => {
    using folder = createTemporaryFolder();
    const address = `sqlite:${folder.file('petstore.db')}`;
    await runHere(['migrate', '--database', address]);
    const args = ['reset', '--database', address, '--environment', 'staging'];
    expectFailure(await runHere(args), 1, /belongs to the production deployment/);
  });
});
