import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { createClient } from '../support/client.ts';
import { sqlite } from '../support/engines.ts';
import { picture } from '../support/pictures.ts';
import { createServingKey, type Serving, startServing, UNLIMITED } from '../support/serving.ts';
import { addAnimal, photosOf, sendPhoto } from './adding.ts';

setDefaultTimeout(120_000);

const UPLOADS = 100;
const FAMILIES = 10;

/** The most memory that a process had so far, in MiB. */
function peakOf({ child }: Serving): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

test('a hundred photos at once are added or refused for now, and others are served', async () => {
  await using database = await sqlite.createDatabase();
  const settings = { PETSTORE_DATABASE: database.address };
  await using served = await startServing(settings);
  const keys = await Promise.all(
    Array.from({ length: FAMILIES }, () => createServingKey(settings, ...UNLIMITED)),
  );
  const clients = keys.map((key) => createClient(() => `http://127.0.0.1:${served.port}`, key));
  const petIds = await Promise.all(clients.map(addAnimal));
  const files = await Promise.all(
    Array.from({ length: UPLOADS }, (_, n) => picture(900, 600, 'jpeg', n)),
  );
  const before = peakOf(served);
  let others = 0;
  const sending = Promise.all(
    files.map((file, n) =>
      // The client of the last family is only read with.
      sendPhoto(clients[n % FAMILIES] ?? served.client, petIds[n % FAMILIES] ?? 0n, file),
    ),
  );
  let isDone = false;
  void sending.then(() => {
    isDone = true;
  });
  while (!isDone) {
    expect((await served.client.get('/v1/pets')).status).toBe(200);
    others++;
  }
  const responses = await sending;
  const added = responses.filter(({ status }) => status === 201);
  const refused = responses.filter(({ status }) => status === 503);
  expect(added.length + refused.length).toBe(UPLOADS);
  expect(added.length).toBeGreaterThan(3);
  expect(others).toBeGreaterThan(10);
  for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  const kept = await Promise.all(
    petIds.map((petId, n) => photosOf(clients[n] ?? served.client, petId)),
  );
  expect(kept.flat().length).toBe(added.length);
  // All of them decoded at once would take 600 MiB.
  expect(peakOf(served) - before).toBeLessThan(200);
});

test('two servers on one database add photos of one animal in one order', async () => {
  await using database = await sqlite.createDatabase();
  const settings = { PETSTORE_DATABASE: database.address };
  await using one = await startServing(settings);
  await using other = await startServing(settings);
  const petId = await addAnimal(one.client);
  const files = await Promise.all([1, 2, 3, 4].map((n) => picture(300, 200, 'jpeg', n)));
  const sent = await Promise.all(
    files.flatMap((file, n) => [
      sendPhoto(n < 2 ? one.client : other.client, petId, file),
      // The same photo at the other server.
      ...(n === 0 ? [sendPhoto(other.client, petId, file)] : []),
    ]),
  );
  const statuses = sent.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200 || status === 201).length).toBeGreaterThan(2);
  const photos = await photosOf(other.client, petId);
  expect(photos.map(({ position }) => position)).toEqual(photos.map((_, n) => n + 1));
  expect(photos.length).toBe(statuses.filter((status) => status === 201).length);
  expect(await photosOf(one.client, petId)).toEqual(
    photos.map((photo) => ({
      ...photo,
      urls: Object.fromEntries(
        Object.entries(photo.urls).map(([use, url]) => [
          use,
          url.replace(String(other.port), String(one.port)),
        ]),
      ) as typeof photo.urls,
    })),
  );
});
