import { expect, test } from 'bun:test';
import type { PhotoCounts } from '../../src/domain/imported-photos.ts';
import type { ImportedPet } from '../../src/domain/pet.ts';
import { createWantedPhotos, photosByAddress, takePhotos } from '../../src/import/take-photos.ts';
import { createPhotoSources } from '../../src/server/import-photos.ts';
import { createWebhookClient } from '../../src/webhooks/client.ts';
import { forAllTests } from '../support/lifetime.ts';
import { startReceiver } from '../webhooks/receivers.ts';

const ALLOWED = '127.0.0.2';
const PHOTO = { sha256: 'a'.repeat(64), width: 4, height: 3 };

const server = forAllTests(() =>
  startReceiver(ALLOWED, ({ url = '' }, response) => {
    const times = server.requests.filter(({ path }) => path === url).length;
    const [, statuses = ''] = /^\/([\d-]+)/.exec(url) ?? [];
    const status = Number(statuses.split('-')[times - 1] ?? 500);
    if (url.endsWith('cut')) response.writeHead(200, { 'content-length': 100 }).write('half');
    if (url.endsWith('cut')) response.destroy();
    else response.writeHead(status).end(url.endsWith('long') ? Buffer.alloc(21_000_000) : 'photo');
  }),
);

/** Takes the photo at a path, with waits that are only noted. */
async function take(path: string): Promise<{ counts: PhotoCounts; waits: readonly number[] }> {
  const client = createWebhookClient({ webhookPorts: [], webhookAllow: [`${ALLOWED}/32`] });
  const waits: number[] = [];
  const source = createPhotoSources(
    client,
    { take: async () => PHOTO },
    async (milliseconds) => void waits.push(milliseconds),
  )(1n);
  const wanted = createWantedPhotos({ knownPhotos: async () => new Map() }, (animal) =>
    photosByAddress(animal, source),
  );
  const address = `http://${ALLOWED}:${server.port}${path}`;
  const rex: ImportedPet = {
    ...{ name: 'Rex', category: { id: 1n }, status: 'available', externalId: 'A' },
    photos: [address],
  };
  await wanted.add([rex], [1n]);
  const photo = { ...PHOTO, id: 1n, petId: 1n, alt: '', position: 1, focus: { x: 0.5, y: 0.5 } };
  const counts = await takePhotos(wanted, {
    source,
    storage: {
      photos: { add: async () => ({ photo, isNew: true }) },
      imports: { notePhoto: async () => {} },
    },
    ...{ clock: { now: () => 0 }, keyId: null, importId: -1n },
    signal: new AbortController().signal,
    beforeAdding: async () => {},
    progress: async () => {},
  });
  client.close();
  return { counts, waits };
}

const asked = (path: string) => server.requests.filter((request) => request.path === path).length;

test.each([
  // What may be right a moment later is tried three times.
  ['/200', 1, [], undefined],
  ['/500-200', 2, [1_000], undefined],
  ['/503-429-200', 3, [1_000, 5_000], undefined],
  ['/500-500-500-200', 3, [1_000, 5_000], 'The server answered 500.'],
  [
    '/200-200-200-cut',
    3,
    [1_000, 5_000],
    'The receiver closed the connection before it responded.',
  ],
  // The rest is not.
  ['/404-200', 1, [], 'The server answered 404.'],
  ['/302-200', 1, [], 'It leads to another address, which is not followed.'],
  ['/200-200-long', 1, [], 'The file has more than 20 MiB.'],
] as const)('%s is asked %d times', async (path, times, waits, reason) => {
  const taken = await take(path);
  expect(asked(path)).toBe(times);
  expect(taken.waits).toEqual([...waits]);
  const { added, failed, problems } = taken.counts;
  expect({ added, failed }).toEqual(
    reason === undefined ? { added: 1, failed: 0 } : { added: 0, failed: 1 },
  );
  expect(problems).toEqual(
    reason === undefined ? [] : [`http://${ALLOWED}:${server.port}${path}: ${reason}`],
  );
});

test('what fails ends the other photos too, before they are added', async () => {
  const second = Promise.withResolvers<void>();
  const added: bigint[] = [];
  const source = {
    fetch: async (address: string) => {
      if (address === 'b') await second.promise;
      return { bytes: new Uint8Array(0) };
    },
    ...{
      take: async () => PHOTO,
      turn: <T>(work: () => Promise<T>) => work(),
      wait: async () => {},
    },
  };
  const wanted = createWantedPhotos({ knownPhotos: async () => new Map() }, (animal) =>
    photosByAddress(animal, source),
  );
  const animal = {
    name: 'Rex',
    category: { id: 1n },
    status: 'available',
    externalId: undefined,
  } as const;
  await wanted.add(
    ['a', 'b', 'c'].map((photo) => ({ ...animal, photos: [photo] })),
    [1n, 2n, 3n],
  );
  let calls = 0;
  const taking = takePhotos(wanted, {
    source,
    storage: {
      photos: { add: async (id) => void added.push(id) },
      imports: { notePhoto: async () => {} },
    },
    ...{ clock: { now: () => 0 }, keyId: null, importId: -1n },
    signal: new AbortController().signal,
    async beforeAdding() {
      if (calls++ > 0) return;
      setTimeout(second.resolve);
      throw new Error('the key has ended');
    },
    progress: async () => {},
  });
  await expect(taking).rejects.toThrow('the key has ended');
  await second.promise;
  await Bun.sleep(0);
  expect(added).toEqual([]);
});
