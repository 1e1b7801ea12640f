import { describe, expect, test } from 'bun:test';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forAllTests(() => startPetstore());

describe('a list with brackets is refused, with the right form', () => {
  test.each([
    ['status[]=available', 'status must be written without brackets: send status=…'],
    ['status%5B%5D=available&status=available', 'status must be written without brackets'],
    ['id[]=1&id[]=2', 'as id=…&id=…'],
    ['id[0]=1', 'as id=…&id=…'],
  ])('%s', async (query, message) => {
    const response = await petstore.reader.get(`/v1/pets?${query}`);
    expect(expectError(response, 'invalid_parameter')).toContain(message);
  });

  test('but an unknown one is ignored as any is', async () => {
    const response = await petstore.reader.get('/v1/pets?colour[]=red');
    expect(response.headers.get('x-ignored-parameters')).toBe('colour%5B%5D');
  });
});
