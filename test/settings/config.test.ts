import { describe, expect, test } from 'bun:test';
import { Command } from 'commander';
import { servingConfigOf } from '../../src/cli/serve.ts';
import { addSettings, configOf } from '../../src/cli/setting-options.ts';
import { ConfigProblems, readConfig } from '../../src/settings/config.ts';
import { SETTING_NAMES, type SettingName, settings } from '../../src/settings/settings.ts';

/** For each setting, a value that differs from its fallback. */
const VALUES: Record<string, string> = {
  database: 'sqlite:elsewhere.db',
  databaseCreate: 'off',
  limits: 'redis://127.0.0.1:6379/1',
  environment: 'staging',
  port: '1',
  host: '::1',
  opsPort: '9465',
  opsHost: '::1',
  baseUrl: 'https://petstore.example/v1',
  stagingBaseUrl: 'https://staging.petstore.example/v1',
  corsOrigins: 'https://shop.example',
  trustedProxies: '10.0.0.0/8',
  anonymousPerMinute: '7',
  banRefusals: '7',
  banSeconds: '7',
  banMaxSeconds: '7',
  idleTimeoutMs: '7s',
  bodyTimeoutMs: '7s',
  tlsCert: 'server.crt',
  tlsKey: 'server.key',
  maxInProgress: '7',
  maxWaiting: '9',
  maxCategories: '500',
  adopt: 'off',
  home: 'adopt',
  contentLanguage: 'pt-BR',
  frameAncestors: 'https://builder.example',
  photos: 's3://shop/photos',
  backup: '/backups',
  backupEveryMs: '1h',
  backupKeep: '7',
  smtp: 'smtp://me:secret@mail.example:587',
  notify: 'staff@shop.example,two@shop.example',
  mailFrom: 'shop@shop.example',
  enquiriesKeepMs: '30d',
  ordersKeepMs: '30d',
  eventsKeepMs: '30d',
  auditKeepMs: '500d',
  webhookPorts: '8443, 9443',
  webhookAllow: '10.0.0.0/8, fd00::1',
  webhookScheduleMs: '1s,1s,2s',
  secretKey: '00'.repeat(32),
  shutdownDelayMs: '7s',
  logLevel: 'debug',
  logSample: '0.25',
};

describe('every setting', () => {
  const fallbacks = readConfig({}, {});

  test.each(SETTING_NAMES)('%s is read from its flag, its variable or its fallback', (name) => {
    const { flag, variable, fallback } = settings[name];
    const value = VALUES[name];
    if (value === undefined) throw new Error(`give this test a value for ${name}`);
    const fromVariable = readConfig({}, { [variable]: value })[name];
    expect(fromVariable).not.toEqual(fallbacks[name]);
    expect(readConfig({}, { [variable]: '' })[name]).toEqual(fallbacks[name]);
    expect(readConfig({}, { [variable]: fallback })[name]).toEqual(fallbacks[name]);

    const command = addSettings(new Command(), SETTING_NAMES);
    command.parse([flag, value], { from: 'user' });
    expect(configOf(command)[name]).toEqual(fromVariable);
    expect(readConfig({ [name]: value }, { [variable]: 'wrong, were it read' })[name]).toEqual(
      fromVariable,
    );
  });

  test('has a variable named like its flag, in capitals', () => {
    for (const { flag, variable } of Object.values(settings)) {
      expect(variable).toBe(`PETSTORE_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`);
    }
  });

  test('cannot be changed once read', () => {
    expect(Object.isFrozen(fallbacks)).toBe(true);
  });
});

describe('a wrong setting', () => {
  test.each<[SettingName, string[]]>([
    ['host', ['a b', 'foo..bar', '::zz', '[::1]', '-a.example', 'http://a', 'a/b', '127.0.0.1:80']],
    ['opsHost', ['a b', 'foo..bar', '::zz', '[::1]', `${'a'.repeat(64)}.example`]],
    ['port', ['-1', '65536', '8080.5', '0x50', ' 80', 'http']],
    ['environment', ['prod', 'Production', 'test']],
    [
      'database',
      [
        'petstore.db',
        'sqlite:',
        'SQLITE:x',
        'mysql://x',
        'postgres://a..b/c',
        'sqlite:postgres://u@h/d',
      ],
    ],
    ['limits', ['memory', 'redis:', 'redis://', 'http://x', 'redis://x/a', 'redis://x?a=b']],
    [
      'baseUrl',
      [
        'https://a.example',
        'https://a.example/shop/v1',
        'https://a.example/v1/v1',
        'https://a.example/v1/',
        'https://a.example/v1?a',
        'a/v1',
      ],
    ],
    ['stagingBaseUrl', ['https://a.example/v2', 'ftp://a.example/v1', 'https://u:p@a.example/v1']],
    ['corsOrigins', ['shop.example', 'https://shop.example/', 'https://shop.example/x', 'null']],
    ['idleTimeoutMs', ['4s', '241s', '5m', '10']],
    ['bodyTimeoutMs', ['0s', '241s', '10']],
    ['maxInProgress', ['0', '-1', 'many']],
    ['maxWaiting', ['-1', '1000001', 'many']],
    [
      'backup',
      ['s3', 's3:/shop', 'S3://shop', ' s3://shop', 's3backups/x', '"s3://shop"', 'u:p@h/x'],
    ],
    ['tlsKey', ['-----BEGIN PRIVATE KEY-----', 'a\nb']],
    ['smtp', ['mail.example', 'http://mail.example', 'smtp://a/b', 'smtp://a?b']],
    ['notify', ['staff', 'a@b.example;c@d.example']],
    ['mailFrom', ['staff']],
    ['enquiriesKeepMs', ['23h', '3651d']],
    ['ordersKeepMs', ['23h', '3651d', 'never', '0']],
    ['eventsKeepMs', ['59m', '3651d', '90', 'long']],
    ['shutdownDelayMs', ['5', '5 s', '-5s', '1.5s', '5w', '05s']],
    ['logLevel', ['loud', 'INFO']],
    ['logSample', ['1.1', '-0', '10%', '0,5', '.', '1e-1', ' 1']],
    ['webhookPorts', ['0', '443,65536', '8443;9443', 'https']],
    ['webhookScheduleMs', ['5', '1s,8d', '1s;2s', '-1s', Array(31).fill('1s').join(',')]],
    ['opsPort', ['-1', '65536', 'on', 'OFF', '9464/metrics']],
  ])('of %s is reported with the allowed values', (name, values) => {
    const { flag, variable, holdsSecret } = settings[name];
    const quoted = holdsSecret ? '(?!.*it is)' : '.*\\(it is ".*"\\)\\.$';
    for (const value of values) {
      expect(() => readConfig({}, { [variable]: value })).toThrow(
        new RegExp(`^${variable} must ${quoted}`),
      );
      expect(() => readConfig({ [name]: value }, {})).toThrow(new RegExp(`^${flag} must `));
    }
  });

  test.each([
    ['limits', 'redis://shop:100%@valkey.example'],
    ['limits', 'redis+sentinel://shop:100%zz@a.example,b.example/shop'],
    ['database', 'postgres://shop:100%@db.example/pets'],
    ['smtp', 'smtp://shop:100%@mail.example'],
  ] as const)('%s with a percent sign that begins no code is refused: %s', (name, value) => {
    const read = () => readConfig({ [name]: value }, {});
    expect(read).toThrow(
      'must have every percent sign of the user and the password encoded as %25',
    );
    expect(read).not.toThrow(/100/);
    const encoded = value.replace(/%(zz)?/, '%25');
    expect(readConfig({ [name]: encoded }, {})[name]).toBe(encoded);
  });

  test.each([
    'redis://shop:s3cret@valkey.example/name',
    'redis:/shop:s3cret@valkey.example',
    'mysql://:s3/cr@s3cret@db.example/pets',
    'mysql://shop:s3 cr s3cret@db.example/pets',
    'mysql://db.example/pets?password=s3cret&x=y',
  ])('shows no password: %s', (value) => {
    for (const name of ['limits', 'database']) {
      const read = () => readConfig({ [name]: value }, {});
      expect(read).toThrow(/ must /);
      expect(read).not.toThrow(/s3|cret/);
    }
  });

  test.each([
    's3cret',
    'q'.repeat(42),
    'q'.repeat(44),
    `${'q'.repeat(41)}!=`,
    'ab'.repeat(31),
    `${'ab'.repeat(32)},s3cret`,
  ])('that is a secret key is not shown: %s', (value) => {
    const read = () => readConfig({}, { PETSTORE_SECRET_KEY: value, PETSTORE_PORT: 'x' });
    expect(read).toThrow(
      /^PETSTORE_PORT must .*\nPETSTORE_SECRET_KEY must be 32 bytes in [^"]*\.$/,
    );
    expect(read).not.toThrow(new RegExp(value.slice(-6)));
  });

  test('does not hide another', () => {
    const read = () => readConfig({ port: 'x' }, { PETSTORE_ENVIRONMENT: 'x' });
    expect(read).toThrow(ConfigProblems);
    expect(read).toThrow(/^PETSTORE_ENVIRONMENT must .*\n--port must .*$/);
  });

  test('does not hide TLS files that cannot be read', async () => {
    const command = addSettings(new Command(), SETTING_NAMES);
    command.parse(['--tls-cert', '/no/cert.pem', '--tls-key', '/no/key.pem'], { from: 'user' });
    const reading = servingConfigOf(command, { PETSTORE_PORT: 'x' });
    const problem = 'cannot be read: ENOENT: no such file or directory';
    expect(await reading.catch((error: unknown) => String(error))).toMatch(
      new RegExp(
        `PETSTORE_PORT must .*\nThe certificate for TLS, PETSTORE_TLS_CERT, ${problem}, /no/cert.pem.\nThe key for TLS, PETSTORE_TLS_KEY, ${problem}, /no/key.pem.`,
      ),
    );
    await expect(reading).rejects.toBeInstanceOf(ConfigProblems);
  });
});

describe('--port and --ops-port', () => {
  const read = (variables: Record<string, string>) => () => readConfig({}, variables);

  test.each([
    { PETSTORE_PORT: '9000', PETSTORE_OPS_PORT: '9000' },
    { PETSTORE_PORT: '9000', PETSTORE_OPS_PORT: '9000', PETSTORE_HOST: '0.0.0.0' },
    { PETSTORE_PORT: '9000', PETSTORE_OPS_PORT: '9000', PETSTORE_OPS_HOST: '::' },
    { PETSTORE_PORT: '9464', PETSTORE_OPS_PORT: '9464', PETSTORE_LOG_LEVEL: 'loud' },
  ])('are refused if they are the same: %p', (variables) => {
    const message = `--port and --ops-port are both ${variables.PETSTORE_PORT}: each needs`;
    expect(read(variables)).toThrow(message);
  });

  test.each([
    { PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0' },
    { PETSTORE_PORT: '9000', PETSTORE_OPS_PORT: '9000', PETSTORE_OPS_HOST: '127.0.0.2' },
    { PETSTORE_PORT: '9000', PETSTORE_OPS_PORT: 'off' },
    // An unset port for metrics gives way.
    { PETSTORE_PORT: '9464' },
  ])('may be %p', (variables) => {
    expect(read(variables)).not.toThrow();
  });
});

test('every wrong network is reported', () => {
  const variables = { PETSTORE_TRUSTED_PROXIES: '10.0.0.0/33, 10.0.0.1, proxy, ::1/129' };
  expect(() => readConfig({}, variables)).toThrow(
    'PETSTORE_TRUSTED_PROXIES is wrong: "10.0.0.0/33" and "proxy" and "::1/129" are no IP address',
  );
});
