import { describe, expect, test } from 'bun:test';
import { idOf } from '../../support/animals.ts';
import type { ClientResponse } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forAllTests(() => startPetstore());

const tagOf = (response: ClientResponse) => response.headers.get('etag') ?? '';
const addPet = async (members: object = {}) => {
  const response = await petstore.writer.post('/v1/pets', {
    name: 'Rex',
    categoryId: 7,
    ...members,
  });
  return { id: idOf(response), path: `/v1/pets/${idOf(response)}`, tag: tagOf(response) };
};

describe('the tag of a record in the response that adds it', () => {
  /** A request that adds a record. */
  const additions: readonly [string, () => Promise<[path: string, body: object]>][] = [
    ['an animal', async () => ['/v1/pets', { name: 'Rex', categoryId: 7 }]],
    ['a category', async () => ['/v1/categories', { name: crypto.randomUUID() }]],
    [
      'an order',
      async () => {
        const pii = { adopter: 'A', contact: 'B', note: 'C' };
        return ['/v1/store/orders', { petId: Number((await addPet()).id), ...pii }];
      },
    ],
  ];

  test.each(additions)('%s equals that of GET, also in a replay', async (_, addition) => {
    const [path, body] = await addition();
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const added = await petstore.writer.post(path, body, headers);
    const got = await petstore.writer.get(`${path}/${idOf(added)}`);
    expect(added.status).toBe(201);
    expect(tagOf(added)).toMatch(/^"[0-9a-f]{16}"$/);
    expect(tagOf(added)).toBe(tagOf(got));
    const again = await petstore.writer.post(path, body, headers);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect([again.text, tagOf(again)]).toEqual([added.text, tagOf(added)]);
  });

  test('is sent to a request without an Idempotency-Key too', async () => {
    const { path, tag } = await addPet();
    expect(tag).toBe(tagOf(await petstore.reader.get(path)));
  });
});

describe('the tag of a list of one id', () => {
  const list = (id: bigint, more = '') => petstore.reader.get(`/v1/pets?id=${id}${more}`);

  test.each(['', '&status=available', '&name=re', '&limit=1', '&categoryId=7'])(
    'equals that of the animal (with %p)',
    async (more) => {
      const { id, path, tag } = await addPet();
      expect(tagOf(await list(id, more))).toBe(tag);
      expect(tagOf(await petstore.reader.get(path))).toBe(tag);
    },
  );

  test('is accepted by If-Match, until the animal changes', async () => {
    const { id, path } = await addPet();
    const tag = tagOf(await list(id));
    const changed = await petstore.writer.patch(path, { name: 'Tom' }, { 'if-match': tag });
    expect(changed.status).toBe(200);
    const late = await petstore.writer.patch(path, { name: 'Max' }, { 'if-match': tag });
    expectError(late, 'precondition_failed');
    expectError(await petstore.writer.delete(path, { 'if-match': tag }), 'precondition_failed');
    const newer = tagOf(await list(id));
    expect(newer).toBe(tagOf(changed));
    expect((await petstore.writer.delete(path, { 'if-match': newer })).status).toBe(204);
  });

  test('leads to 304, until the animal changes or is removed', async () => {
    const { id, path } = await addPet();
    const target = `/v1/pets?id=${id}`;
    const before = await petstore.reader.get(target);
    const again = () => petstore.reader.get(target, { 'if-none-match': tagOf(before) });
    expect([(await again()).status, (await again()).text]).toEqual([304, '']);
    await petstore.writer.patch(path, { status: 'sold' });
    expect((await again()).status).toBe(200);
    await petstore.writer.delete(path);
    const gone = await again();
    expect([gone.status, gone.text]).toEqual([200, '[]']);
  });

  test('is that of the list if the animal is not on it, or others may be', async () => {
    const { id, tag } = await addPet();
    const other = await addPet();
    const pages = [
      await list(id, '&status=sold'),
      await list(id, `,${other.id}&limit=1`),
      await list(id, `&id=${other.id}`),
      await petstore.reader.get('/v1/pets?id=999999'),
      await petstore.reader.get('/v1/pets?limit=1'),
    ];
    for (const page of pages) {
      expect(page.status).toBe(200);
      expect(tagOf(page)).not.toBe(tag);
    }
  });

  test('is also sent for HEAD and with a cached response', async () => {
    const { id, tag } = await addPet();
    expect(tagOf(await list(id))).toBe(tag);
    expect(tagOf(await list(id))).toBe(tag);
    expect(tagOf(await petstore.reader.head(`/v1/pets?id=${id}`))).toBe(tag);
  });
});
