import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { copyFileSync, writeFileSync } from 'node:fs';
import { connect, type TLSSocket } from 'node:tls';
import {
  type Certificates,
  createCertificates,
  type IssuedFiles,
} from '../support/certificates.ts';
import { runPetstore } from '../support/command-line.ts';
import { eventually, eventuallyIs } from '../support/eventually.ts';
import { requestText } from '../support/raw-connection.ts';
import { type Serving, startServing } from '../support/serving.ts';

const BODY = '{"name":"Rex","categoryId":7}';

/** Returns the output of openssl for a handshake. */
function handshake(port: number, ...flags: readonly string[]): string {
  const command = ['openssl', 's_client', '-connect', `127.0.0.1:${port}`, ...flags];
  const { stdout, stderr } = Bun.spawnSync(command, { stdin: 'ignore' });
  return `${stdout}${stderr}`;
}

describe(`TLS`, () => {
  let certificates: Certificates;
  let ca: string;
  let first: IssuedFiles;
  let settings: Record<string, string>;
  let running: Serving[];

  beforeEach(async () => {
    certificates = await createCertificates();
    ca = await Bun.file(certificates.authority).text();
    first = await certificates.issue('first');
    running = [];
    settings = {
      PETSTORE_DATABASE: `sqlite:${certificates.file('petstore.db')}`,
      PETSTORE_TLS_CERT: first.cert,
      PETSTORE_TLS_KEY: first.key,
    };
  });
  afterEach(async () => {
    for (const { child } of running) {
      child.kill('SIGKILL');
      await child.exited;
    }
    certificates[Symbol.dispose]();
  });

  async function start(): Promise<Serving> {
    const serving = await startServing(settings);
    running.push(serving);
    return serving;
  }

  async function get({ port, client }: Serving, path: string): Promise<Response> {
    return fetch(`https://127.0.0.1:${port}${path}`, {
      headers: { authorization: `Bearer ${client.key}` },
      tls: { ca },
    });
  }

  test('a session of the console has a cookie that only goes over https', async () => {
    const { port, client } = await start();
    const url = `https://127.0.0.1:${port}`;
    const signedIn = await fetch(`${url}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ key: client.key }),
      tls: { ca },
    });
    expect(signedIn.status).toBe(204);
    const set = signedIn.headers.get('set-cookie') ?? '';
    expect(set).toMatch(/^__Host-petstore_session=\S+; Path=\/; .*; SameSite=Strict; Secure$/);
    const [cookie = ''] = set.split(';');
    const headers = { cookie };
    expect((await fetch(`${url}/v1/pets`, { headers, tls: { ca } })).status).toBe(200);
  });

  /** A new connection, with the name in the server's certificate. */
  async function open({ port }: Serving): Promise<{ socket: TLSSocket; name: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const socket = connect({ port, host: '127.0.0.1', ca }, resolve);
    socket.on('error', reject);
    await promise;
    return { socket, name: String(socket.getPeerCertificate().subject.CN) };
  }

  async function shownName(serving: Serving): Promise<string> {
    const { socket, name } = await open(serving);
    socket.destroy();
    return name;
  }

  /** Replaces the certificate files and signals the server. */
  function change(serving: Serving, { cert, key }: IssuedFiles): void {
    copyFileSync(cert, first.cert);
    copyFileSync(key, first.key);
    serving.child.kill('SIGHUP');
  }

  test('serves https, and says so', async () => {
    const serving = await start();
    expect(serving.announced()).toContain(`Serving on https://127.0.0.1:${serving.port}/v1\n`);
    const response = await get(serving, '/v1/pets');
    expect(await response.text()).toBe('[]');
    expect(response.headers.get('link')).toContain(`<https://127.0.0.1:${serving.port}/v1/pets>`);
    expect(fetch(`http://127.0.0.1:${serving.port}/livez`)).rejects.toThrow();
    const checked = await runPetstore(['healthcheck', '--port', String(serving.port)], settings);
    expect(checked).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^https:.* 200/) });
    serving.child.kill('SIGTERM');
    expect(await serving.child.exited).toBe(0);
  });

  test('accepts TLS 1.2 and 1.3, nothing older, and only HTTP/1.1', async () => {
    const { port } = await start();
    // Otherwise the client would not offer the versions that the server must refuse.
    const weak = ['-cipher', 'DEFAULT@SECLEVEL=0'];
    expect(handshake(port, '-tls1_1', ...weak)).toContain('alert protocol version');
    expect(handshake(port, '-tls1_2', ...weak)).toContain('New, TLSv1.2');
    expect(handshake(port, '-tls1_3')).toContain('New, TLSv1.3');
    expect(handshake(port, '-alpn', 'h2,http/1.1')).not.toContain('ALPN protocol: h2');
  });

  test('with TLS 1.2 accepts no cipher suite without forward secrecy', async () => {
    // An RSA key, since an elliptic-curve key allows only suites with forward secrecy.
    const { cert, key } = await certificates.issue('rsa', 'rsa');
    settings = { ...settings, PETSTORE_TLS_CERT: cert, PETSTORE_TLS_KEY: key };
    const { port } = await start();
    const handshakeWith = (cipher: string) =>
      handshake(port, '-tls1_2', '-cipher', `${cipher}@SECLEVEL=0`);
    for (const cipher of ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'AES128-SHA', 'AES256-SHA']) {
      expect(handshakeWith(cipher)).toContain('handshake failure');
    }
    for (const cipher of ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305']) {
      expect(handshakeWith(`ECDHE-RSA-${cipher}`)).toContain(`Cipher is ECDHE-RSA-${cipher}`);
    }
  });

  test('a port in use fails with one sentence, as without TLS', async () => {
    const { port } = await start();
    const { exitCode, stderr } = await runPetstore(['serve', '--port', String(port)], settings);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^petstore: another program uses this port[^\n]*\n$/);
  });

  test('invalid files fail with one sentence at the start', async () => {
    writeFileSync(first.key, 'nonsense');
    const { exitCode, stderr } = await runPetstore(['serve', '--port', '0'], settings);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^petstore: There is no PEM private key[^\n]*first-key\.pem\.\n$/);
  });

  test('SIGHUP ends no request that waits for events, but a shutdown does', async () => {
    const serving = await start();
    // Longer than a shutdown waits for requests in progress.
    const long = get(serving, '/v1/events?after=latest&wait=13');
    const longest = get(serving, '/v1/events?after=latest&wait=30');
    // Answered after both have begun.
    await get(serving, '/livez');
    change(serving, await certificates.issue('second'));
    await eventuallyIs(() => shownName(serving), 'second');
    expect(await (await long).text()).toBe('[]');
    serving.child.kill('SIGTERM');
    expect(await (await longest).text()).toBe('[]');
    expect(await serving.child.exited).toBe(0);
  }, 60_000);

  test('SIGHUP switches to the new certificate, and ends no request in progress', async () => {
    const serving = await start();
    const { socket, name } = await open(serving);
    expect(name).toBe('first');
    const head = requestText(
      'POST /v1/pets',
      'Host: x',
      `Authorization: Bearer ${serving.client.key}`,
      'Content-Type: application/json',
      `Content-Length: ${BODY.length}`,
    );
    socket.write(head + BODY.slice(0, 10));
    let received = '';
    socket.on('data', (bytes: Buffer) => {
      received += bytes;
    });
    const ended = new Promise((resolve) => socket.on('close', resolve));

    change(serving, await certificates.issue('second'));
    await eventually(
      () => serving.output(),
      (output) => output.includes('the TLS certificate was read again'),
    );
    expect(serving.output()).toContain(`"file":"${first.cert}","endsAt":"`);
    expect(await shownName(serving)).toBe('second');
    socket.write(BODY.slice(10));
    await ended;
    expect(received).toMatch(/^HTTP\/1\.1 201 /);
    expect(received.toLowerCase()).toContain('\r\nconnection: close\r\n');
    expect(await (await get(serving, '/v1/pets')).text()).toContain('"name":"Rex"');

    change(serving, await certificates.issue('third'));
    await eventuallyIs(() => shownName(serving), 'third');
    serving.child.kill('SIGTERM');
    expect(await serving.child.exited).toBe(0);
  }, 60_000);

  test('SIGHUP with invalid files only logs the problem', async () => {
    const serving = await start();
    const other = await certificates.issue('other');
    copyFileSync(other.cert, first.cert);
    serving.child.kill('SIGHUP');
    await eventually(
      () => serving.output(),
      (output) => /"level":"error".*is not that of.*stays what it was/.test(output),
    );
    expect(await shownName(serving)).toBe('first');
    expect((await get(serving, '/v1/pets')).status).toBe(200);
  }, 60_000);
});
