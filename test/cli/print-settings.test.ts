import { describe, expect, test } from 'bun:test';
import { SETTING_NAMES } from '../../src/settings/settings.ts';
import { runHere } from '../support/command-line.ts';
import { forEachTest } from '../support/lifetime.ts';
import { createWorkspace, expectFailure } from './workspace.ts';

const workspace = forEachTest(() => createWorkspace());

describe('petstore serve --print-settings', () => {
  test('prints every setting, where it comes from, and no secret', async () => {
    const key = workspace.write('key', `${'ab'.repeat(32)}\n`);
    const file = workspace.write('petstore.env', "PETSTORE_MAX_WAITING=20\nPETSTORE_PORT='9000'\n");
    const { exitCode, stdout, stderr } = await runHere(
      ['serve', '--print-settings', '--host', '::1', '--env-file', file],
      {
        PETSTORE_DATABASE: 'postgres://shop:s3cret@db.example/pets',
        PETSTORE_SECRET_KEY_FILE: key,
        PETSTORE_SMTP_FILE: workspace.write('smtp', 'smtp://me:s3cret@mail.example'),
        PETSTORE_PORT: '9001',
      },
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const rows = stdout.trimEnd().split('\n');
    expect(rows).toHaveLength(1 + SETTING_NAMES.length);
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual(
      expect.arrayContaining([
        ['SETTING', 'VALUE', 'FROM'],
        ['PETSTORE_DATABASE', 'postgres://shop:***@db.example/pets', 'PETSTORE_DATABASE'],
        ['PETSTORE_SECRET_KEY', '***', `PETSTORE_SECRET_KEY_FILE in ${key}`],
        [
          'PETSTORE_SMTP',
          'smtp://me:***@mail.example',
          `PETSTORE_SMTP_FILE in ${workspace.path('smtp')}`,
        ],
        ['PETSTORE_PORT', '9000', `PETSTORE_PORT in ${file}`],
        ['PETSTORE_HOST', '::1', '--host'],
        ['PETSTORE_LIMITS', 'memory:', 'default'],
        ['PETSTORE_PHOTOS', '-', 'default'],
      ]),
    );
    expect(stdout).not.toMatch(/s3cret|abab/);
  });

  test('reports all that is wrong instead, and fails', async () => {
    const finished = await runHere(['serve', '--print-settings', '--tls-cert', '/no/cert'], {
      PETSTORE_PORT: 'http',
      PETSTORE_DATABASE_FILE: '/no/database',
    });
    expectFailure(
      finished,
      1,
      /^petstore: PETSTORE_DATABASE_FILE .*\nPETSTORE_PORT must .*\nThe certificate for TLS, PETSTORE_TLS_CERT, cannot be read: .*\nTLS needs a key too: set --tls-key or PETSTORE_TLS_KEY\.\n$/,
    );
  });
});

test('the help says how to give settings in files', async () => {
  const { stdout } = await runHere(['serve', '--help']);
  expect(stdout).toMatch(/PETSTORE_DATABASE_FILE\. --env-file FILE sets .*\n$/);
});

test('each command takes settings from files', async () => {
  const database = workspace.write('database', `${workspace.address}\n`);
  const given = { PETSTORE_DATABASE_FILE: database };
  const migrated = await runHere(['migrate'], given);
  expect(migrated.stdout).toBe(`${workspace.address} is up to date.\n`);
  const to = `sqlite:${workspace.path('new.db')}`;
  const moved = await runHere(['move', '--to', to], given);
  expect(moved).toMatchObject({ exitCode: 0, newDatabase: to });
  const file = workspace.write('petstore.env', 'PETSTORE_DATABASE="sqlite:x\n');
  const refused = await runHere(['keys', 'list', '--env-file', file], {});
  expectFailure(
    refused,
    1,
    /^petstore: \S+petstore\.env, line 1 has a quote that does not end\.\n$/,
  );
});
