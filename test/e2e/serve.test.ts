import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { idOf } from '../support/animals.ts';
import { runPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { startProcessClock } from '../support/process-clock.ts';
import { openRawConnection, type RawConnection, requestText } from '../support/raw-connection.ts';
import { type Serving, startServing } from '../support/serving.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { startOnTerminal } from '../support/terminal.ts';

const BODY = '{"name":"Rex","categoryId":7}';

let folder: TemporaryFolder;
let settings: { readonly PETSTORE_DATABASE: string };
let running: Serving[];

beforeEach(() => {
  folder = createTemporaryFolder();
  settings = { PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}` };
  running = [];
});
afterEach(async () => {
  for (const { child } of running) {
    child.kill('SIGKILL');
    await child.exited;
  }
  folder[Symbol.dispose]();
});

async function start(...args: readonly string[]): Promise<Serving> {
  const serving = await startServing(settings, ...args);
  running.push(serving);
  return serving;
}

/** Sends the head of a POST, without its body, on an accepted connection. */
async function startPost({ port, client }: Serving): Promise<RawConnection> {
  const connection = openRawConnection(port);
  connection.write(requestText('GET /livez', 'Host: x'));
  await connection.response();
  connection.write(
    requestText(
      'POST /v1/pets',
      'Host: x',
      `Authorization: Bearer ${client.key}`,
      'Content-Type: application/json',
      `Content-Length: ${BODY.length}`,
    ),
  );
  return connection;
}

/** Waits until /readyz reports that the server is stopping. */
async function untilDraining({ port }: Serving): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    if (response.status !== 503) continue;
    expect(await response.json()).toMatchObject({
      status: 'not ready',
      checks: { storage: { ok: true }, serving: { ok: false, reason: 'the service is stopping' } },
    });
    return;
  }
}

describe('petstore serve', () => {
  test('prints its address and serves there', async () => {
    const { client, port, announced, output } = await start();
    expect(announced()).toContain(`Serving on http://127.0.0.1:${port}/v1\n`);
    const log = await eventually(output, (text) => text.includes('\n'));
    // The last line may be half read.
    for (const line of log.split('\n').slice(0, -1)) JSON.parse(line);
    expect((await client.get('/v1/pets')).text).toBe('[]');
  });

  test('a port in use fails with one sentence and exit 1', async () => {
    const { port } = await start();
    const { exitCode, stderr } = await runPetstore(['serve', '--port', String(port)], settings);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^petstore: another program uses this port[^\n]*\n$/);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('stops on %s with exit 0', async (signal) => {
    const { child, client, errors, output } = await start();
    await client.post('/v1/pets', BODY);
    child.kill(signal);
    expect(await child.exited).toBe(0);
    expect(await errors).toBe('');
    const log = await eventually(output, (text) => text.includes('"stopped"'));
    const lines = log
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines.filter((line) => Bun.inspect(line).includes('"stop'))).toEqual([
      expect.objectContaining({ level: 'info', msg: 'stopping', signal }),
      expect.objectContaining({ level: 'info', msg: 'stopped' }),
    ]);
    expect(lines.at(-1)).toMatchObject({ msg: 'stopped' });
  });

  test.each(['SIGUSR1', 'SIGUSR2'] as const)('%s changes nothing', async (signal) => {
    const { child, client } = await start();
    child.kill(signal);
    expect((await client.get('/readyz')).status).toBe(200);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
  });

  test('treats a second signal within a second as the same one', async () => {
    const serving = await start();
    using connection = await startPost(serving);
    await serving.client.get('/v1/pets');
    serving.child.kill('SIGINT');
    serving.child.kill('SIGTERM');
    connection.write(BODY);
    expect((await connection.response())?.status).toBe(201);
    expect(await serving.child.exited).toBe(0);
  });

  test('a later signal ends it at once', async () => {
    const serving = await start('--shutdown-delay', '1h');
    serving.child.kill('SIGTERM');
    await untilDraining(serving);
    await Bun.sleep(1_100);
    serving.child.kill('SIGTERM');
    expect(await serving.child.exited).not.toBe(0);
  });

  test('SIGHUP without TLS changes nothing, and the log says so', async () => {
    const serving = await start();
    serving.child.kill('SIGHUP');
    await eventually(
      () => serving.output(),
      (output) => output.includes('SIGHUP changes nothing'),
    );
    expect((await serving.client.get('/readyz')).status).toBe(200);
  });

  test('SIGHUP from a closed terminal stops it', async () => {
    const { child, screen } = startOnTerminal(['serve', '--port', '0'], settings);
    await eventually(screen, (text) => text.includes('Serving on'));
    child.kill('SIGHUP');
    expect(await child.exited).toBe(0);
  });

  test('keeps accepting during the delay, reports that it is stopping, and closes connections', async () => {
    const serving = await start('--shutdown-delay', '4s');
    expect((await serving.client.get('/readyz')).status).toBe(200);
    serving.child.kill('SIGTERM');
    await untilDraining(serving);
    const response = await serving.client.get('/v1/pets');
    expect(response.status).toBe(200);
    expect(response.headers.get('connection')).toBe('close');
    expect((await serving.client.get('/livez')).status).toBe(200);
    expect(await serving.child.exited).toBe(0);
  });

  test('finishes a request whose body is still arriving, then closes its connection', async () => {
    const serving = await start();
    const { child, client } = serving;
    using connection = await startPost(serving);
    connection.write(BODY.slice(0, 10));
    // After a response on another connection, the first part has been read too.
    await client.get('/v1/pets');
    child.kill('SIGTERM');
    await untilRefused(serving.port);
    connection.write(BODY.slice(10));
    const response = await connection.response();
    expect(response?.status).toBe(201);
    expect(response?.headers.get('connection')).toBe('close');
    await connection.closed;
    expect(await child.exited).toBe(0);

    const again = await start();
    expect((await again.client.get('/v1/pets')).text).toContain('"name":"Rex"');
  }, 60_000);

  test('kill -9 right after a response loses nothing, and the next start works', async () => {
    let ids: bigint[] = [];
    for (let round = 0; round < 3; round++) {
      const { child, client } = await start();
      const created = await Promise.all(
        Array.from({ length: 20 }, () => client.post('/v1/pets', BODY)),
      );
      child.kill('SIGKILL');
      await child.exited;
      expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
      ids = [...ids, ...created.map(idOf)];
    }
    const { client } = await start();
    for (const id of ids) expect((await client.get(`/v1/pets/${id}`)).status).toBe(200);
    const listed = JSON.parse((await client.get('/v1/pets?limit=100')).text);
    expect(listed).toHaveLength(ids.length);
  }, 60_000);

  test('a key created, rotated or revoked by a command takes effect on the running server', async () => {
    const { client, port } = await start();
    const run = (...args: string[]) => runPetstore(['keys', ...args, '--json'], settings);
    const { stdout } = await run('create', '--name', 'new', '--plan', 'free');
    const { id, key } = JSON.parse(stdout);
    const get = () =>
      fetch(`http://127.0.0.1:${port}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
    expect((await get()).status).toBe(200);
    await runPetstore(['keys', 'revoke', String(id)], settings);
    using clock = startProcessClock();
    while ((await get()).status !== 401) expect(clock.now()).toBeLessThan(3_000);
    expect((await client.get('/v1/pets')).status).toBe(200);
  });

  test('the log is one JSON object per line', async () => {
    const { child, client, output } = await start();
    await client.get('/v1/pets?name=secret');
    child.kill('SIGTERM');
    await child.exited;
    await eventually(output, (text) => text.includes('"path":"/v1/pets"'));
    const lines = output().trim().split('\n').slice(1);
    const records = lines.map((line) => JSON.parse(line));
    expect(records).toContainEqual(
      expect.objectContaining({
        operation: 'listPets',
        method: 'GET',
        path: '/v1/pets',
        status: 200,
      }),
    );
    expect(output()).not.toContain('secret');
    expect(output()).not.toContain(client.key ?? '');
  });
});

/** Waits until the server refuses new connections. */
async function untilRefused(port: number): Promise<void> {
  for (;;) {
    using connection = openRawConnection(port);
    connection.write(requestText('GET /livez', 'Host: x', 'Connection: close'));
    if ((await connection.response()) === undefined) return;
  }
}
