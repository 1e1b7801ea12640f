import { beforeAll, describe, expect, test } from 'bun:test';
import { addAnimal, photosOf } from '../../photos/adding.ts';
import type { SentHeaders } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { picture } from '../../support/pictures.ts';
import { startPetstore } from '../../support/start.ts';

let photo: Uint8Array<ArrayBuffer>;
const petstore = forAllTests(() => startPetstore());
beforeAll(async () => {
  photo = await picture(60, 40);
});

const CSV = 'name,categoryId\nRex,1\n';

function formOf(...files: readonly (readonly [name: string, file: Blob | string])[]): FormData {
  const form = new FormData();
  for (const [name, file] of files) form.append(name, file);
  return form;
}

const jpegNamed = (name: string) => new File([photo], name, { type: 'image/jpeg' });

async function sendPhoto(body: Bun.BodyInit, headers: SentHeaders = {}) {
  const petId = await addAnimal(petstore.writer);
  const path = `/v1/pets/${petId}/photos`;
  return { petId, response: await petstore.writer.send('POST', path, { body, headers }) };
}

const startImport = (body: Bun.BodyInit, headers: SentHeaders = {}) =>
  petstore.writer.send('POST', '/v1/imports?dryRun=true', { body, headers });

describe('a file is taken', () => {
  test.each<readonly [string, () => Bun.BodyInit, SentHeaders]>([
    [
      'in a form, whose fields are ignored',
      () => formOf(['additionalMetadata', 'x'], ['file', jpegNamed('rex.jpg')]),
      {},
    ],
    ['in a form, under another name', () => formOf(['photo', jpegNamed('rex.jpg')]), {}],
    ['as bytes', () => photo, { 'content-type': 'application/octet-stream' }],
    ['without a type', () => photo, {}],
    ['as a picture of another type', () => photo, { 'content-type': 'image/jpg' }],
  ])('%s: a photo', async (_, body, headers) => {
    const { petId, response } = await sendPhoto(body(), headers);
    expect(response.status).toBe(201);
    expect(await photosOf(petstore.reader, petId)).toHaveLength(1);
  });

  test.each<readonly [string, () => Bun.BodyInit, SentHeaders]>([
    ['in a form', () => formOf(['file', new File([CSV], 'animals.csv')]), {}],
    ['as bytes', () => CSV, { 'content-type': 'application/octet-stream' }],
    ['without a type', () => Buffer.from(CSV), {}],
  ])('%s: an import', async (_, body, headers) => {
    expect((await startImport(body(), headers)).status).toBe(202);
  });
});

describe('a file is refused', () => {
  test.each<readonly [string, () => FormData]>([
    ['without one', () => formOf(['additionalMetadata', 'x'])],
    ['with two', () => formOf(['file', jpegNamed('a.jpg')], ['other', jpegNamed('b.jpg')])],
  ])('in a form %s', async (_, body) => {
    expectError((await sendPhoto(body())).response, 'invalid_body');
    expectError(await startImport(body()), 'invalid_body');
  });

  test('in a form that is larger than the file may be', async () => {
    const large = new Blob([new Uint8Array(20_971_521)]);
    expectError((await sendPhoto(formOf(['file', large]))).response, 'body_too_large');
  });

  test.each(['image/heic', 'image/HEIF', 'image/avif; a=b'])(
    'as %s, before it is sent, with how to convert it',
    async (type) => {
      const { response } = await sendPhoto(photo, { 'content-type': type });
      const message = expectError(response, 'unsupported_media_type');
      expect(message).toContain('JPEG');
      expect(message).toContain('iPhone');
    },
  );

  test('as another type', async () => {
    const { response } = await sendPhoto(photo, { 'content-type': 'text/plain' });
    const message = expectError(response, 'unsupported_media_type');
    expect(message).toContain('multipart/form-data');
    expectError(await startImport(CSV, { 'content-type': 'image/png' }), 'unsupported_media_type');
  });
});

describe('a repeat with an Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': crypto.randomUUID() });
  const csvNamed = (name: string, text = CSV) => new File([text], name, { type: 'text/csv' });

  test('is the same file in another form', async () => {
    const headers = key();
    const first = await startImport(formOf(['file', csvNamed('a.csv')]), headers);
    const again = formOf(['note', 'second try'], ['upload', csvNamed('a.csv')]);
    const second = await startImport(again, headers);
    expect([second.status, second.text]).toEqual([202, first.text]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  test.each([
    ['another name', csvNamed('b.csv')],
    ['other bytes', csvNamed('a.csv', `${CSV}Una,1\n`)],
  ])('is refused for a file of %s', async (_, other) => {
    const headers = key();
    await startImport(formOf(['file', csvNamed('a.csv')]), headers);
    const refused = await startImport(formOf(['file', other]), headers);
    expectError(refused, 'idempotency_key_reused');
  });
});
