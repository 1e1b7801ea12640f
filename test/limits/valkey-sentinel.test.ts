import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { inspectLimits } from '../../src/doctor/limits.ts';
import { limitsAddressProblem } from '../../src/limits/open.ts';
import { example, replaced } from '../cluster/proxy-server.ts';
import { endWithParent } from '../support/end-with-parent.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startPetstore } from '../support/start.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { startValkey, type ValkeyServer } from './valkey-server.ts';

setDefaultTimeout(60_000);

const PROGRAM = Bun.which('valkey-server') ?? Bun.which('redis-server') ?? '';
const SENTINELS = 3;
const PASSWORD = 's3cret';

const portOf = ({ address }: ValkeyServer) => new URL(address).port;

/** The shipped configuration. The first lines say how to start the engines. */
const SHIPPED = example('high-availability/sentinel.conf');
const NAME = 'petstore';

/** The flags of the engines in the shipped configuration. */
function shippedFlags(): string[] {
  const [flags = ''] = /(?<=^# +valkey-server ).*/m.exec(SHIPPED) ?? [];
  return replaced(flags, /valkey-1/, '127.0.0.1').split(' ');
}

/**
 * Starts sentinels with the shipped configuration that watch a primary; returns their hosts. Only addresses, the folder
 * and the password are their own.
 */
function startSentinels(parts: DisposableStack, primary: ValkeyServer): string[] {
  const folder = parts.use(createTemporaryFolder());
  return Array.from({ length: SENTINELS }, () => {
    const port = freePort();
    const file = folder.file(`${port}.conf`);
    const changes = [
      [/(?<=^port )26379$/m, String(port)],
      [/(?<=^sentinel announce-ip )valkey-1$/m, '127.0.0.1'],
      [/(?<=^sentinel monitor petstore )valkey-1 6379(?= 2$)/m, `127.0.0.1 ${portOf(primary)}`],
    ] as const;
    const text = changes.reduce((before, [part, by]) => replaced(before, part, by), SHIPPED);
    const own = ['bind 127.0.0.1', `dir ${folder.path}`, `sentinel auth-pass ${NAME} ${PASSWORD}`];
    writeFileSync(file, `${text}\n${own.join('\n')}\n`);
    const child = Bun.spawn(endWithParent([PROGRAM, file, '--sentinel']), { stdout: 'ignore' });
    parts.defer(() => child.kill('SIGKILL'));
    return `127.0.0.1:${port}`;
  });
}

describe('limits behind sentinels', () => {
  test.each([
    'redis+sentinel://a:26379,b/shop',
    'rediss+sentinel://u:p@a:26379,[::1]:26380/shop/1',
  ])('%s is an address', (address) => expect(limitsAddressProblem(address)).toBeUndefined());
  test.each(['redis+sentinel://a,b', 'redis+sentinel://a,,b/shop', 'redis+sentinel://a/shop?x=1'])(
    '%s is no address',
    (address) => expect(limitsAddressProblem(address)).toMatch(/redis\+sentinel:/),
  );

  test('are shared again after a failover, through any sentinel that is there', async () => {
    await using servers = new AsyncDisposableStack();
    using parts = new DisposableStack();
    const auth = ['--requirepass', PASSWORD, '--masterauth', PASSWORD, ...shippedFlags()];
    const primary = servers.use(await startValkey(...auth));
    const replicaOf = ['--replicaof', '127.0.0.1', portOf(primary)];
    const replica = servers.use(await startValkey(...auth, ...replicaOf));
    const hosts = startSentinels(parts, primary);
    // The first sentinel is out of reach.
    const address = `redis+sentinel://:${PASSWORD}@127.0.0.1:${freePort()},${hosts.join()}/${NAME}`;
    const asked = new Bun.RedisClient(`redis://${hosts[0]}`);
    parts.defer(() => asked.close());
    const named = (wanted: ValkeyServer) =>
      eventually(
        () => asked.send('SENTINEL', ['get-master-addr-by-name', NAME]),
        (found: string[] | null) => found?.[1] === portOf(wanted),
      );
    await named(primary);
    await eventually(
      () => replica.command('INFO', 'replication'),
      (info) => String(info).includes('master_link_status:up'),
    );
    // Sentinels discover each other and the replica through the primary.
    for (const host of hosts) {
      const sentinel = new Bun.RedisClient(`redis://${host}`);
      parts.defer(() => sentinel.close());
      await eventually(
        async () => String(await sentinel.send('INFO', ['sentinel'])),
        (info) => info.includes(`slaves=1,sentinels=${SENTINELS}`),
      );
    }
    await using petstore = await startPetstore({ settings: { PETSTORE_LIMITS: address } });
    const hashes = async (server: ValkeyServer) => Number(await server.command('DBSIZE'));
    await eventually(
      async () => {
        expect((await petstore.reader.get('/v1/pets')).status).toBe(200);
        return hashes(primary);
      },
      (count) => count > 0,
    );
    const findings = await inspectLimits(address);
    expect(findings.map(({ found }) => found)).toContain(
      `The sentinels of ${address.replace(`:${PASSWORD}@`, '')} name 127.0.0.1:${portOf(primary)} as the primary.`,
    );
    expect(JSON.stringify(findings)).not.toContain(PASSWORD);

    primary.pause();
    await named(replica);
    const before = await hashes(replica);
    await eventually(
      async () => {
        await petstore.keyWith({}).then(({ client }) => client.get('/v1/pets'));
        return await hashes(replica);
      },
      (count) => count > before,
    );
    expect(petstore.log.join('')).not.toContain(PASSWORD);
  });
});
