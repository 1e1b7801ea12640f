import { describe, expect, test } from 'bun:test';
import type { Scope } from '../../src/domain/api-key.ts';
import { tools } from '../../src/mcp/assistants.ts';
import { idOf } from '../support/animals.ts';
import { forEachTest } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';
import { type Assistant, connect, HEADERS, message } from './connect.ts';

const petstore = forEachTest(() => startPetstore());

async function withScopes(scopes?: readonly Scope[]): Promise<Assistant> {
  return connect(petstore, scopes && (await petstore.keyWith({ scopes })).text);
}

async function add(name: string, profile: object): Promise<void> {
  const { writer } = petstore;
  const id = idOf(await writer.post('/v1/pets', { name, categoryId: 1 }));
  await writer.patch(`/v1/pets/${id}/profile`, profile);
}

const names = ({ value }: { value: { animals: { name: string }[] } }) =>
  value.animals.map(({ name }) => name);

describe('search_animals takes what listings take', () => {
  const calm = {
    ...{ species: 'cat', sex: 'female', size: 'small', birthDate: '2019-02-01' },
    ...{ goodWithChildren: 'over_5', goodWithDogs: 'yes', headline: 'A calm lap cat' },
  };

  test.each<[object, boolean]>([
    [{ q: 'calm' }, true],
    [{ q: 'lap CALM' }, true],
    [{ q: 'kitten' }, false],
    [{ q: 'cats' }, true],
    [{ species: 'cat', sex: 'female', size: 'small' }, true],
    [{ sex: 'male' }, false],
    [{ size: 'large' }, false],
    [{ ageGroup: 'adult' }, true],
    [{ ageGroup: 'young' }, false],
    [{ goodWith: ['dogs'] }, true],
    [{ goodWith: ['dogs', 'cats'] }, false],
    [{ children: '5' }, true],
    [{ children: 'under_5' }, false],
    [{ name: 'mim', q: 'calm', status: 'available' }, true],
  ])('%j', async (search, isFound) => {
    await add('Mimi', { ...calm, published: true });
    await using stranger = await withScopes();
    await using reader = await withScopes(['read']);
    for (const assistant of [stranger, reader]) {
      const found = await assistant.call('search_animals', { ...search });
      expect(names(found)).toEqual(isFound ? ['Mimi'] : []);
    }
  });

  test('and says what is wrong with others', async () => {
    await using stranger = await withScopes();
    for (const search of [{ goodWith: ['birds'] }, { goodWith: 'dogs' }, { colour: 'red' }]) {
      expect((await stranger.call('search_animals', search)).isError).toBe(true);
    }
  });
});

describe('every tool', () => {
  test('says what it answers, and takes members that nobody knows yet from the schema', () => {
    for (const { definition } of tools) {
      expect(definition.outputSchema).toMatchObject({ type: 'object' });
      expect(JSON.stringify(definition)).not.toContain('additionalProperties');
    }
  });

  test.each([undefined, '*/*', 'text/html, */*;q=0.8'])(
    'answers who accepts %p',
    async (accept) => {
      const { accept: _, ...rest } = HEADERS;
      const headers = accept === undefined ? rest : { ...rest, accept };
      const body = message('tools/list');
      const { status, text } = await petstore.anonymous.send('POST', '/mcp', { headers, body });
      expect([status, text.includes('search_animals')]).toEqual([200, true]);
    },
  );
});
