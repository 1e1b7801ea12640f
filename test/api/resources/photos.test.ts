import { beforeAll, describe, expect, test } from 'bun:test';
import {
  addAnimal,
  addPhoto,
  fetchFile,
  photosOf,
  publish,
  type ShownPhoto,
  sendPhoto,
} from '../../photos/adding.ts';
import { numbered } from '../../storage/change-recorder.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { hugePng, jpegOfScans, photoWithSecrets, picture } from '../../support/pictures.ts';
import { startPetstore } from '../../support/start.ts';

let small: Uint8Array<ArrayBuffer>;

const petstore = forAllTests(() => startPetstore());
beforeAll(async () => {
  small = await picture(400, 300);
});

async function sizeOf(address: string): Promise<readonly [number, number, string]> {
  const response = await fetchFile(petstore, address);
  expect(response.status).toBe(200);
  const { width, height, format } = await new Bun.Image(await response.bytes()).metadata();
  return [width, height, format];
}

describe('a photo', () => {
  test('is kept in sizes that are no larger than it was', async () => {
    const petId = await addAnimal(petstore.writer);
    await publish(petstore.writer, petId);
    const photo = await addPhoto(petstore.writer, petId, await picture(3_000, 2_000));
    expect(photo).toMatchObject({
      alt: null,
      position: 1,
      focus: { x: 0.5, y: 0.5 },
      width: 2_048,
      height: 1_365,
    });
    const { urls } = photo;
    expect(await sizeOf(urls.small)).toEqual([320, 213, 'webp']);
    expect(await sizeOf(urls.medium)).toEqual([640, 426, 'webp']);
    expect(await sizeOf(urls.large)).toEqual([1_280, 853, 'webp']);
    expect(await sizeOf(urls.jpeg)).toEqual([1_280, 853, 'jpeg']);
    expect(await sizeOf(urls.full)).toEqual([2_048, 1_365, 'jpeg']);
  });

  test('that is narrow has fewer files', async () => {
    const petId = await addAnimal(petstore.writer);
    await publish(petstore.writer, petId);
    const { urls, width } = await addPhoto(petstore.writer, petId, small);
    expect(width).toBe(400);
    expect(urls.medium).toBe(urls.large);
    expect(urls.jpeg).toBe(urls.full);
    expect(await sizeOf(urls.large)).toEqual([400, 300, 'webp']);
  });

  test.each(['png', 'webp'] as const)('may be a %s, whatever the header says', async (format) => {
    const petId = await addAnimal(petstore.writer);
    const photo = await addPhoto(petstore.writer, petId, await picture(50, 40, format));
    expect(photo).toMatchObject({ width: 50, height: 40 });
  });

  test('is found at its Location, and in the list of its animal', async () => {
    const petId = await addAnimal(petstore.writer);
    const added = await sendPhoto(petstore.writer, petId, small, '?alt=A%20brown%20dog');
    const location = added.headers.get('location') ?? '';
    const found = await petstore.reader.get(location.slice(petstore.url.length));
    expect(found.text).toBe(added.text);
    expect(found.headers.get('etag')).toBe(added.headers.get('etag'));
    expect(await photosOf(petstore.reader, petId)).toEqual([JSON.parse(added.text)]);
    expect(JSON.parse(added.text).alt).toBe('A brown dog');
  });

  test('that is sent again is the same photo', async () => {
    const petId = await addAnimal(petstore.writer);
    const first = await sendPhoto(petstore.writer, petId, small);
    const again = await sendPhoto(petstore.writer, petId, small, '?alt=Other');
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
  });

  test('with an Idempotency-Key is added once', async () => {
    const petId = await addAnimal(petstore.writer);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await sendPhoto(petstore.writer, petId, small, '', headers);
    const again = await sendPhoto(petstore.writer, petId, small, '', headers);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('is upright, and tells nothing but what it shows', async () => {
    const { file, secrets } = await photoWithSecrets();
    const petId = await addAnimal(petstore.writer);
    await publish(petstore.writer, petId);
    const photo = await addPhoto(petstore.writer, petId, file);
    expect([photo.width, photo.height]).toEqual([1_200, 1_600]);
    for (const address of Object.values(photo.urls)) {
      const served = Buffer.from(await (await fetchFile(petstore, address)).arrayBuffer());
      for (const secret of secrets) expect(served.includes(secret)).toBe(false);
      expect(served.includes('Exif')).toBe(false);
    }
    const [names] = await petstore.database.sql('SELECT count(*) AS n FROM photo_files');
    expect(Number(names?.['n'])).toBeGreaterThan(3);
    // The dark half was on the left of the sensor, so it is at the top of the turned picture.
    const full = await (await fetchFile(petstore, photo.urls.full)).bytes();
    const halves = await new Bun.Image(full).resize(1, 2).png().bytes();
    expect(halves.length).toBeGreaterThan(0);
  });
});

describe('a file that is refused', () => {
  test.each([
    ['JPEG', 'jpeg'],
    ['PNG', 'png'],
    ['WebP', 'webp'],
  ] as const)('a %s that is cut off', async (name, format) => {
    const petId = await addAnimal(petstore.writer);
    const file = await picture(300, 300, format);
    const sent = await sendPhoto(petstore.writer, petId, file.slice(0, file.length / 2));
    expect(expectError(sent, 'invalid_request')).toBe(
      `The ${name} file is cut off: its end is missing.`,
    );
    expect(await photosOf(petstore.reader, petId)).toEqual([]);
  });

  test('a PNG that is damaged', async () => {
    const petId = await addAnimal(petstore.writer);
    const file = await picture(300, 300, 'png');
    file.fill(0x55, 60, 90);
    const sent = await sendPhoto(petstore.writer, petId, file);
    expect(expectError(sent, 'invalid_request')).toBe(
      'The PNG file is damaged: it cannot be decoded.',
    );
  });

  test('a JPEG of many scans, each of which goes over all pixels', async () => {
    const petId = await addAnimal(petstore.writer);
    expect((await sendPhoto(petstore.writer, petId, jpegOfScans(100))).status).toBe(201);
    expect(
      expectError(await sendPhoto(petstore.writer, petId, jpegOfScans(101)), 'invalid_request'),
    ).toBe('The JPEG file is damaged: it cannot be decoded.');
  });

  test('one of 41 million pixels in a few bytes', async () => {
    const petId = await addAnimal(petstore.writer);
    const file = hugePng(8_200, 5_000);
    expect(file.length).toBeLessThan(100_000);
    const sent = await sendPhoto(petstore.writer, petId, file);
    expect(expectError(sent, 'invalid_request')).toBe(
      'The PNG file has too many pixels: at most 40 million.',
    );
  });

  test.each([
    ['HEIC', '\0\0\0\u0018ftypheic\0\0\0\0mif1heic'],
    ['AVIF', '\0\0\0\u001cftypavif\0\0\0\0avifmif1miaf'],
    ['GIF', 'GIF89a\u0001\0\u0001\0'],
  ])('a %s, by its name', async (name, file) => {
    const petId = await addAnimal(petstore.writer);
    const sent = await sendPhoto(petstore.writer, petId, file);
    expect(expectError(sent, 'unsupported_media_type')).toContain(`this is ${name}`);
  });

  test('a page that says it is a photo', async () => {
    const petId = await addAnimal(petstore.writer);
    const sent = await sendPhoto(petstore.writer, petId, '<html></html>');
    expectError(sent, 'unsupported_media_type');
  });

  test('a thirteenth one, but not the same again', async () => {
    const petId = await addAnimal(petstore.writer);
    const files = await Promise.all(
      Array.from({ length: 13 }, (_, n) => picture(40, 30, 'png', n + 2)),
    );
    for (const file of files.slice(0, 12)) await addPhoto(petstore.writer, petId, file);
    expectError(await sendPhoto(petstore.writer, petId, files[12] ?? ''), 'conflict');
    const again = await sendPhoto(petstore.writer, petId, files[3] ?? '');
    expect([again.status, JSON.parse(again.text).position]).toEqual([200, 4]);
  });

  test('one of an animal that does not exist, before it is decoded', async () => {
    expectError(await sendPhoto(petstore.writer, 999_999n, 'no photo'), 'pet_not_found');
  });
});

describe('a change', () => {
  async function withThree(): Promise<readonly [bigint, readonly ShownPhoto[]]> {
    const petId = await addAnimal(petstore.writer);
    for (const seed of [3, 4, 5]) {
      await addPhoto(petstore.writer, petId, await picture(40, 30, 'png', seed));
    }
    return [petId, await photosOf(petstore.reader, petId)];
  }
  const path = (petId: bigint, { id }: ShownPhoto) => `/v1/pets/${petId}/photos/${id}`;
  const order = async (petId: bigint) =>
    (await photosOf(petstore.reader, petId)).map(({ id, position }) => [id, position]);

  test('of the alternative text, the focus and their removal', async () => {
    const [petId, [photo]] = await withThree();
    if (photo === undefined) throw new Error('there is no photo');
    const change = { alt: 'Chloe asleep', focus: { x: 0.25, y: 1 } };
    const changed = await petstore.writer.patch(path(petId, photo), change);
    expect(JSON.parse(changed.text)).toEqual({ ...photo, ...change });
    const erased = await petstore.writer.patch(path(petId, photo), { alt: null });
    expect(JSON.parse(erased.text).alt).toBe(null);
  });

  test.each<[number, number, number[]]>([
    [1, 3, [2, 3, 1]],
    [3, 1, [3, 1, 2]],
    [2, 900, [1, 3, 2]],
  ])('of the place %i to %i moves the others', async (from, to, expected) => {
    const [petId, photos] = await withThree();
    const moved = photos[from - 1];
    if (moved === undefined) throw new Error('there is no photo');
    const { status } = await petstore.writer.patch(path(petId, moved), { position: to });
    expect(status).toBe(200);
    expect(await order(petId)).toEqual(expected.map((n, at) => [photos[n - 1]?.id ?? 0, at + 1]));
  });

  test('and a removal need the photo as it is', async () => {
    const [petId, [photo, second]] = await withThree();
    if (photo === undefined || second === undefined) throw new Error('there is no photo');
    const { headers } = await petstore.reader.get(path(petId, photo));
    const ifMatch = { 'if-match': headers.get('etag') ?? '' };
    await petstore.writer.patch(path(petId, photo), { alt: 'A cat' }, ifMatch);
    const late = await petstore.writer.patch(path(petId, photo), { alt: 'A dog' }, ifMatch);
    expectError(late, 'precondition_failed');
    expectError(await petstore.writer.delete(path(petId, photo), ifMatch), 'precondition_failed');
    expect((await petstore.writer.delete(path(petId, photo))).status).toBe(204);
    expectError(await petstore.writer.delete(path(petId, photo)), 'photo_not_found');
    expect((await order(petId))[0]).toEqual([second.id, 1]);
  });

  test.each([
    [{ position: 0 }, 'position'],
    [{ focus: { x: 1.5, y: 0 } }, 'focus.x'],
    [{ focus: { x: 0.5 } }, 'focus.y'],
    [{ focus: null }, 'focus'],
    [{ alt: 'x'.repeat(201) }, 'alt'],
  ])('%j is refused', async (change, field) => {
    const [petId, [photo]] = await withThree();
    if (photo === undefined) throw new Error('there is no photo');
    const refused = await petstore.writer.patch(path(petId, photo), change);
    expect(expectError(refused, 'invalid_body')).toContain(field);
  });

  test('is an event', async () => {
    const [petId, [photo]] = await withThree();
    if (photo === undefined) throw new Error('there is no photo');
    await numbered(petstore.storage.changes);
    const { headers } = await petstore.reader.get('/v1/events?after=latest');
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '';
    await petstore.writer.patch(path(petId, photo), { alt: 'A dog' });
    await petstore.writer.patch(path(petId, photo), { alt: 'A dog' });
    await petstore.writer.delete(path(petId, photo));
    const wait = `${next.slice(petstore.url.length)}&wait=5`;
    const types: unknown[] = [];
    for (let target = wait; types.length < 2; ) {
      const page = await petstore.reader.get(target);
      types.push(...JSON.parse(page.text).map(({ type }: { type: string }) => type));
      const { urls: _, ...shown } = { ...photo, alt: 'A dog' };
      expect(JSON.parse(page.text)[0]?.data).toEqual({ petId: Number(petId), photo: shown });
      const link = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
      target = `${link.slice(petstore.url.length)}&wait=5`;
    }
    expect(types).toEqual(['photo.updated', 'photo.removed']);
  });
});
