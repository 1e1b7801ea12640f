import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import { DAY_MS } from '../../src/domain/clock.ts';
import { startValkey } from '../limits/valkey-server.ts';
import { createCertificates } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { forAllTests } from '../support/lifetime.ts';
import { giveToServer, startPostgres } from '../support/postgres-server.ts';
import { examined, troubles, verdictOn } from './examination.ts';

// Each starts a server.
setDefaultTimeout(60_000);

describe(`a certificate`, () => {
  const certificates = forAllTests(() => createCertificates());

  test('of PostgreSQL is trusted, or reported', async () => {
    const { authority, certificate, key } = certificates;
    giveToServer(key);
    await using server = await startPostgres(
      ...['ssl=on', `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`],
    );
    const look = (parameters: string) =>
      examined({ PETSTORE_DATABASE: `${server.addressOf('postgres')}?${parameters}` });
    const trusted = await look(`sslmode=verify-full&sslrootcert=${authority}`);
    expect(verdictOn(trusted, 'database', /accepts the connection/)).toBe('good');
    const [untrusted] = troubles(await look('sslmode=verify-full'), 'database');
    expect(untrusted).toMatch(/^bad database: .* cannot be reached: .*unable to verify/);
  });

  test('of the service itself is looked at before clients do', async () => {
    const { certificate, key, otherKey } = certificates;
    const found = async (settings: Record<string, string>, now = Date.now()) =>
      troubles(
        await examined({ PETSTORE_DATABASE: 'sqlite::memory:', ...settings }, now),
        'settings',
      );
    const files = { PETSTORE_TLS_CERT: certificate, PETSTORE_TLS_KEY: key };
    expect(await found(files)).toEqual([]);
    // Those of the tests end after 30 days.
    expect(await found(files, Date.now() + 20 * DAY_MS)).toEqual([
      expect.stringMatching(/^advice settings: The certificate expires on \d{4}-\d\d-\d\d\.$/),
    ]);
    expect(await found(files, Date.now() + 31 * DAY_MS)).toEqual([
      expect.stringMatching(/^bad settings: The certificate in .* ended on /),
    ]);
    expect(await found({ PETSTORE_TLS_CERT: certificate })).toEqual([
      'bad settings: TLS needs a key too: set --tls-key or PETSTORE_TLS_KEY.',
    ]);
    expect(await found({ ...files, PETSTORE_TLS_KEY: otherKey })).toEqual([
      expect.stringMatching(/^bad settings: The key in .* is not that of /),
    ]);
    expect(await found({ ...files, PETSTORE_TLS_CERT: `${certificate}.gone` })).toEqual([
      expect.stringMatching(
        /^bad settings: The certificate for TLS, PETSTORE_TLS_CERT, cannot be read: /,
      ),
    ]);
  });

  test('whose key others may read, or its group may change, is reported', async () => {
    const { cert, key } = await certificates.issue('open');
    const found = async (mode: number) => {
      chmodSync(key, mode);
      const files = { PETSTORE_TLS_CERT: cert, PETSTORE_TLS_KEY: key };
      const settings = { PETSTORE_DATABASE: 'sqlite::memory:', ...files };
      const findings = await examined(settings, Date.now());
      return troubles(findings, 'settings');
    };
    for (const mode of [0o400, 0o600, 0o640]) expect(await found(mode)).toEqual([]);
    for (const mode of [0o644, 0o660, 0o604, 0o666]) {
      expect(await found(mode)).toEqual([
        `advice settings: The TLS key in ${key} is accessible to other users of this machine: its mode is 0${mode.toString(8)}.`,
      ]);
    }
  });

  test('does not hide a petstore that has a port', async () => {
    const { certificate, key } = certificates;
    using server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      tls: { cert: Bun.file(certificate), key: Bun.file(key) },
      fetch: ({ url }) => new Response(url.endsWith('/livez') ? '{"status":"live"}' : ''),
    });
    const findings = await examined({
      PETSTORE_DATABASE: 'sqlite::memory:',
      PETSTORE_PORT: String(server.port),
    });
    expect(verdictOn(findings, 'ports', /is served by a petstore that is ready/)).toBe('good');
  });

  test('of Valkey is reported if it is not trusted', async () => {
    const { authority, certificate, key } = certificates;
    const port = freePort();
    await using _valkey = await startValkey(
      ...['--tls-port', String(port), '--tls-cert-file', certificate, '--tls-key-file', key],
      ...['--tls-ca-cert-file', authority, '--tls-auth-clients', 'no'],
    );
    const findings = await examined({
      PETSTORE_DATABASE: 'sqlite::memory:',
      PETSTORE_LIMITS: `rediss://127.0.0.1:${port}`,
    });
    expect(troubles(findings, 'limits')).toEqual([
      expect.stringMatching(/cannot be used: its certificate is not trusted: /),
    ]);
  });
});
