import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { readFileSync } from 'node:fs';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { addListed } from '../support/enquiries.ts';
import { eventually, eventuallyIs } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { startPetstore, type TestPetstore, type TestSettings } from '../support/start.ts';
import { CHANNEL_SETTINGS } from './channel.ts';
import {
  type FtpServer,
  type SftpServer,
  startFtpServer,
  startSftpServer,
} from './file-servers.ts';

setDefaultTimeout(120_000);

const SETTINGS = {
  ...CHANNEL_SETTINGS,
  PETSTORE_WEBHOOK_SCHEDULE: '10s,1m',
};

let ftp: FtpServer;
let sftp: SftpServer;
let petstore: TestPetstore;
beforeAll(async () => {
  [ftp, sftp] = [await startFtpServer(), await startSftpServer()];
});
afterAll(async () => {
  await ftp[Symbol.asyncDispose]();
  await sftp[Symbol.asyncDispose]();
});
afterEach(() => petstore[Symbol.asyncDispose]());

async function start(settings: TestSettings = {}): Promise<void> {
  const authority = readFileSync(ftp.certificates.authority, 'utf8');
  petstore = await startPetstore({ settings: { ...SETTINGS, ...settings }, authority });
}

async function addAnimals(count: number): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (let n = 0; n < count; n++) ids.push(await addListed(petstore.storage, `Rex ${n}`));
  return ids;
}

async function create(body: object): Promise<string> {
  const response = await petstore.admin.post('/v1/channels', {
    kind: 'csv',
    every: '24h',
    ...body,
  });
  expect([response.status, response.text]).toEqual([201, expect.any(String)]);
  return `/v1/channels/${JSON.parse(response.text).id}`;
}

const read = async (path: string) => JSON.parse((await petstore.admin.get(path)).text);
const send = (path: string, query = '') => petstore.admin.post(`${path}/send${query}`, undefined);

/** Waits for the newest sending to end. */
async function ended(path: string) {
  const [newest] = await eventually(
    () => read(`${path}/sendings`),
    ([first]) => first !== undefined && first.outcome !== 'pending',
  );
  return newest;
}

const endsAs = (path: string, wanted: string) =>
  eventually(
    () => ended(path),
    ({ outcome }) => outcome === wanted,
  );

describe.each(['ftps', 'sftp'] as const)('over %s', (kind) => {
  const server = () => (kind === 'ftps' ? ftp : sftp);

  test('the file arrives under its name, and nothing else does', async () => {
    await start();
    const [first] = await addAnimals(3);
    const path = await create({ address: server().address, password: server().password });
    expect(await read(`${path}/sendings`)).toEqual([]);
    const tested = JSON.parse((await petstore.admin.post(`${path}/test`, undefined)).text);
    expect(tested).toMatchObject({ works: true, rows: 3, leftOutCount: 0 });
    expect((await send(path)).status).toBe(202);
    expect(await ended(path)).toMatchObject({ outcome: 'sent', rows: 3, problem: null });
    expect(server().names()).toContain('animals.csv');
    expect(server().names()).not.toContain('animals.csv.part');
    const file = server().read('animals.csv');
    expect(file).toBe(
      await petstore.admin.get(`${path}/file`, { accept: 'text/csv' }).then(({ text }) => text),
    );
    expect(file).toContain(`\r\n${first},`);
    const known = { sentRows: 3, failures: 0, problem: null, hasSecret: true };
    expect(await read(path)).toMatchObject(known);
  });

  test('a refused sign-in is not repeated, and told, until somebody mends it', async () => {
    await start();
    await addAnimals(1);
    const path = await create({ address: server().address, password: 'wrong' });
    await send(path);
    expect(await ended(path)).toMatchObject({
      outcome: 'failed',
      problem: expect.stringContaining('refuses user'),
    });
    expect(await read(path)).toMatchObject({ status: 'disabled', disabledReason: 'sign_in' });
    const work = await read('/v1/work');
    expect(work.channels).toMatchObject({ count: 1, first: [{ disabledReason: 'sign_in' }] });
    expectError(await send(path), 'conflict');
    const mended = { password: server().password, status: 'enabled' };
    expect((await petstore.admin.patch(path, mended)).status).toBe(200);
    await send(path);
    expect(await ended(path)).toMatchObject({ outcome: 'sent' });
    expect((await read('/v1/work')).channels.count).toBe(0);
  });

  test('a place that is away is tried again after the waits of the schedule', async () => {
    await start();
    await addAnimals(1);
    const path = await create({ address: server().address, password: server().password });
    await server().stop();
    await send(path);
    expect(await ended(path)).toMatchObject({ outcome: 'failed' });
    const { nextAt, failures } = await read(path);
    expect([Date.parse(nextAt) - petstore.clock.now(), failures]).toEqual([10 * SECOND_MS, 1]);
    petstore.clock.advance(10 * SECOND_MS);
    await eventuallyIs(async () => (await read(path)).failures, 2);
    expect(Date.parse((await read(path)).nextAt) - petstore.clock.now()).toBe(MINUTE_MS);
    await server().start();
    petstore.clock.advance(MINUTE_MS);
    await eventuallyIs(async () => (await read(path)).failures, 0);
    expect(await ended(path)).toMatchObject({ outcome: 'sent' });
  });
});

test('files are sent at their interval, by themselves', async () => {
  await start();
  await addAnimals(2);
  const path = await create({ address: ftp.address, password: ftp.password, every: '1h' });
  petstore.clock.advance(60 * MINUTE_MS);
  expect(await ended(path)).toMatchObject({ outcome: 'sent', rows: 2 });
  const { nextAt } = await read(path);
  expect(Date.parse(nextAt) - petstore.clock.now()).toBe(60 * MINUTE_MS);
  // As if a clock that was two years ahead had been set back.
  petstore.clock.advance(-800 * DAY_MS);
  await eventuallyIs(async () => (await read(`${path}/sendings`)).length, 2);
});

test('once a day means at night', async () => {
  await start();
  const path = await create({ address: ftp.address, password: ftp.password });
  const next = new Date((await read(path)).nextAt);
  expect([next.getHours(), next.getMinutes()]).toEqual([3, 0]);
  expect(next.getTime() - petstore.clock.now()).toBeLessThanOrEqual(1.5 * DAY_MS);
});

describe('the guard', () => {
  test('holds back a file that is empty or has shrunk, with both numbers, until it is sent on purpose', async () => {
    await start();
    const ids = await addAnimals(10);
    const path = await create({ address: ftp.address, password: ftp.password, every: '1h' });
    await send(path);
    expect(await ended(path)).toMatchObject({ outcome: 'sent', rows: 10 });
    for (const id of ids.slice(0, 3)) await petstore.admin.delete(`/v1/pets/${id}`);
    await send(path);
    await eventually(
      () => read(`${path}/sendings`),
      ([{ outcome, rows }]) => outcome === 'sent' && rows === 7,
    );
    for (const id of ids.slice(3, 6)) await petstore.admin.delete(`/v1/pets/${id}`);
    const message = expectError(await send(path), 'conflict');
    expect(message).toContain('has 4 animals, and the one sent last had 7');
    // The one that is due is held back too.
    petstore.clock.advance(60 * MINUTE_MS);
    await eventuallyIs(async () => (await read(path)).failures, 1);
    const [held] = await read(`${path}/sendings`);
    expect(held).toMatchObject({
      outcome: 'held',
      rows: 4,
      problem: expect.stringContaining('over 30 % fewer'),
    });
    expect((await read('/v1/work')).channels.first[0].problem).toContain('had 7');
    expect(ftp.read('animals.csv').split('\r\n')).toHaveLength(9);
    expect((await send(path, '?anyway=true')).status).toBe(202);
    await eventuallyIs(async () => (await read(path)).sentRows, 4);
    expect(ftp.read('animals.csv').split('\r\n')).toHaveLength(6);
    for (const id of ids.slice(6)) await petstore.admin.delete(`/v1/pets/${id}`);
    expect(expectError(await send(path), 'conflict')).toContain(
      'has 0 animals, and the one sent last had 4',
    );
  });

  test('holds back a first file without animals', async () => {
    await start();
    const path = await create({ address: ftp.address, password: ftp.password });
    expect(expectError(await send(path), 'conflict')).toContain('none was sent before');
  });
});

test('another host key is refused before the password goes out', async () => {
  await start();
  await addAnimals(1);
  const path = await create({ address: sftp.address, password: sftp.password });
  await send(path);
  expect(await ended(path)).toMatchObject({ outcome: 'sent' });
  expect((await read(path)).hostKey).toBe(sftp.hostKey());
  await sftp.stop();
  sftp.newHostKey();
  await sftp.start();
  await send(path);
  const failed = await endsAs(path, 'failed');
  expect(failed.problem).toContain(sftp.hostKey());
  expect(await read(path)).toMatchObject({ disabledReason: 'host_key' });
  await petstore.admin.patch(path, { hostKey: sftp.hostKey(), status: 'enabled' });
  await send(path);
  await endsAs(path, 'sent');
});

test('a private key signs in', async () => {
  await start();
  await addAnimals(1);
  const path = await create({ address: sftp.address, privateKey: sftp.privateKey });
  await send(path);
  expect(await ended(path)).toMatchObject({ outcome: 'sent' });
});

test('a server behind a router that names its inner address, and tells no size, gets the file', async () => {
  await start();
  const [first] = await addAnimals(1);
  const lines = ['pasv_address=10.9.8.7', 'cmds_denied=EPSV,SIZE,MLSD'];
  await using odd = await startFtpServer({ tls: false, lines });
  const path = await create({ address: odd.address, password: odd.password });
  for (const time of ['first', 'again']) {
    await send(path);
    expect([time, await ended(path)]).toEqual([
      time,
      expect.objectContaining({ outcome: 'sent', problem: null }),
    ]);
  }
  expect(odd.names()).toEqual(['animals.csv']);
  expect(odd.read('animals.csv')).toContain(`\r\n${first},`);
});

test('a server that asks for the password in a dialog gets it', async () => {
  await start();
  await addAnimals(1);
  const lines = ['UsePAM yes', 'PasswordAuthentication no', 'KbdInteractiveAuthentication yes'];
  await using asking = await startSftpServer({ lines });
  const path = await create({ address: asking.address, password: asking.password });
  await send(path);
  expect(await ended(path)).toMatchObject({ outcome: 'sent', problem: null });
});

test('a certificate that nobody known has signed is refused', async () => {
  petstore = await startPetstore({ settings: SETTINGS });
  await addAnimals(1);
  const path = await create({ address: ftp.address, password: ftp.password });
  const { works, problem } = JSON.parse(
    (await petstore.admin.post(`${path}/test`, undefined)).text,
  );
  expect([works, problem]).toEqual([false, expect.stringMatching(/certificate|self.signed/i)]);
});

test('Petfinder keeps the id that its file is named after', async () => {
  await start();
  const path = await create({ kind: 'petfinder', accountId: 'ON101', address: ftp.address });
  expectError(await petstore.admin.patch(path, { accountId: null }), 'invalid_body');
});

test.each([
  ['http://partner.example/', 'must be like'],
  ['ftp://127.0.0.1/', 'public internet'],
  ['sftp://[::1]/x', 'public internet'],
  ['ftps://0x7f.1/x', 'public internet'],
  ['ftps://10.0.0.8/x', 'public internet'],
])('%s is refused', async (address, said) => {
  await start({ PETSTORE_WEBHOOK_ALLOW: '' });
  const refused = await petstore.admin.post('/v1/channels', { kind: 'csv', address });
  expect(expectError(refused, 'invalid_body')).toContain(said);
});
