import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { ClientResponse } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { openRawConnection, requestText } from '../../support/raw-connection.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';
import { CHANGEABLE } from './changeable.ts';

const tagOf = (response: ClientResponse) => response.headers.get('etag') ?? '';

/** Headers that allow a change when the record has this tag. */
const MATCHING: readonly [string, (tag: string) => string][] = [
  ['its tag', (tag) => tag],
  ['any', () => '*'],
  ['a list that has it', (tag) => `"0000000000000000", W/"x" ,${tag}`],
];
/** Headers that do not. */
const OTHER: readonly [string, (tag: string) => string][] = [
  ['another tag', () => '"0000000000000000"'],
  ['its tag as a weak one', (tag) => `W/${tag}`],
  ['its tag without quotes', (tag) => tag.replaceAll('"', '')],
  ['a list without it', (tag) => `"a", W/${tag}`],
  ['an empty tag', () => '""'],
  ['nothing', () => ''],
];

describe.each(CHANGEABLE.map((kind) => [kind.name, kind] as const))(
  'If-Match for %s',
  (_, kind) => {
    let petstore: TestPetstore;
    let path: string;
    beforeAll(async () => {
      petstore = await startPetstore();
    });
    afterAll(() => petstore[Symbol.asyncDispose]());
    beforeEach(async () => {
      path = await kind.add(petstore[kind.editor]);
    });
    // The next one may be given the same name.
    afterEach(async () => kind.removable && (await petstore[kind.editor].delete(path)));

    const [change, second] = kind.changes;
    const get = () => petstore[kind.editor].get(path);
    const patch = (body: object, tag: string) =>
      petstore[kind.editor].patch(path, body, { 'if-match': tag });

    /** Checks that a change was refused and nothing changed. */
    async function expectRefused(response: ClientResponse, before: ClientResponse): Promise<void> {
      expect(expectError(response, 'precondition_failed')).toContain('read it again');
      const after = await get();
      expect([after.text, tagOf(after)]).toEqual([before.text, tagOf(before)]);
    }

    test.each(MATCHING)('PATCH goes through with %s', async (__, field) => {
      const response = await patch(change, field(tagOf(await get())));
      expect(response.status).toBe(200);
      expect((await get()).text).toBe(response.text);
    });

    test('PATCH says what is wrong with its tag as a weak one', async () => {
      const response = await patch(change, `W/${tagOf(await get())}`);
      expect(expectError(response, 'precondition_failed')).toContain('without W/');
    });

    test.each(OTHER)('PATCH is 412 with %s', async (__, field) => {
      const before = await get();
      await expectRefused(await patch(change, field(tagOf(before))), before);
    });

    test('the tag of GET matches until the record changes, then that of PATCH does', async () => {
      const before = await get();
      const changed = await patch(change, tagOf(before));
      expect(tagOf(changed)).not.toBe(tagOf(before));
      await expectRefused(await patch(second, tagOf(before)), await get());
      const again = await patch(second, tagOf(changed));
      expect(again.status).toBe(200);
      expect((await get()).text).toBe(again.text);
    });

    test('the tag of HEAD and of a PATCH that changes nothing match as well', async () => {
      const tag = tagOf(await petstore[kind.editor].head(path));
      const unchanged = await patch({}, tag);
      expect([unchanged.status, tagOf(unchanged)]).toEqual([200, tag]);
      expect((await patch(change, tag)).status).toBe(200);
    });

    test('the tag that a reader gets matches until what the reader sees changes', async () => {
      const tag = tagOf(await petstore[kind.reader].get(path));
      expect((await patch(change, tag)).status).toBe(200);
      await expectRefused(await patch(second, tag), await get());
    });

    test('the tag is the same after a restart', async () => {
      const before = await get();
      await petstore.restart();
      expect(tagOf(await get())).toBe(tagOf(before));
      expect((await patch(change, tagOf(before))).status).toBe(200);
    });

    test('two headers are one list', async () => {
      const key = `Authorization: Bearer ${petstore[kind.editor].key}`;
      const body = JSON.stringify(change);
      const fields = ['If-Match: "0000000000000000"', `If-Match: ${tagOf(await get())}`];
      using connection = openRawConnection(petstore.port);
      const length = `Content-Length: ${body.length}`;
      const type = 'Content-Type: application/json';
      connection.write(
        requestText(`PATCH ${path}`, 'Host: x', key, type, length, ...fields) + body,
      );
      expect((await connection.response())?.status).toBe(200);
    });

    test('a missing record is 404 and a wrong body is 400, with any tag', async () => {
      const nowhere = path.replace(/\d+$/, '999999');
      for (const tag of ['*', '"0000000000000000"']) {
        const missing = await petstore[kind.editor].patch(nowhere, change, { 'if-match': tag });
        expect(missing.status).toBe(404);
        const wrong = await petstore[kind.editor].patch(path, '[]', { 'if-match': tag });
        expectError(wrong, 'invalid_body');
      }
    });

    if (!kind.removable) return;

    const remove = (tag: string) => petstore[kind.editor].delete(path, { 'if-match': tag });

    test.each(MATCHING)('DELETE goes through with %s', async (__, field) => {
      expect((await remove(field(tagOf(await get())))).status).toBe(204);
      expect((await get()).status).toBe(404);
      expect((await remove('*')).status).toBe(404);
    });

    test.each(OTHER)('DELETE is 412 with %s', async (__, field) => {
      const before = await get();
      await expectRefused(await remove(field(tagOf(before))), before);
    });

    test('DELETE with the tag before a change is 412, with the tag after it 204', async () => {
      const before = await get();
      const changed = await patch(change, tagOf(before));
      await expectRefused(await remove(tagOf(before)), await get());
      expect((await remove(tagOf(changed))).status).toBe(204);
    });
  },
);

test('If-Match is ignored on GET and POST', async () => {
  await using petstore = await startPetstore();
  const headers = { 'if-match': '"0000000000000000"' };
  const body = { name: 'Rex', categoryId: 7 };
  expect((await petstore.writer.post('/v1/pets', body, headers)).status).toBe(201);
  expect((await petstore.reader.get('/v1/pets/1', headers)).status).toBe(200);
});
