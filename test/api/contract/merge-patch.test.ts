import { describe, expect, test } from 'bun:test';
import { parseBody } from '../../../src/api/contract/check.ts';
import { operations } from '../../../src/api/resources/operations.ts';
import { parseJson } from '../../../src/http/json.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';
import { CHANGEABLE } from './changeable.ts';

const petstore = forAllTests(() => startPetstore());

describe.each(CHANGEABLE.map((kind) => [kind.name, kind] as const))(
  'a merge patch of %s',
  (_, kind) => {
    const [change] = kind.changes;
    /** Adds a record; `patch` changes it and `get` reads it. */
    async function fresh() {
      const path = await kind.add(petstore[kind.editor]);
      const get = async () => (await petstore[kind.editor].get(path)).text;
      const patch = (body: unknown, headers = {}) =>
        petstore[kind.editor].patch(path, body, headers);
      return { get, patch, before: await get() };
    }

    test.each([
      'application/merge-patch+json',
      'application/json',
      'Application/Merge-Patch+JSON; charset=utf-8',
    ])('may come as %s', async (type) => {
      const { get, patch, before } = await fresh();
      // Names of categories must differ.
      const body = 'name' in change ? { name: type } : change;
      const response = await patch(body, { 'content-type': type });
      expect(response.status).toBe(200);
      expect(response.text).not.toBe(before);
      expect(await get()).toBe(response.text);
    });

    test.each([
      'text/plain',
      'application/json-patch+json',
      'application/x-www-form-urlencoded',
      'application/merge-patch+json; charset=iso-8859-1',
    ])('may not come as %s: 415', async (type) => {
      const { get, patch, before } = await fresh();
      const response = await patch(change, { 'content-type': type });
      const message = expectError(response, 'unsupported_media_type');
      expect(message).toContain('application/merge-patch+json or application/json');
      expect(await get()).toBe(before);
    });

    test('without members changes nothing: 200', async () => {
      const { get, patch, before } = await fresh();
      petstore.clock.advance(1_000);
      const response = await patch('{}');
      expect([response.status, response.text]).toEqual([200, before]);
      expect(await get()).toBe(before);
    });

    test('with the current values changes nothing: 200', async () => {
      const { get, patch, before } = await fresh();
      petstore.clock.advance(1_000);
      const response = await patch(before);
      expect([response.status, response.text]).toEqual([200, before]);
      expect(await get()).toBe(before);
    });

    test('ignores unknown members and a sent id, whatever their values', async () => {
      const { get, patch, before } = await fresh();
      const body = '{"id":12345,"color":null,"x":{"y":[1e999]},"placedAt":"x","__proto__":{"z":1}}';
      const response = await patch(body);
      expect([response.status, response.text]).toEqual([200, before]);
      expect((await patch('{"id":null}')).text).toBe(before);
      expect(await get()).toBe(before);
    });

    test.each([...kind.members])(
      'with null for %s is 400: it cannot be removed',
      async (member) => {
        const { get, patch, before } = await fresh();
        const response = await patch(`{"${member}":null}`);
        expect(expectError(response, 'invalid_body')).toStartWith(`${member} must be `);
        expect(await get()).toBe(before);
      },
    );

    test.each(['999999', '0', '-1', '01', '+1', 'abc', '9223372036854775808'])(
      'at the id %s, that no record has, is 404, and so is GET',
      async (id) => {
        const path = (await kind.add(petstore[kind.editor])).replace(/\d+$/, id);
        const responses = [await petstore[kind.editor].patch(path, change)];
        responses.push(await petstore[kind.editor].get(path));
        if (kind.removable) responses.push(await petstore[kind.editor].delete(path));
        for (const response of responses) {
          expect([response.status, response.text]).toEqual([
            404,
            expect.stringContaining('_not_found"'),
          ]);
        }
      },
    );

    test.each(['[]', '"x"', '7', 'null', 'true', '[{"name":"Tom"}]'])(
      'that is %s, no object, is 400',
      async (body) => {
        const { get, patch, before } = await fresh();
        const message = expectError(await patch(body), 'invalid_body');
        expect(message).toBe('The request body must be a JSON object.');
        expect(await get()).toBe(before);
      },
    );

    test.each(['', '{', '{"name":"a",}', '\ufeff{}', '{"x":1,"x":1}'])(
      'that is no JSON, %p, is 400',
      async (body) => {
        const { get, patch, before } = await fresh();
        expectError(await patch(body), 'invalid_json');
        expect(await get()).toBe(before);
      },
    );
  },
);

test.each(operations.flatMap(({ id, body }) => (body ? [[id, body.schema] as const] : [])))(
  'what is wrong with a member of %s is said in words of ours',
  (_, schema) => {
    for (const name of Object.keys(Object(schema).shape ?? {})) {
      for (const value of ['7', 'true', '"\\ud800"', '[]', '{}', 'null', '[7]', '[{}]']) {
        try {
          parseBody(schema, parseJson(`{"${name}":${value}}`));
        } catch (error) {
          expect(String(error)).not.toMatch(/Invalid input|Too (?:big|small)/);
        }
      }
    }
  },
);
