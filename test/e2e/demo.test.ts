import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { EMPTY_PROFILE, profileAt } from '../../src/domain/profile.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createWorkspace, expectFailure, type Workspace } from '../cli/workspace.ts';
import { idsOf } from '../support/animals.ts';
import { createClient } from '../support/client.ts';
import { runPetstore, spawnPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { type OnTerminal, startOnTerminal } from '../support/terminal.ts';
import { createVisitor } from '../support/visitor.ts';

const ROOT = join(import.meta.dir, '../..');
const KEY = /petstore_(?:live|test)_[0-9A-Za-z]{38}/;
const CURL = /^curl -H 'Authorization: Bearer (\S+)' '(http:\S+)'$/m;

let workspace: Workspace;
let running: Bun.Subprocess[];
beforeEach(() => {
  workspace = createWorkspace();
  running = [];
});
afterEach(async () => {
  for (const child of running) {
    child.kill('SIGKILL');
    await child.exited;
  }
  workspace[Symbol.dispose]();
});

const settings = () => ({ PETSTORE_DATABASE: workspace.address });

/** A running demo, with its output so far. */
interface Demo {
  readonly child: Bun.Subprocess;
  readonly output: () => string;
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the demo on a free port and waits until it has printed the first steps. */
async function start(...args: readonly string[]): Promise<Demo> {
  const child = spawnPetstore(['demo', '--port', '0', ...args], settings());
  running.push(child);
  let output = '';
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) output += decoder.decode(chunk, { stream: true });
  })();
  return ready(child, () => output, reading);
}

async function ready(
  child: Bun.Subprocess,
  output: () => string,
  reading: Promise<void>,
): Promise<Demo> {
  const text = await eventually(output, (soFar) => /^(?:curl|npm) .*\n/m.test(soFar));
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? '';
  return {
    child,
    output,
    url,
    async stop() {
      child.kill('SIGTERM');
      expect(await child.exited).toBe(0);
      await reading;
    },
  };
}

/** Runs the first line that starts with `command` in a shell; returns its output. */
async function paste(output: string, command: 'curl' | 'npm'): Promise<string> {
  const line = output.split('\n').find((text) => text.startsWith(`${command} `)) ?? '';
  const child = Bun.spawn(['sh', '-c', line], { cwd: ROOT, stderr: 'ignore' });
  return await child.stdout.text();
}

describe('the first start', () => {
  test('loads the sample, and the pasted curl line lists animals', async () => {
    const { output, url } = await start();
    expect(output()).toContain(
      `Serving on ${url}/v1\nAnimals to adopt: ${url}/adopt\nConsole: ${url}/console\n`,
    );
    expect(output()).toContain('264 sample animals');
    const animals = JSON.parse(await paste(output(), 'curl'));
    expect(animals).toHaveLength(20);
    expect(animals[0]).toEqual({
      id: expect.any(Number),
      name: expect.any(String),
      categoryId: expect.any(Number),
      status: 'available',
    });
    const names = (await workspace.animals()).map(({ name }) => name);
    expect(names).toContain('Padmé');
    expect(names).toHaveLength(264);
  });

  test('shows animals as old as in their rows, published, and an open order for each pending one', async () => {
    await start();
    const animals = await workspace.animals();
    const known = animals.map(({ profile = EMPTY_PROFILE }) => profileAt(profile, Date.now()));
    expect(known.every(({ published, species }) => published && species !== null)).toBe(true);
    const groups = new Set(known.map(({ ageGroup }) => ageGroup));
    expect(groups).toEqual(new Set(['baby', 'young', 'adult', 'senior']));
    const storage = await openStorage(workspace.address, 'production');
    const { items: orders } = await storage.orders.list({}, { afterId: undefined, limit: 1_000 });
    await storage.close();
    const pending = animals.filter(({ status }) => status === 'pending');
    expect(orders.map(({ petId }) => petId)).toEqual(pending.map(({ id }) => id));
    expect(new Set(orders.map(({ status }) => status))).toEqual(new Set(['placed', 'approved']));
  });

  test('shows one key, once, with the plan business and the scope admin', async () => {
    const { output, url } = await start();
    const [, key = '', address] = CURL.exec(output()) ?? [];
    expect(address).toStartWith(`${url}/v1/pets?`);
    expect(key).toStartWith('petstore_live_');
    expect(
      output()
        .split('\n')
        .filter((line) => line === key),
    ).toHaveLength(1);
    const storage = await openStorage(workspace.address, 'production');
    const keys = await storage.keys.list();
    await storage.close();
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatchObject({ plan: 'business', scopes: ['admin'], expiresAt: null });
    const { status } = await createClient(() => url, key).post(
      '/v1/pets',
      '{"name":"Rex","categoryId":1}',
    );
    expect(status).toBe(201);
  });

  test('shows an invitation for the first manager, who then signs in', async () => {
    const { output, url } = await start();
    const [invitation = ''] = /^http\S+\/console\/invitation#\S+$/m.exec(output()) ?? [];
    expect(invitation).toStartWith(url);
    const visitor = createVisitor(() => url);
    const password = 'seven quiet llamas';
    const accepted = { invitation: new URL(invitation).hash.slice(1), password };
    expect((await visitor.post('/console/invitation', accepted)).status).toBe(204);
    const email = 'manager@example.org';
    expect((await visitor.post('/console/session', { email, password })).status).toBe(204);
    expect((await visitor.get('/v1/people')).status).toBe(200);
  });

  test('of staging creates a key for staging', async () => {
    const { output } = await start('--environment', 'staging');
    expect(CURL.exec(output())?.[1]).toStartWith('petstore_test_');
    expect(JSON.parse(await paste(output(), 'curl'))).toHaveLength(20);
  });
});

describe('a later start', () => {
  test('keeps everything, shows no key and says how to create one', async () => {
    const first = await start();
    const [, key = ''] = CURL.exec(first.output()) ?? [];
    const client = createClient(() => first.url, key);
    await client.post('/v1/pets', '{"name":"Rex","categoryId":1}');
    await first.stop();

    const second = await start();
    expect(second.output()).not.toMatch(KEY);
    expect(second.output()).toContain('The first key was shown at the first start');
    const again = createClient(() => second.url, key);
    expect(idsOf(await again.get('/v1/pets?name=rex&status=available'))).toContain(265n);
    expect(await workspace.animals()).toHaveLength(265);

    const made = KEY.exec(await paste(second.output(), 'npm'))?.[0] ?? '';
    const { status } = await createClient(() => second.url, made).get('/v1/pets');
    expect(status).toBe(200);
  });

  test('with keys but no animals loads no sample', async () => {
    await workspace.output('keys', 'create', '--name', 'me', '--plan', 'free');
    const { output } = await start();
    expect(output()).not.toMatch(KEY);
    expect(await workspace.animals()).toEqual([]);
  });

  test('with animals but no key says how to create one that works', async () => {
    await workspace.add({ name: 'Rex' });
    const { output, url } = await start();
    expect(output()).toContain('There is no key yet');
    expect(await workspace.animals()).toHaveLength(1);
    const key = KEY.exec(await paste(output(), 'npm'))?.[0] ?? '';
    expect((await createClient(() => url, key).get('/v1/pets')).text).toContain('"Rex"');
  });
});

test('a start on a port in use creates no key, since nobody would see it', async () => {
  using other = createWorkspace();
  const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const args = ['demo', '--port', String(taken.port)];
  const { exitCode, stdout, stderr } = await runPetstore(args, {
    PETSTORE_DATABASE: other.address,
  });
  taken.stop(true);
  expect(exitCode).toBe(1);
  expect(stdout).not.toMatch(KEY);
  expect(stderr).toMatch(/^petstore: another program uses this port[^\n]*\n$/);
  expect(await other.animals()).toEqual([]);
  const storage = await openStorage(other.address, 'production');
  expect(await storage.keys.list()).toEqual([]);
  await storage.close();
});

test('a start that cannot fill the database exits, and the next one shows the key', async () => {
  await workspace.output('migrate');
  {
    using database = new Database(workspace.path('petstore.db'));
    database.run('BEGIN IMMEDIATE');
    const finished = await runPetstore(['demo', '--port', '0'], settings());
    // The log is the only output.
    const said = finished.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).msg)
      .filter((line) => !line.startsWith('could not'));
    expect(said).toEqual(['serving', 'stopping', 'stopped']);
    expectFailure({ ...finished, stdout: '' }, 1, /^petstore: .*cannot reach its database/);
  }
  const { output } = await start();
  expect(output()).toMatch(CURL);
  expect(await workspace.animals()).toHaveLength(264);
}, 60_000);

describe('the log of requests', () => {
  const onTerminal = (variables: Readonly<Record<string, string>>): OnTerminal => {
    const started = startOnTerminal(['demo', '--port', '0'], { ...settings(), ...variables });
    running.push(started.child);
    return started;
  };

  /** Sends a request, stops the service, and returns its whole output. */
  async function useAndStop({ url, stop, output }: Demo): Promise<string> {
    await fetch(`${url}/v1/pets`);
    await stop();
    return output();
  }

  test('goes to a file or a pipe', async () => {
    expect(await useAndStop(await start())).toContain('"path":"/v1/pets"');
  });

  test('is not shown on a terminal', async () => {
    const { child, screen } = onTerminal({ PETSTORE_LOG_LEVEL: '' });
    const shown = await useAndStop(await ready(child, screen, Promise.resolve()));
    expect(shown).not.toContain('/v1/pets"');
    expect(shown).toMatch(CURL);
  });

  test('is shown on a terminal if a level is set', async () => {
    const { child, screen } = onTerminal({ PETSTORE_LOG_LEVEL: 'info' });
    await useAndStop(await ready(child, screen, Promise.resolve()));
    await eventually(screen, (text) => text.includes('"path":"/v1/pets"'));
  });
});
