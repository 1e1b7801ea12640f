import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openValkeyLimiter } from '../../src/limits/valkey.ts';
import { type Certificates, createCertificates } from '../support/certificates.ts';
import { runPetstore } from '../support/command-line.ts';
import { freePort } from '../support/free-port.ts';
import { createServingKey } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { RULES } from './conformance.ts';
import { startValkey, type ValkeyServer } from './valkey-server.ts';

const PASSWORD = 's3cret';

// Each runs whole commands.
setDefaultTimeout(60_000);

describe('an engine with TLS', () => {
  const port = freePort();
  let certificates: Certificates;
  let server: ValkeyServer;
  beforeAll(async () => {
    certificates = await createCertificates();
    const { certificate, key, authority } = certificates;
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key];
    const trust = ['--tls-ca-cert-file', authority, '--tls-auth-clients', 'no'];
    server = await startValkey('--tls-port', String(port), ...files, ...trust);
    await server.command('ACL', 'SETUSER', 'shop', 'on', `>${PASSWORD}`, '~*', '+@all');
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    certificates[Symbol.dispose]();
  });

  const addressAt = (host: string) => `rediss://shop:${PASSWORD}@${host}:${port}`;

  /** Reads the counts of a key from there, as a person would. */
  async function listKeys(host: string, authority: string) {
    using folder = createTemporaryFolder();
    const database = { PETSTORE_DATABASE: `sqlite:${folder.file('shop.db')}` };
    await createServingKey(database, '--plan', 'free');
    const settings = { ...database, NODE_EXTRA_CA_CERTS: authority };
    return await runPetstore(['keys', 'list', '--limits', addressAt(host)], settings);
  }

  test('is used if a named authority signed its certificate', async () => {
    const { exitCode, stdout, stderr } = await listKeys('127.0.0.1', certificates.authority);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('free');
  });

  test.each<[string, string, (all: Certificates) => string]>([
    ['that nobody trusted has signed', '127.0.0.1', ({ otherAuthority }) => otherAuthority],
    ['of another name', 'localhost', ({ authority }) => authority],
  ])('is refused with a certificate %s', async (_, host, trusted) => {
    const { exitCode, stderr } = await listKeys(host, trusted(certificates));
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`rediss://${host}:${port}`);
    expect(stderr).not.toContain(PASSWORD);
  });

  test('is an outage at the start, and the log names the certificate as the reason', async () => {
    const logged: string[] = [];
    const note = (message: string, facts?: object) => logged.push(JSON.stringify([message, facts]));
    const limiter = await openValkeyLimiter({
      address: addressAt('127.0.0.1'),
      environment: 'production',
      rules: RULES,
      time: 'caller',
      log: { info: note, warn: note },
    });
    await limiter.close();
    expect(logged).toEqual([expect.stringMatching(/counts alone.*its certificate is not trusted/)]);
    expect(logged.join()).not.toContain(PASSWORD);
  });
});
