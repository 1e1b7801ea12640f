import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openServer } from '../../src/server/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { runPetstore } from '../support/command-line.ts';
import { freePort } from '../support/free-port.ts';
import { openRawConnection } from '../support/raw-connection.ts';
import { sampleOf, scrape } from '../support/scrape.ts';
import { createServingKey, startServing } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

// Some run whole commands.
setDefaultTimeout(60_000);

const DEFAULT_PORT = 9_464;

/** Takes a port; where somebody else has it, it is taken too. */
function takePort(port: number): { readonly port: number } & Disposable {
  try {
    const listener = Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } });
    return { port: listener.port, [Symbol.dispose]: () => listener.stop(true) };
  } catch {
    return { port, [Symbol.dispose]() {} };
  }
}

/** Opens a server on a database of its own. */
async function open(folder: ReturnType<typeof createTemporaryFolder>, opsPort: string) {
  const lines: string[] = [];
  const log = openLog('info', { write: (line) => lines.push(line) });
  const config = readConfig(
    { port: '0', opsPort },
    { PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}` },
  );
  const server = await openServer(config, { log });
  return { server, lines };
}

describe('the operations port', () => {
  test('answers /metrics in the text format, to GET and HEAD only', async () => {
    using folder = createTemporaryFolder();
    const { server } = await open(folder, '0');
    const url = server.metricsUrl ?? '';
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9][0-9]*\/metrics$/);
    const got = await fetch(url);
    expect(got.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect((await got.text()).length).toBeGreaterThan(1_000);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const posted = await fetch(url, { method: 'POST', body: 'x' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    for (const path of ['/', '/v1/pets', '/metrics/', '/docs']) {
      expect((await fetch(new URL(path, url))).status).toBe(404);
    }
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
    await server.close();
    expect(fetch(url)).rejects.toThrow();
  });

  test('that nobody explicit for may be taken: a warning, and no metrics', async () => {
    using folder = createTemporaryFolder();
    using _taken = takePort(DEFAULT_PORT);
    const { server, lines } = await open(folder, '');
    expect(server.metricsUrl).toBeUndefined();
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(lines.filter((line) => line.includes('metrics cannot be served'))).toHaveLength(1);
    expect(lines.join('')).toContain(`port ${DEFAULT_PORT}`);
    await server.close();
  });

  test('that was explicit for and is taken is a failure, which leaves nothing behind', async () => {
    using folder = createTemporaryFolder();
    using taken = takePort(0);
    expect(open(folder, String(taken.port))).rejects.toThrow(
      `metrics cannot be served on 127.0.0.1, port ${taken.port}: ` +
        'choose another one with --ops-port, or off for none',
    );
    const { server } = await open(folder, 'off');
    await server.close();

    const settings = { PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}` };
    const flags = ['--port', '0', '--ops-port', String(taken.port)];
    const { exitCode, stderr } = await runPetstore(['serve', ...flags], settings);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^petstore: metrics cannot be served on .*--ops-port.*\n$/);
  });

  test('that nobody explicit for leaves its port to the interface', async () => {
    using folder = createTemporaryFolder();
    const port = freePort();
    const lines: string[] = [];
    const database = `sqlite:${folder.file('petstore.db')}`;
    const config = readConfig({ port: String(port) }, { PETSTORE_DATABASE: database });
    const opsPort = { number: port, explicit: false };
    const log = openLog('info', { write: (line) => lines.push(line) });
    const server = await openServer({ ...config, opsPort }, { log });
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    expect(server.metricsUrl).toBeUndefined();
    expect(lines.join('')).toContain(`metrics cannot be served on 127.0.0.1, port ${port}`);
    await server.close();
  });

  test('can be switched off', async () => {
    using folder = createTemporaryFolder();
    const { server, lines } = await open(folder, 'off');
    expect(server.metricsUrl).toBeUndefined();
    expect(lines.join('')).not.toContain('metrics');
    await server.close();
  });

  test('is printed by the command, and is on the configured address', async () => {
    using folder = createTemporaryFolder();
    const settings = { PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}` };
    const serving = await startServing(settings, '--ops-port', '0', '--ops-host', '127.0.0.2');
    await serving.client.get('/v1/pets');
    const url = /^Metrics on (http:\/\/127\.0\.0\.2:\d+\/metrics)$/m.exec(serving.announced())?.[1];
    const scraped = await scrape(url ?? 'it does not say where');
    const series = 'petstore_http_requests_total{operation="listPets",status="200"}';
    expect(sampleOf(scraped, series)).toBe(1);
    serving.child.kill('SIGTERM');
    expect(await serving.child.exited).toBe(0);
  });

  test('answers until the last request is done', async () => {
    using folder = createTemporaryFolder();
    const { server } = await open(folder, '0');
    const url = server.metricsUrl ?? '';
    const settings = { PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}` };
    const key = await createServingKey(settings, '--plan', 'free');
    const body = '{"name":"Rex","categoryId":1}';
    using connection = openRawConnection(Number(new URL(server.url).port));
    connection.write(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    while (sampleOf(await scrape(url), 'petstore_http_requests_pending') === 0) await Bun.sleep(5);
    const closed = server.close();
    const created = 'petstore_http_requests_total{operation="createPet",status="201"}';
    expect(sampleOf(await scrape(url), created)).toBe(0);
    expect(sampleOf(await scrape(url), 'petstore_http_requests_pending')).toBe(1);
    connection.write(body.slice(5));
    expect((await connection.response())?.status).toBe(201);
    await closed;
    expect(fetch(url)).rejects.toThrow();
  });
});
