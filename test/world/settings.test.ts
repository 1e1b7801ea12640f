import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTING_NAMES, settings } from '../../src/settings/settings.ts';
import { runHere, spawnPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

setDefaultTimeout(60_000);

const folder = createTemporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const WITH_SECRETS = SETTING_NAMES.filter((name) => settings[name].holdsSecret);

describe('a secret in a misspelt setting is in no message', () => {
  const SECRET = 'hunter2SECRET';
  const COMMANDS = ['serve', 'serve --print-settings', 'doctor', 'migrate', 'keys list', 'usage'];
  const OTHERS = ['import animals.csv', 'backup here.db', 'healthcheck', 'compact', 'openapi'];

  test.each([
    `postgresql//u:${SECRET}@h`,
    `postgres:u:${SECRET}@h/shop`,
    `sqlite:postgres://u:${SECRET}@h/shop`,
    `redis//:${SECRET}@x`,
    `u:${SECRET}@h`,
    `s3://${SECRET}@b/x`,
    `s3//k:${SECRET}@b`,
    `S3:${SECRET}`,
    `"s3://${SECRET}"`,
    `smtp:/u:${SECRET}@h`,
    `https://${SECRET}@h/d?x`,
    `-----BEGIN PRIVATE KEY-----\n${SECRET}`,
  ])('%s', async (value) => {
    const file = folder.file('value');
    writeFileSync(file, value);
    const forms: Record<string, string>[] = [{}, {}, {}];
    for (const name of WITH_SECRETS) {
      const { variable } = settings[name];
      // A path is no secret, but what is in a file may stand where its path should.
      if (name.startsWith('tls') && !value.includes('BEGIN')) continue;
      Object.assign(forms[0] ?? {}, { [variable]: value });
      Object.assign(forms[1] ?? {}, { [`${variable}_FILE`]: file });
      Object.assign(forms[2] ?? {}, { [`${variable}_FILE`]: value });
    }
    for (const variables of forms) {
      for (const command of [...COMMANDS, ...OTHERS]) {
        const { exitCode, stdout, stderr } = await runHere(command.split(' '), variables);
        expect([command, exitCode]).toEqual([command, 1]);
        expect(stdout + stderr).toContain('PETSTORE_DATABASE');
        expect(stdout + stderr).not.toContain(SECRET);
      }
    }
    const { stderr } = await runHere(['migrate', '--databse', value, value]);
    expect(stderr).not.toContain(SECRET);
    const moved = await runHere(['move', '--from', value, '--to', 'sqlite:to.db'], {}, folder.path);
    expect(moved.stderr).not.toContain(SECRET);
  });
});

describe('a start that cannot listen', () => {
  const WHERE = 'is no address of this machine: set it to an address of this machine';
  test.each([
    ['PETSTORE_HOST', '192.0.2.1', WHERE],
    ['PETSTORE_HOST', '2001:db8::1', WHERE],
    ['PETSTORE_OPS_HOST', '192.0.2.1', WHERE],
    // Some resolvers have an address for every name.
    ['PETSTORE_HOST', 'no.such.host.invalid', 'set it to an address of this machine'],
    ['PETSTORE_OPS_HOST', 'no.such.host.invalid', 'set it to an address of this machine'],
    ['PETSTORE_HOST', 'a b', 'must be an IP address without brackets, or a host name'],
    ['PETSTORE_HOST', '[::1]', 'must be an IP address without brackets, or a host name'],
    ['PETSTORE_OPS_HOST', 'foo..bar', 'must be an IP address without brackets, or a host name'],
  ])('names the setting, and makes no database: %s=%s', async (variable, host, what) => {
    const path = folder.file('unmade.db');
    const variables = { PETSTORE_OPS_PORT: '0', PETSTORE_DATABASE: `sqlite:${path}` };
    const finished = await runHere(['serve', '--port', '0'], { ...variables, [variable]: host });
    expect(finished.exitCode).toBe(1);
    expect(finished.stderr).toMatch(new RegExp(`^petstore: ${variable} [^\n]*\n$`));
    expect(finished.stderr).toContain(what);
    expect(finished.stderr).toContain(host);
    expect(existsSync(path)).toBe(false);
  });

  test('names every wrong setting at once: host, place of backups, certificate', async () => {
    const { stderr } = await runHere(['serve', '--port', 'x'], {
      PETSTORE_HOST: '192.0.2.1',
      PETSTORE_BACKUP: folder.file('nowhere'),
      PETSTORE_TLS_CERT: folder.file('no.pem'),
    });
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^petstore: --port must be /),
      expect.stringMatching(/^PETSTORE_HOST is 192\.0\.2\.1, which is no address/),
      expect.stringMatching(/^The certificate for TLS, PETSTORE_TLS_CERT, cannot be read: ENOENT/),
      expect.stringMatching(/^TLS needs a key too: set --tls-key or PETSTORE_TLS_KEY/),
      'PETSTORE_BACKUP names a folder that does not exist: create it, mount its disk, or unset it.',
      '',
    ]);
  });
});

test.each([
  ['PETSTORE_LIMITS', 'redis://no.such.host.invalid:1', '', 'limits'],
  ['PETSTORE_LIMITS', 'redis+sentinel://a.invalid:1,b.invalid:1/shop', '', 'limits'],
  ['PETSTORE_SMTP', 'smtp://me:hush@no.such.host.invalid:25', '', 'mail'],
  ['PETSTORE_DATABASE', 'postgres://me:hush@no.such.host.invalid/shop', 'migrate', 'database'],
])('doctor names %s if its server %s cannot be reached', async (variable, value, command, area) => {
  const variables = { PETSTORE_DATABASE: `sqlite:${folder.file('some.db')}`, [variable]: value };
  const { stdout } = await runHere(['doctor', '--json'], variables);
  const { findings } = JSON.parse(stdout);
  const bad = findings.filter((finding: { verdict: string }) => finding.verdict === 'bad');
  // A resolver that has an address for every name leaves the finding of the area alone.
  expect(bad.map((finding: { area: string }) => finding.area)).toContain(area);
  expect(JSON.stringify(bad)).toContain(variable);
  expect(stdout).not.toContain('hush');
  if (command === '') return;
  const finished = await runHere([command], variables);
  expect(finished.stderr).toMatch(
    /^petstore: postgres:\/\/me:\*\*\*@\S+ cannot be reached[^\n]+\n$/,
  );
});

test.each(['000', '077', '777'])(
  "everything made under umask %s is its owner's alone",
  async (mask) => {
    using own = createTemporaryFolder();
    mkdirSync(own.file('elsewhere'), { mode: 0o700 });
    // SQLite itself makes the file that a link leads to.
    symlinkSync(own.file('elsewhere/real.db'), own.file('linked.db'));
    for (const address of [
      `sqlite:${own.file('deep/folder/shop.db')}`,
      `sqlite:${own.file('linked.db')}`,
    ]) {
      const place = own.file(`backups-${address.length}`);
      mkdirSync(place, { mode: 0o700 });
      const variables = { PETSTORE_DATABASE: address, PETSTORE_BACKUP: place, HOME: own.path };
      const under = ['sh', '-c', `umask ${mask}; exec "$@"`, 'sh'];
      const made = (...args: string[]) => spawnPetstore(args, variables, under, own.path);
      writeFileSync(own.file('animals.csv'), 'name,kind\nRex,Dogs\n,Dogs\n');
      expect(await made('import', 'animals.csv', '--category', 'kind').exited).toBeLessThan(2);
      expect(await made('backup', `copy${address.length}.db`).exited).toBe(0);
      const child = made('serve', '--port', '0');
      const backups = () => readdirSync(place).filter((name) => name.endsWith('.backup'));
      await eventually(backups, (names) => names.length > 0);
      child.kill('SIGTERM');
      expect(await child.exited).toBe(0);
    }
    const found = readdirSync(own.path, { recursive: true, withFileTypes: true });
    const shared = found.filter((entry) => {
      const path = join(entry.parentPath, entry.name);
      return !path.endsWith('animals.csv') && (statSync(path).mode & 0o077) !== 0;
    });
    expect(shared.map(({ name }) => name)).toEqual([]);
    expect(found.length).toBeGreaterThan(8);
  },
);
