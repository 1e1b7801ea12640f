import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { addListed } from '../support/enquiries.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';
import { sent } from './channel.ts';
import { startSftpServer } from './file-servers.ts';

/* The passwords of channels are encrypted, and live as long as one of the keys that PETSTORE_SECRET_KEY had. */

setDefaultTimeout(120_000);

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const [FIRST, SECOND, THIRD] = [keyOf(1), keyOf(2), keyOf(3)];

let petstore: TestPetstore;
const sftp = forAllTests(() => startSftpServer());
afterEach(() => petstore[Symbol.asyncDispose]());

async function create(): Promise<string> {
  const settings = { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8', PETSTORE_SECRET_KEY: FIRST };
  petstore = await startPetstore({ settings });
  await addListed(petstore.storage);
  const { text } = await petstore.admin.post('/v1/channels', {
    ...{ kind: 'csv', address: sftp.address, password: sftp.password },
  });
  return `/v1/channels/${JSON.parse(text).id}`;
}

async function stored(): Promise<string> {
  const [row] = await petstore.database.sql('SELECT secret FROM channels');
  return String(row?.['secret']);
}

test('they are encrypted, never shown, and refused without a key', async () => {
  const path = await create();
  expect(await stored()).toMatch(/^aes256gcm:/);
  for (const target of [path, '/v1/channels', `${path}/sendings`]) {
    expect((await petstore.admin.get(target)).text).not.toContain(sftp.password);
  }
  const audit = await eventually(
    async () => (await petstore.admin.get('/v1/audit')).text,
    (text) => text.includes('channel.created'),
  );
  expect(audit).not.toContain(sftp.password);
  await petstore.restart({ PETSTORE_SECRET_KEY: '' });
  const other = { kind: 'csv', address: sftp.address, password: 'secret' };
  const refused = await petstore.admin.post('/v1/channels', other);
  expect(expectError(refused, 'conflict')).toContain('PETSTORE_SECRET_KEY');
  expect(petstore.log.join('')).not.toContain(sftp.password);
});

test('a new key takes over from an old one, which can be removed then', async () => {
  const path = await create();
  const before = await stored();
  expect(await sent(petstore.admin, path)).toMatchObject({ outcome: 'sent' });
  await petstore.restart({ PETSTORE_SECRET_KEY: `${SECOND},${FIRST}` });
  const after = await eventually(stored, (secret) => secret !== before);
  expect(after.slice(0, 19)).not.toBe(before.slice(0, 19));
  expect(await sent(petstore.admin, path)).toMatchObject({ outcome: 'sent' });
  await petstore.restart({ PETSTORE_SECRET_KEY: SECOND });
  expect(await sent(petstore.admin, path)).toMatchObject({ outcome: 'sent' });
  expect(await stored()).toBe(after);
});

test('one that no key decrypts is told, kept, and replaced', async () => {
  const path = await create();
  const before = await stored();
  await petstore.restart({ PETSTORE_SECRET_KEY: THIRD });
  expect(await sent(petstore.admin, path)).toMatchObject({
    outcome: 'failed',
    problem: expect.stringContaining('PETSTORE_SECRET_KEY does not contain'),
  });
  expect(await stored()).toBe(before);
  expect(petstore.log.join('')).toContain('channels get no files: PETSTORE_SECRET_KEY');
  await petstore.admin.patch(path, { password: sftp.password });
  expect(await sent(petstore.admin, path)).toMatchObject({ outcome: 'sent' });
});
