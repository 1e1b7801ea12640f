import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { example, replaced } from '../cluster/proxy-server.ts';
import type { ClientResponse } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { type PgBouncer, startConfigured } from '../support/pgbouncer.ts';
import { statement } from '../support/postgres-engine.ts';
import {
  giveToServer,
  type PostgresServer,
  startPostgres,
  startStandby,
} from '../support/postgres-server.ts';
import { startServing } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

setDefaultTimeout(120_000);

const AT_ONCE = 200;
const shipped = example('high-availability/pgbouncer.ini');
/** The service and PgBouncer prove a password; the administrator of the tests has none. */
const HBA = `host all,replication petstore 127.0.0.1/32 trust
host all all 127.0.0.1/32 scram-sha-256
`;
const USER = 'seller';
const PASSWORD = 's3cret "and" spaced';

/** Starts PgBouncer with the shipped file in front of a server; only addresses and the path differ. */
function startExample(server: PostgresServer): Promise<PgBouncer> {
  return startConfigured((port, folder) => {
    const users = folder.file('users.txt');
    writeFileSync(users, `"${USER}" "${PASSWORD.replaceAll('"', '""')}"\n`, { mode: 0o600 });
    giveToServer(users);
    const changes = [
      [/(?<=host=127\.0\.0\.1 port=)5432/, String(server.port)],
      [/(?<=^listen_addr = )\*/m, '127.0.0.1'],
      [/(?<=^listen_port = )6432/m, String(port)],
      [/(?<=^auth_file = )\S+/m, users],
    ] as const;
    // Debian's default folder of the socket belongs to the system's PgBouncer.
    const sockets = `\nunix_socket_dir = ${folder.path}\n`;
    return changes.reduce((text, [part, by]) => replaced(text, part, by), shipped) + sockets;
  });
}

describe('pgbouncer.ini', () => {
  const [poolSize = 0] = /(?<=^default_pool_size = )\d+/m.exec(shipped)?.map(Number) ?? [];

  test('leaves connections for replication, Patroni and an administrator', () => {
    const [most = 0] =
      /(?<=max_connections: )\d+/.exec(example('high-availability/patroni.yml'))?.map(Number) ?? [];
    expect(poolSize).toBeLessThanOrEqual(most - 20);
    expect(poolSize % 16).toBe(0);
  });

  test('serves with a password, and follows the primary to the next host', async () => {
    await using parts = new AsyncDisposableStack();
    using folder = createTemporaryFolder();
    writeFileSync(folder.file('pg_hba.conf'), HBA, { mode: 0o644 });
    Bun.spawnSync(['chmod', '755', folder.path]);
    const strict = `hba_file=${folder.file('pg_hba.conf')}`;
    const primary = parts.use(await startPostgres(strict));
    const quoted = `'${PASSWORD}'`;
    const admin = primary.addressOf('postgres');
    await statement(admin, `CREATE ROLE ${USER} LOGIN PASSWORD ${quoted}`);
    await statement(admin, `CREATE DATABASE petstore OWNER ${USER}`);
    const standby = parts.use(await startStandby(primary, strict));
    const poolers = [await startExample(standby), await startExample(primary)];
    for (const pooler of poolers) parts.use(pooler);
    const hosts = poolers.map(({ port }) => `127.0.0.1:${port}`).join();
    const credentials = `${USER}:${encodeURIComponent(PASSWORD)}`;

    const { client } = parts.use(
      await startServing({ PETSTORE_DATABASE: `postgres://${credentials}@${hosts}/petstore` }),
    );
    /** Retries 503, which a machine busy with other tests causes, too. */
    const statusOf = async (send: () => Promise<ClientResponse>) =>
      (await eventually(send, (response) => response.status !== 503)).status;
    const add = () => statusOf(() => client.post('/v1/pets', { name: 'Rex', categoryId: 1 }));
    const list = () => statusOf(() => client.get('/v1/pets'));
    const statuses = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) => (n % 4 === 0 ? add() : list())),
    );
    expect(new Set(statuses)).toEqual(new Set([201, 200]));

    await primary.kill();
    await standby.promote();
    expect(await add()).toBe(201);
  });
});
