import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { runPetstore } from '../support/command-line.ts';
import { sqlite } from '../support/engines.ts';
import { photoWithSecrets } from '../support/pictures.ts';
import { startPetstore } from '../support/start.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { addAnimal, addPhoto, fetchFile, publish } from './adding.ts';

test('nothing that a photo tells besides its picture is in any file, nor served', async () => {
  await using petstore = await startPetstore({ engine: sqlite });
  using folder = createTemporaryFolder();
  const { file, secrets } = await photoWithSecrets();
  for (const secret of secrets) expect(Buffer.from(file).includes(secret)).toBe(true);
  const petId = await addAnimal(petstore.writer);
  await publish(petstore.writer, petId);
  const { urls } = await addPhoto(petstore.writer, petId, file);
  const served = await Promise.all(
    Object.values(urls).map(async (url) => (await fetchFile(petstore, url)).bytes()),
  );
  const path = petstore.database.address.slice('sqlite:'.length);
  const backup = folder.file('backup');
  await runPetstore(['backup', backup], { PETSTORE_DATABASE: petstore.database.address });
  const stored = [path, `${path}-wal`, backup].map((name) => readFileSync(name));
  // What is searched does hold the pictures.
  const sample = Buffer.from(served[0]?.subarray(100, 200) ?? []);
  expect(stored.some((bytes) => bytes.includes(sample))).toBe(true);
  for (const bytes of [...served, ...stored]) {
    for (const secret of secrets) {
      expect(Buffer.from(bytes).includes(secret), secret.toString('latin1')).toBe(false);
    }
  }
});

test('a photo of a sensor on its side is upright', async () => {
  await using petstore = await startPetstore({ engine: sqlite });
  const { file } = await photoWithSecrets();
  const petId = await addAnimal(petstore.writer);
  await publish(petstore.writer, petId);
  const { width, height, urls } = await addPhoto(petstore.writer, petId, file);
  expect([width, height]).toEqual([1_200, 1_600]);
  const small = await (await fetchFile(petstore, urls.full)).bytes();
  // The left half of the sensor is dark. Turned to the right, it is the upper one.
  const { data } = await pixels(small);
  expect(data.top).toBeLessThan(60);
  expect(data.bottom).toBeGreaterThan(180);
});

/** The green of the upper and of the lower half, from the pixels of a tiny PNG. */
async function pixels(file: Uint8Array) {
  const png = await new Bun.Image(file).resize(1, 2).png().bytes();
  const { inflateSync } = await import('node:zlib');
  const bytes = Buffer.from(png);
  const at = bytes.indexOf('IDAT');
  const rows = inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)));
  const rowLength = rows.length / 2;
  const filter = rows[rowLength] ?? 0;
  const top = rows[2] ?? 0;
  const second = rows[rowLength + 2] ?? 0;
  // Only the filters `none` and `up` leave something to do in a row of one pixel.
  return { data: { top, bottom: filter === 2 ? (second + top) % 256 : second } };
}
