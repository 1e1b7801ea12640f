import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { DAY_MS, MINUTE_MS } from '../../src/domain/clock.ts';
import { examined, troubles, verdictOn } from '../doctor/examination.ts';
import { createTestClock } from '../support/clock.ts';
import { eventually, eventuallyIs } from '../support/eventually.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { backupsIn, fill, petsOf, restoredPets, startMaking, untilFailures } from './making.ts';

// The server is built at its first use.
setDefaultTimeout(180_000);

/** The size of a part of an upload. */
const PART_BYTES = 5_242_880;

const PLACE = 's3://shop/petstore/backups';

let s3: S3Server;
let shop: TemporaryFolder;
let database: { readonly address: string };
beforeAll(async () => {
  s3 = await startS3Server();
  Object.assign(process.env, s3.variables);
  shop = createTemporaryFolder();
  database = { address: `sqlite:${shop.file('shop.db')}` };
  // More than fits into one part of an upload.
  await fill(database, 30_000);
});
afterEach(() => rmSync(join(s3.files, 'petstore'), { recursive: true, force: true }));
afterAll(async () => {
  for (const name of Object.keys(s3.variables)) delete process.env[name];
  await s3[Symbol.asyncDispose]();
  shop[Symbol.dispose]();
});

/** A longer answer is a file. */
const SMALL_BYTES = 8_192;

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

const inBucket = () => readdirSync(join(s3.files, 'petstore/backups')).sort();

test('backups go to a bucket, the oldest are removed, and nothing stays beside the database', async () => {
  const clock = createTestClock();
  await using making = startMaking(database, PLACE, clock, { keep: 2 });
  for (let made = 1; made <= 3; made++) {
    await eventuallyIs(() => making.log.length, made);
    if (made === 1) writeFileSync(join(s3.files, 'petstore/backups/notes.txt'), 'mine');
    if (made < 3) clock.advance(DAY_MS);
  }
  const names = [16, 17].map((day) => `petstore-production-202701${day}T120030Z.backup`);
  expect(inBucket()).toEqual(['notes.txt', ...names, 'petstore-production.id']);
  expect(making.log[2]).toContain('"removed":1');
  expect(readdirSync(shop.path).filter((name) => name.startsWith('petstore-backup'))).toEqual([]);
  const copy = shop.file('copy');
  copyFileSync(join(s3.files, 'petstore/backups', names[1] ?? ''), copy);
  expect(making.report().newest?.bytes).toBe(Bun.file(copy).size);
  expect(Bun.file(copy).size).toBeGreaterThan(PART_BYTES);
  expect(await restoredPets(copy)).toEqual(await petsOf(database));
});

test('a bucket that does not respond is tried again', async () => {
  const clock = createTestClock();
  await s3.stop();
  await using making = startMaking(database, PLACE, clock);
  await untilFailures(making, 1);
  expect(making.log).toEqual([
    expect.stringContaining(`the bucket ${PLACE} cannot be used: ConnectionRefused`),
  ]);
  await s3.start();
  clock.advance(MINUTE_MS);
  await eventually(making.report, ({ newest }) => newest !== undefined);
  expect(backupsIn(join(s3.files, 'petstore/backups'))).toHaveLength(1);
});

/** Starts a proxy to a loopback port that changes a byte of whatever is large on its way back. */
async function startDamaging(target: number): Promise<{ port: number } & Disposable> {
  const proxy: Server = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    client.pipe(server);
    server.on('data', (bytes: Buffer) => {
      const last = bytes.length - 1;
      if (last > SMALL_BYTES) bytes[last] = (bytes[last] ?? 0) ^ 1;
      client.write(bytes);
    });
    server.on('close', () => client.end());
    client.on('close', () => server.destroy());
    for (const socket of [client, server]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((listens) => proxy.listen(0, '127.0.0.1', listens));
  const address = proxy.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return { port, [Symbol.dispose]: () => void proxy.close() };
}

test('a bucket that gives back something else keeps no backup', async () => {
  const { S3_ENDPOINT = '' } = s3.variables;
  using damaging = await startDamaging(Number(new URL(S3_ENDPOINT).port));
  process.env['S3_ENDPOINT'] = `http://127.0.0.1:${damaging.port}`;
  try {
    await using making = startMaking(database, PLACE, createTestClock());
    await untilFailures(making, 1);
    expect(making.log).toEqual([
      expect.stringMatching(/gave back something else than petstore-production-\S+\.backup\.$/),
    ]);
    expect(making.report().newest).toBeUndefined();
  } finally {
    process.env['S3_ENDPOINT'] = S3_ENDPOINT;
  }
  expect(filesIn(s3.files)).toEqual(['petstore-production.id']);
});

test('petstore doctor says whether the bucket can be used, and how old the newest is', async () => {
  const settings = { PETSTORE_DATABASE: database.address, PETSTORE_BACKUP: PLACE };
  const clock = createTestClock();
  expect(troubles(await examined(settings), 'backups')).toEqual([
    `advice backups: There is no backup in ${PLACE} yet.`,
  ]);
  {
    await using making = startMaking(database, PLACE, clock);
    await eventually(making.report, ({ newest }) => newest !== undefined);
  }
  const found = await examined(settings, clock.now() + DAY_MS);
  expect(verdictOn(found, 'backups', /can be written, read and cleared/)).toBe('good');
  expect(verdictOn(found, 'backups', /newest backup is of 2027-01-15T12:00:30/)).toBe('good');
  await s3.stop();
  const [trouble = ''] = troubles(await examined(settings), 'backups');
  expect(trouble).toContain(`bad backups: No backup can be made in ${PLACE}: the bucket`);
  await s3.start();
});
