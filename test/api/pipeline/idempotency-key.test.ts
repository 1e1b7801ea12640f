import { describe, expect, test } from 'bun:test';
import type { ClientResponse } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { openRawConnection, type RawResponse, requestText } from '../../support/raw-connection.ts';
import { startPetstore } from '../../support/start.ts';

const REX = '{"name":"Rex","categoryId":7}';

describe('an Idempotency-Key', () => {
  const petstore = forAllTests(() => startPetstore());

  const add = (key: string) => petstore.writer.post('/v1/pets', REX, { 'idempotency-key': key });
  const count = () => petstore.storage.pets.count();
  const isReplay = ({ headers }: ClientResponse) => headers.get('idempotent-replayed');

  /** Adds an animal with these bytes as Idempotency-Key headers. */
  async function addRaw(...fields: readonly string[]): Promise<RawResponse | undefined> {
    using connection = openRawConnection(petstore.port);
    connection.write(
      requestText(
        'POST /v1/pets',
        'Host: x',
        `Authorization: Bearer ${petstore.writer.key}`,
        'Content-Type: application/json',
        `Content-Length: ${REX.length}`,
        ...fields.map((field) => `Idempotency-Key: ${field}`),
      ),
    );
    connection.write(REX);
    return await connection.response();
  }

  test.each([
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
    ['"a\\\\b"', 'a\\b'],
    ['x'.repeat(255), `"${'x'.repeat(255)}"`],
    ["!#$%&'()*+,-./:;<=>?@[]^_`{|}~", '"!#$%&\'()*+,-./:;<=>?@[]^_`{|}~"'],
  ])('quoted and bare is the same: %s', async (one, other) => {
    const first = await add(one);
    expect(first.status).toBe(201);
    const again = await add(other);
    expect([again.text, isReplay(again)]).toEqual([first.text, 'true']);
  });

  test.each(['"a b"', '"a\\"b"', 'x', '"x y"', '0'])('may be %s', async (key) => {
    expect((await add(key)).status).toBe(201);
    expect(isReplay(await add(key))).toBe('true');
  });

  test('is compared exactly', async () => {
    const keys = ['case', 'Case', '" case"', '"case "', 'case-'];
    for (const key of keys) expect(isReplay(await add(key))).toBeNull();
  });

  test.each([
    ['empty', ['']],
    ['blank', ['  ']],
    ['quotes with nothing between', ['""']],
    ['256 characters', ['x'.repeat(256)]],
    ['256 characters in quotes', [`"${'x'.repeat(256)}"`]],
    ['a blank in a bare one', ['a b']],
    ['a tab', ['a\tb']],
    ['a tab in quotes', ['"a\tb"']],
    ['a letter that is not ASCII', ['caf\u00e9']],
    ['a letter that is not ASCII in quotes', ['"caf\u00e9"']],
    ['a quote that is not closed', ['"abc']],
    ['a quote that is not opened', ['abc"']],
    ['one quote', ['"']],
    ['a quote inside', ['"a"b"']],
    ['an escape of nothing', ['"abc\\"']],
    ['an escape of a letter', ['"a\\bc"']],
    ['parameters', ['"abc";x=1']],
    ['two fields', ['abc', 'def']],
    ['the same field twice', ['abc', 'abc']],
    ['two quoted fields', ['"abc"', '"def"']],
  ])('400 invalid_idempotency_key for %s', async (_, fields) => {
    const before = await count();
    const message = expectError(await addRaw(...fields), 'invalid_idempotency_key');
    expect(message).toContain('1 to 255 characters');
    expect(await count()).toBe(before);
  });

  test.each([0x01, 0x1f, 0x7f])('the control character %d adds nothing', async (code) => {
    const before = await count();
    // The runtime may refuse it before our code sees it, without a body.
    expect((await addRaw(`a${String.fromCharCode(code)}b`))?.status).toBe(400);
    expect(await count()).toBe(before);
  });
});
