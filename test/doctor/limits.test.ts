import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { parse } from 'yaml';
import { engineFindings, inspectLimits } from '../../src/doctor/limits.ts';
import { example } from '../cluster/proxy-server.ts';
import { startValkey } from '../limits/valkey-server.ts';
import { examined, troubles, verdictOn } from './examination.ts';

// Each starts a server.
setDefaultTimeout(60_000);

const look = (address: string) =>
  examined({ PETSTORE_DATABASE: 'sqlite::memory:', PETSTORE_LIMITS: address });
const found = async (address: string) => troubles(await look(address), 'limits');
const FORGETS =
  'advice limits: It has no append-only file, so it loses counts and bans when it restarts.';

test('limits in memory need nothing', async () => {
  const findings = await look('memory:');
  expect(troubles(findings, 'limits')).toEqual([]);
});

test('the engine of examples/compose.yaml is as it should be', async () => {
  const [, ...flags] = parse(example('compose.yaml'), { merge: true }).services.valkey.command;
  expect(flags).not.toEqual([]);
  await using valkey = await startValkey(...flags);
  expect(troubles(await inspectLimits(valkey.address))).toEqual([]);
});

describe('limits in Valkey', () => {
  test('are good where it keeps what it counts', async () => {
    await using valkey = await startValkey('--appendonly', 'yes');
    const findings = await look(valkey.address);
    expect(troubles(findings, 'limits')).toEqual([]);
    for (const pattern of [/accepts the connection/, /It is (?:Redis|Valkey) \d/, /restart/]) {
      expect(verdictOn(findings, 'limits', pattern)).toBe('good');
    }
    expect(verdictOn(findings, 'clock', /limits engine agree/)).toBe('good');
    await valkey.command('CONFIG', 'SET', 'maxmemory-policy', 'volatile-ttl');
    const recommended = await look(valkey.address);
    expect(verdictOn(recommended, 'limits', /drops counts of addresses first/)).toBe('good');
    await valkey.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await found(valkey.address)).toEqual([
      'bad limits: Its maxmemory-policy is allkeys-lru: it drops counts and bans when memory is short.',
    ]);
  });

  test('are forgotten at a restart where nothing is written down', async () => {
    await using valkey = await startValkey();
    expect(await found(valkey.address)).toEqual([FORGETS]);
  });

  test('are not counted by a replica', async () => {
    await using primary = await startValkey();
    const { port } = new URL(primary.address);
    await using replica = await startValkey('--replicaof', '127.0.0.1', port);
    expect(await found(replica.address)).toEqual([
      'bad limits: It is a replica, which counts nothing.',
      FORGETS,
    ]);
  });

  test('need the password', async () => {
    await using valkey = await startValkey();
    await valkey.command('CONFIG', 'SET', 'requirepass', 'right');
    const wrong = await look(valkey.address.replace('://', '://:s3cret@'));
    const refused = `bad limits: ${valkey.address} cannot be used: it refuses this user or password.`;
    expect(troubles(wrong, 'limits')).toEqual([refused]);
    expect(JSON.stringify(wrong)).not.toContain('s3cret');
    expect(await found(valkey.address)).toEqual([refused]);
    expect(await found(valkey.address.replace('://', '://:right@'))).toEqual([FORGETS]);
  });

  test('are out of reach where it hangs or is gone', async () => {
    await using valkey = await startValkey();
    const unusable = `bad limits: ${valkey.address} cannot be used: `;
    {
      using _away = valkey.pause();
      expect(await found(valkey.address)).toEqual([`${unusable}it does not answer in time.`]);
    }
    expect(await found(valkey.address)).toEqual([FORGETS]);
    await valkey.kill();
    expect(await found(valkey.address)).toEqual([`${unusable}nothing answers there.`]);

    using other = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n') },
    });
    expect(await found(`redis://127.0.0.1:${other.port}`)).toEqual([
      expect.stringContaining('it is not a Valkey or Redis that this service may use'),
    ]);
  });
});

describe('what an engine says of itself', () => {
  const INFO = { redis_version: '7.0.15', role: 'master', maxmemory_policy: 'noeviction' };

  test.each<[string, Record<string, string>, number, string[]]>([
    ['is good', {}, 25, []],
    ['is Valkey', { valkey_version: '8.1.0', redis_version: '7.2.4' }, 1, []],
    ['is too old', { redis_version: '6.2.14' }, 1, ['bad']],
    ['has no version', { redis_version: '' }, 1, ['bad']],
    ['is a replica', { role: 'slave' }, 1, ['bad']],
    ['forgets addresses first', { maxmemory_policy: 'volatile-ttl' }, 1, []],
    ['forgets at will', { maxmemory_policy: 'volatile-lru' }, 1, ['bad']],
    ['does not say what it forgets', { maxmemory_policy: '' }, 1, ['bad']],
    ['is far away', {}, 26, ['advice']],
    ['forgets at a restart', { aof_enabled: '0' }, 1, ['advice']],
  ])('%s', (_name, changes, roundTrip, verdicts) => {
    const facts = Object.entries({ ...INFO, aof_enabled: '1', ...changes });
    const info = `# Server\r\n${facts.map(([name, value]) => `${name}:${value}`).join('\r\n')}\r\n`;
    const findings = [...engineFindings(info, roundTrip)];
    const found = findings.map(({ verdict }) => verdict).filter((verdict) => verdict !== 'good');
    expect(found).toEqual(verdicts as typeof found);
  });
});
