import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { type Certificates, createCertificates } from '../support/certificates.ts';
import { runPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { createPostgresDatabase, statement } from '../support/postgres-engine.ts';
import { giveToServer, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startPetstore } from '../support/start.ts';

const PASSWORD = 's3cret';

// Each test runs whole commands.
setDefaultTimeout(60_000);

describe('a PostgreSQL server with TLS', () => {
  let certificates: Certificates;
  let server: PostgresServer;
  beforeAll(async () => {
    certificates = await createCertificates();
    const { certificate, key } = certificates;
    giveToServer(key);
    server = await startPostgres('ssl=on', `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    certificates[Symbol.dispose]();
  });

  /** Runs `petstore migrate` on an address with these URL parameters. */
  function migrate(parameters: string, host = '127.0.0.1', settings = {}) {
    const address = `postgres://petstore:${PASSWORD}@${host}:${server.port}/postgres${parameters}`;
    return runPetstore(['migrate', '--database', address], settings);
  }

  async function expectOpened(...parameters: Parameters<typeof migrate>): Promise<void> {
    const { exitCode, stdout, stderr } = await migrate(...parameters);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('up to date');
  }

  async function expectRefused(reason: RegExp, ...parameters: Parameters<typeof migrate>) {
    const { exitCode, stdout, stderr } = await migrate(...parameters);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^petstore: postgres:\/\/petstore:\*\*\*@.* cannot be reached .*\n$/);
    expect(stderr).toMatch(reason);
    expect(stderr).not.toContain(PASSWORD);
  }

  test('is used encrypted with sslmode=require, with any signer of its certificate', async () => {
    await expectOpened('?sslmode=require');
  });

  test('is used with sslmode=verify-full if the given authority signed its certificate', async () => {
    await expectOpened(`?sslmode=verify-full&sslrootcert=${certificates.authority}`);
    const extra = { NODE_EXTRA_CA_CERTS: certificates.authority };
    await expectOpened('?sslmode=verify-full', '127.0.0.1', extra);
  });

  test('is used with sslmode=verify-full as one of several hosts', async () => {
    const root = `?sslmode=verify-full&sslrootcert=${certificates.authority}`;
    const hosts = `127.0.0.1:${freePort()},127.0.0.1`;
    await expectOpened(root, hosts);
    const other = `?sslmode=verify-full&sslrootcert=${certificates.otherAuthority}`;
    await expectRefused(/no host takes writes.*unable to verify/, other, hosts);
  });

  test('is refused if no trusted authority signed its certificate', async () => {
    const reason = /unable to verify.*sslrootcert=FILE/;
    await expectRefused(reason, '?sslmode=verify-full');
    const { otherAuthority } = certificates;
    await expectRefused(reason, `?sslmode=verify-full&sslrootcert=${otherAuthority}`);
  });

  test('is refused under a name that its certificate does not have, with sslmode=verify-full', async () => {
    const root = `&sslrootcert=${certificates.authority}`;
    await expectRefused(/does not match/, `?sslmode=verify-full${root}`, 'localhost');
    await expectOpened(`?sslmode=verify-ca${root}`, 'localhost');
  });

  test('is refused with invalid settings', async () => {
    await expectRefused(/caFile/, '?sslmode=verify-full&sslrootcert=/nowhere.pem');
    await expectRefused(/must be one of: disable.*verify-full/, '?sslmode=certainly');
  });

  test('is out of service once its new certificate is not trusted', async () => {
    const database = await createPostgresDatabase(server);
    const address = `${database.address}?sslmode=verify-full&sslrootcert=${certificates.authority}`;
    await using petstore = await startPetstore({
      engine: { name: 'postgres', createDatabase: async () => ({ ...database, address }) },
    });
    const { certificate, key, otherAuthority, otherKey } = certificates;
    copyFileSync(otherAuthority, certificate);
    copyFileSync(otherKey, key);
    await statement(database.address, 'SELECT pg_reload_conf()');
    const ending = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    // Existing sessions keep the certificate that they started with.
    const response = await eventually(
      async () => {
        await statement(database.address, ending);
        return await petstore.writer.get('/v1/pets');
      },
      ({ status }) => status !== 200,
    );
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]/);
    expect(petstore.log.join()).toContain('self signed certificate');
  });
});

describe('a PostgreSQL server without TLS', () => {
  test('is refused with sslmode=require', async () => {
    await using server = await startPostgres();
    const address = `${server.addressOf('postgres')}?sslmode=require`;
    const { exitCode, stderr } = await runPetstore(['migrate', '--database', address]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/sslmode=require cannot be reached \(.*(?:TLS|SSL|ssl).*\)/);
  });
});
