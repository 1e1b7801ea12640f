import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { runHere, spawnPetstore } from '../support/command-line.ts';
import { chosenEngine, type TestDatabase } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { type Serving, startServing } from '../support/serving.ts';
import { type HttpReceiver, startReceiver } from '../webhooks/receivers.ts';
import { expectFailure } from './workspace.ts';

// The first may have to start a database server, and each command is a process.
setDefaultTimeout(120_000);

/** Collects the text of a stream. */
function collectLines(stream: ReadableStream<Uint8Array>): () => string {
  let text = '';
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  })();
  return () => text;
}

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/m;

describe.each([chosenEngine()])('petstore webhooks on $name', (engine) => {
  let database: TestDatabase;
  let serving: Serving;
  let receiver: HttpReceiver;
  let status = 204;
  let settings: Record<string, string>;
  beforeAll(async () => {
    database = await engine.createDatabase();
    receiver = await startReceiver('127.0.0.1', (_, response) => {
      response.statusCode = status;
      response.end();
    });
    settings = {
      PETSTORE_DATABASE: database.address,
      PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8',
      PETSTORE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    serving = await startServing(settings);
  });
  afterAll(async () => {
    await serving[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const run = (...args: string[]) => runHere(['webhooks', ...args], settings);
  async function output(...args: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await run(...args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return stdout;
  }
  const json = async (...args: string[]) => JSON.parse(await output(...args, '--json'));
  const url = (path: string) => `http://127.0.0.1:${receiver.port}/${path}`;
  const received = (path: string) => receiver.requests.filter((each) => each.path === `/${path}`);

  test('there are none yet', async () => {
    expect(await output('list')).toMatch(
      /^There are no webhooks yet. Create one with `.+ webhooks create`\.\n$/,
    );
    expect(await json('list')).toEqual([]);
  });

  test('one that is created while a server runs gets its events, signed with the secret', async () => {
    const types = 'pet.created, pet.deleted,pet.created';
    const created = await json('create', url('live'), '--types', types, '--description', 'Mirror');
    const { id, secret, ...facts } = created;
    expect(facts).toEqual({
      url: url('live'),
      types: ['pet.created', 'pet.deleted'],
      description: 'Mirror',
      status: 'enabled',
      disabledReason: null,
      keyId: null,
      createdAt: expect.any(String),
      lastSuccessAt: null,
      failingSince: null,
    });
    await serving.client.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    const [{ body, headers } = { body: '', headers: {} }] = await eventually(
      () => received('live'),
      ({ length }) => length > 0,
    );
    const signed = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    expect(new Webhook(secret).verify(body, Object.fromEntries(signed))).toMatchObject({
      type: 'pet.created',
    });
    const listed = await eventually(
      () => json('list'),
      ([webhook]) => webhook.lastSuccessAt !== null,
    );
    expect(listed).toEqual([{ id, ...facts, lastSuccessAt: expect.any(String) }]);
    const [stored] = await database.sql('SELECT secret FROM webhooks');
    expect(stored?.['secret']).not.toContain(secret);
    await output('remove', String(id));
  });

  test('the secret is shown once, and a test is signed with it', async () => {
    const text = await output('create', url('tested'));
    const [secret = ''] = SECRET.exec(text) ?? [];
    expect(text).toMatch(/^whsec_\S+\n\nWebhook \d+ for \S+: gets all events from now on\.\nSave /);
    const [{ id }] = await json('list');
    for (const flags of [[], ['--json']]) {
      expect(await output('list', ...flags)).not.toContain('whsec_');
    }
    expect(await output('test', `${id}`)).toMatch(
      /^Webhook \d+ got the test: its receiver responded with 204 in \d+ ms\.\n$/,
    );
    const [message] = received('tested');
    const { headers, body } = message ?? { headers: {}, body: '' };
    const signed = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    expect(new Webhook(secret).verify(body, Object.fromEntries(signed))).toMatchObject({
      type: 'webhook.test',
    });
    status = 500;
    const refused = await run('test', `${id}`);
    expectFailure(refused, 1, /did not get the test.*: The receiver responded with 500\./);
    const refusedJson = await run('test', `${id}`, '--json');
    expect(refusedJson.exitCode).toBe(1);
    expect(JSON.parse(refusedJson.stdout)).toMatchObject({ delivered: false, status: 500 });
    status = 204;
    await output('remove', `${id}`);
  });

  test('forward sends its types, signed with its secret, to a program on this machine', async () => {
    const { id, secret } = await json('create', url('elsewhere'), '--types', 'pet.created');
    const { PETSTORE_WEBHOOK_ALLOW: _, ...own } = settings;
    const child = spawnPetstore(['webhooks', 'forward', `${id}`, url('laptop')], own);
    const lines = collectLines(child.stdout);
    await eventually(lines, (text) => text.includes('Ctrl+C'));
    await serving.client.post('/v1/categories', { name: 'Forwarded' });
    await serving.client.post('/v1/pets', { name: 'Forwarded', categoryId: 1 });
    const [message] = await eventually(
      () => received('laptop'),
      ({ length }) => length > 0,
    );
    const { headers, body } = message ?? { headers: {}, body: '' };
    const signed = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    expect(new Webhook(secret).verify(body, Object.fromEntries(signed))).toMatchObject({
      type: 'pet.created',
      data: { name: 'Forwarded' },
    });
    await eventually(lines, (text) => /^\d+ pet\.created: 204 \(\d+ ms\)$/m.test(text));
    expect(received('laptop')).toHaveLength(1);
    child.kill('SIGINT');
    expect(await child.exited).toBe(0);
    await output('remove', `${id}`);
  });

  test('forward refuses an address that is not this machine, and a webhook that there is not', async () => {
    const { id } = await json('create', url('elsewhere'));
    const { PETSTORE_WEBHOOK_ALLOW: _, ...own } = settings;
    const refused = await runHere(['webhooks', 'forward', `${id}`, 'http://10.0.0.7/'], own);
    expectFailure(refused, 1, /the URL must use https/);
    expectFailure(await run('forward', '999', url('laptop')), 1, /no webhook with the id 999/);
    await output('remove', `${id}`);
  });

  test('a disabled one is listed with the reason, and gets what it missed once it is enabled', async () => {
    const { id } = await json('create', url('paused'));
    status = 410;
    await serving.client.post('/v1/pets', { name: 'Bella', categoryId: 1 });
    const [listed] = await eventually(
      () => json('list'),
      ([webhook]) => webhook.status === 'disabled',
    );
    expect(listed.disabledReason).toBe('gone');
    expect(await output('list')).toContain('disabled: the endpoint responded with 410\n');
    status = 204;
    await serving.client.post('/v1/pets', { name: 'Luna', categoryId: 1 });
    expect(await output('enable', `${id}`)).toStartWith(`Webhook ${id} (${url('paused')}) is `);
    await eventually(
      () => received('paused'),
      (requests) => requests.some(({ body }) => body.includes('Luna')),
    );
    expect(await json('list')).toMatchObject([{ id, status: 'enabled', disabledReason: null }]);
    expect(await output('remove', `${id}`)).toStartWith(`Webhook ${id} is removed.`);
    expect(await json('list')).toEqual([]);
  });

  test('a wrong URL, type, description or id is refused, and nothing is created', async () => {
    for (const [wrong, problem] of [
      ['http://1.1.1.1/', /^petstore: the URL must use https\.$/m],
      ['https://10.0.0.1/', /the URL must name a host on the public internet\./],
      ['https://me:pw@partner.example/', /the URL must not contain a user name or password\./],
      [`https://partner.example/${'x'.repeat(2_048)}`, /the URL must have at most 2048 characters/],
      ['x', /the URL must be an absolute https URL\./],
    ] as const) {
      expectFailure(await run('create', wrong), 1, problem);
    }
    expectFailure(await run('create'), 2, /missing required argument 'URL'/);
    expectFailure(await run('create', url('x'), '--types', 'pet.sold'), 2, /list of pet\.created/);
    const blank = await run('create', url('x'), '--description', ' ');
    expectFailure(blank, 1, /--description must not be blank\./);
    for (const name of ['test', 'enable', 'remove']) {
      expectFailure(await run(name, '999'), 1, /there is no webhook with the id 999\./);
      expectFailure(await run(name, 'x'), 2, /must be a whole number/);
    }
    expect(await json('list')).toEqual([]);
  });
});

test('without a database, a command says where it looked and creates none', async () => {
  const missing = { PETSTORE_DATABASE: 'sqlite:/nonexistent/petstore.db' };
  for (const args of [['list'], ['create', 'https://partner.example/'], ['remove', '1']]) {
    const finished = await runHere(['webhooks', ...args], missing);
    expectFailure(finished, 1, /\/nonexistent\/petstore\.db/);
  }
});
