import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { inspectPorts } from '../../src/doctor/ports.ts';
import { eventually } from '../support/eventually.ts';
import { startPetstore } from '../support/start.ts';
import { examined, troubles, verdictOn } from './examination.ts';

// The first may have to start a database server.
setDefaultTimeout(60_000);

const look = (settings: Readonly<Record<string, string>>) =>
  examined({ PETSTORE_DATABASE: 'sqlite::memory:', ...settings });
const found = async (settings: Readonly<Record<string, string>>) =>
  troubles(await look(settings), 'ports');

/** Another program on a free port, which sends this whatever it is explicit. */
function otherProgram(response: string) {
  return Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        socket.write(response);
        socket.end();
      },
    },
  });
}

describe('the ports', () => {
  test('are free, and stay so', async () => {
    const { port } = await startedAndStopped();
    const settings = { PETSTORE_PORT: String(port), PETSTORE_OPS_PORT: '0' };
    for (let i = 0; i < 2; i++) {
      const findings = await look(settings);
      expect(verdictOn(findings, 'ports', /^Port \d+ of 127\.0\.0\.1 is free\.$/)).toBe('good');
      expect(verdictOn(findings, 'ports', /free for the metrics/)).toBe('good');
    }
  });

  test('have a petstore already, which is ready or is not', async () => {
    await using petstore = await startPetstore();
    const operationsPort = new URL(petstore.metricsUrl).port;
    const settings = { PETSTORE_PORT: String(petstore.port), PETSTORE_OPS_PORT: operationsPort };
    const findings = await look(settings);
    expect(verdictOn(findings, 'ports', /is served by a petstore that is ready/)).toBe('good');
    expect(verdictOn(findings, 'ports', /serves the metrics of a petstore/)).toBe('good');
    expect(troubles(await look({ ...settings, PETSTORE_HOST: '0.0.0.0' }), 'ports')).toEqual([]);
    await petstore.database.destroy();
    // An answer of /readyz is used for a quarter of a second.
    const lost = await eventually(
      () => found(settings),
      (troubles) => troubles.length > 0,
    );
    expect(lost).toEqual([
      expect.stringMatching(
        /^bad ports: .* not ready: .*(?:does not answer|not the one that was opened)/,
      ),
    ]);
  });

  test.each([
    ['another server', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'],
    ['something that does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ])('have %s', async (_name, response) => {
    using other = otherProgram(response);
    const port = String(other.port);
    expect(await found({ PETSTORE_PORT: port, PETSTORE_OPS_PORT: port })).toEqual([
      `bad ports: Port ${port} of 127.0.0.1 is used by another program.`,
      `bad ports: Port ${port} of 127.0.0.1 cannot be used for the metrics (EADDRINUSE).`,
    ]);
  });

  test('are on an address that this machine does not have', async () => {
    const away = '203.0.113.1';
    expect(await found({ PETSTORE_HOST: away, PETSTORE_OPS_PORT: '0' })).toEqual([
      `bad ports: Port 0 of ${away} cannot be used (EADDRNOTAVAIL).`,
    ]);
  });

  test('of metrics that were not set do not keep the service from running', async () => {
    // The default port may be in use on this machine, so take a different one.
    const other = otherProgram('');
    const opsPort = { number: other.port, explicit: false };
    const findings = await inspectPorts({ opsHost: '127.0.0.1', opsPort });
    other.stop(true);
    expect(troubles(findings, 'ports')).toEqual([
      expect.stringMatching(/^advice ports: Port \d+ of 127\.0\.0\.1 cannot be used/),
    ]);
  });
});

async function startedAndStopped(): Promise<{ readonly port: number }> {
  await using petstore = await startPetstore();
  return { port: petstore.port };
}
