import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BackupOrder, makeBackup } from '../../src/backups/make.ts';
import { HOUR_MS } from '../../src/domain/clock.ts';
import { photoFileNames } from '../../src/domain/photo.ts';
import { openPhotos } from '../../src/photos/photos.ts';
import { examined, troubles } from '../doctor/examination.ts';
import { runPetstore } from '../support/command-line.ts';
import { expectError } from '../support/expect-error.ts';
import { forEachTest } from '../support/lifetime.ts';
import { picture } from '../support/pictures.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { startPetstore, type TestPetstore, type TestSettings } from '../support/start.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { addAnimal, addPhoto, fetchFile, photosOf, publish, sendPhoto } from './adding.ts';

// The server is built at its first use.
setDefaultTimeout(180_000);

const ADDRESS = 's3://shop/petstore/photos';

let s3: S3Server;
let petstore: TestPetstore;
let petId: bigint;

beforeAll(async () => {
  s3 = await startS3Server();
  Object.assign(process.env, s3.variables);
  petstore = await startPetstore({ settings: { PETSTORE_PHOTOS: ADDRESS } });
});
afterAll(async () => {
  await petstore[Symbol.asyncDispose]();
  for (const name of Object.keys(s3.variables)) delete process.env[name];
  await s3[Symbol.asyncDispose]();
});
beforeEach(async () => {
  petId = await addAnimal(petstore.writer);
  await publish(petstore.writer, petId);
});

const inBucket = () => readdirSync(join(s3.files, 'petstore/photos')).sort();
const namesIn = (urls: Readonly<Record<string, string>>) => [
  ...new Set(Object.values(urls).map((url) => url.split('/').at(-1) ?? '')),
];

describe('with a bucket', () => {
  test('the bytes are there and not in the database, and are served from there', async () => {
    const { urls } = await addPhoto(petstore.writer, petId, await picture(900, 600));
    expect(inBucket()).toEqual(expect.arrayContaining(namesIn(urls)));
    const inDatabase = 'SELECT count(content) AS n, count(*) AS names FROM photo_files';
    const [row] = await petstore.database.sql(inDatabase);
    expect([Number(row?.['n']), Number(row?.['names']) > 3]).toEqual([0, true]);
    const served = await fetchFile(petstore, urls.small);
    expect(served.status).toBe(200);
    const { width } = await new Bun.Image(await served.bytes()).metadata();
    expect(width).toBe(320);
  });

  test('that does not respond, nothing is added, and what is there comes back', async () => {
    const { urls } = await addPhoto(petstore.writer, petId, await picture(40, 30, 'png', 50));
    await s3.stop();
    const refused = await sendPhoto(petstore.writer, petId, await picture(40, 30, 'png', 51));
    expect(expectError(refused, 'service_unavailable')).toContain('bucket of its photos');
    expect((await fetchFile(petstore, urls.small)).status).toBe(503);
    expect((await photosOf(petstore.reader, petId)).length).toBe(1);
    await s3.start();
    expect((await fetchFile(petstore, urls.small)).status).toBe(200);
    await addPhoto(petstore.writer, petId, await picture(40, 30, 'png', 51));
  });

  test('files are removed from it once no photo has had them for an hour', async () => {
    const photo = await addPhoto(petstore.writer, petId, await picture(50, 30, 'png', 60));
    await petstore.writer.delete(`/v1/pets/${petId}/photos/${photo.id}`);
    const { clock, storage } = petstore;
    const photos = openPhotos(ADDRESS, storage.photoFiles, clock);
    const sweep = async () => {
      while (!(await photos.sweep(100, clock.now())).isLast);
    };
    await sweep();
    expect(inBucket()).toEqual(expect.arrayContaining(namesIn(photo.urls)));
    clock.advance(HOUR_MS + 1);
    await sweep();
    for (const name of namesIn(photo.urls)) expect(inBucket()).not.toContain(name);
    // The same file again.
    const again = await addPhoto(petstore.writer, petId, await picture(50, 30, 'png', 60));
    expect(again.urls).toEqual(photo.urls);
    expect((await fetchFile(petstore, again.urls.full)).status).toBe(200);
  });

  test('photos that were stored before it stay where they are', async () => {
    await using changing = await startPetstore();
    const id = await addAnimal(changing.writer);
    await publish(changing.writer, id);
    const before = await addPhoto(changing.writer, id, await picture(50, 30, 'png', 70));
    await changing.restart({ PETSTORE_PHOTOS: ADDRESS });
    const after = await addPhoto(changing.writer, id, await picture(50, 30, 'png', 71));
    for (const { urls } of [before, after]) {
      expect((await fetchFile(changing, urls.small)).status).toBe(200);
    }
    await changing.restart({ PETSTORE_PHOTOS: '' });
    expect((await fetchFile(changing, before.urls.small)).status).toBe(200);
    expect((await fetchFile(changing, after.urls.small)).status).toBe(404);
  });

  test('petstore doctor says whether it can be used', async () => {
    const settings = { PETSTORE_DATABASE: petstore.database.address, PETSTORE_PHOTOS: ADDRESS };
    const good = await runPetstore(['doctor'], { ...settings, ...s3.variables });
    expect(good.stdout).toContain(`The bucket ${ADDRESS} can be written, read and cleared.`);
    const wrong = { ...s3.variables, S3_SECRET_ACCESS_KEY: 'hunter2' };
    const bad = await runPetstore(['doctor'], { ...settings, ...wrong });
    expect(bad.stdout).toContain(`The bucket ${ADDRESS} cannot be used: `);
    expect(bad.stdout + bad.stderr).not.toContain('hunter2');
    expect(bad.exitCode).toBe(1);
  });
});

test('the names of files follow from the photo', () => {
  const sha256 = 'ab'.repeat(32);
  expect(photoFileNames({ sha256, width: 500 })).toEqual({
    small: `${sha256}-320.webp`,
    medium: `${sha256}-500.webp`,
    large: `${sha256}-500.webp`,
    jpeg: `${sha256}-500.jpg`,
    full: `${sha256}-500.jpg`,
  });
});

describe('a photo whose bytes the bucket has lost', () => {
  const address = () => petstore.database.address;
  const examine = () => examined({ PETSTORE_DATABASE: address(), PETSTORE_PHOTOS: ADDRESS });
  const backUp = (settings: TestSettings = {}) =>
    runPetstore(['backup', folder.file(`${crypto.randomUUID()}.backup`)], {
      PETSTORE_DATABASE: address(),
      PETSTORE_PHOTOS: ADDRESS,
      ...s3.variables,
      ...settings,
    });
  const order = (): BackupOrder => ({
    ...{ database: address(), environment: 'production', place: folder.file('backups') },
    ...{ everyMs: 1, keep: 1, now: Date.now(), checks: true, photos: ADDRESS },
  });
  const folder = forEachTest(() => createTemporaryFolder());
  beforeEach(() => {
    mkdirSync(folder.file('backups'));
  });

  test('is named by doctor and by every backup, whichever of its files is gone', async () => {
    const animal = await addAnimal(petstore.writer);
    const { urls } = await addPhoto(petstore.writer, animal, await picture(1_300, 800, 'png', 77));
    // More than a page of the bucket has.
    for (let n = 0; n < 1_100; n++) {
      writeFileSync(join(s3.files, 'petstore/photos', `${'0'.repeat(60)}${n}-320.webp`), '');
    }
    expect(troubles(await examine(), 'photos')).toEqual([]);
    expect((await backUp()).exitCode).toBe(0);
    for (const name of namesIn(urls)) {
      const path = join(s3.files, 'petstore/photos', name);
      renameSync(path, folder.file(name));
      const said = `photos without their files, of animals ${animal}`;
      expect(troubles(await examine(), 'photos')).toEqual([`bad photos: There are ${said}.`]);
      expect((await makeBackup(order(), NO_PROGRESS)).damage).toEqual([said]);
      renameSync(folder.file(name), path);
    }
    rmSync(join(s3.files, 'petstore/photos', namesIn(urls)[0] ?? ''));
    const { exitCode, stderr } = await backUp();
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`of animals ${animal}`)]);
  });

  test('cannot be looked for while the bucket is away, which loses no backup', async () => {
    await s3.stop();
    const outcome = await makeBackup(order(), NO_PROGRESS);
    await s3.start();
    expect(outcome).toMatchObject({ result: 'made', unchecked: expect.stringContaining('bucket') });
  });

  test('is told of as well if the setting is gone', async () => {
    const [trouble] = troubles(await examined({ PETSTORE_DATABASE: address() }), 'photos');
    expect(trouble).toContain('photos in a bucket, which PETSTORE_PHOTOS does not name');
  });
});

const NO_PROGRESS = { start() {}, advance() {}, isInterrupted: () => false };
