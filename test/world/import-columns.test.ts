import { describe, expect, test } from 'bun:test';
import { createWorkspace } from '../cli/workspace.ts';
import { forEachTest } from '../support/lifetime.ts';

const workspace = forEachTest(() => createWorkspace());

describe('columns that only some systems have:', () => {
  const profilesOf = async (text: string, ...flags: string[]) => {
    await workspace.importCsv(text, ...flags);
    return (await workspace.animals()).map(({ profile }) => profile);
  };

  test('what an animal does not get along with says no, and nothing else', async () => {
    const text = 'Id,Name,Type,NoDogs,NoCats,NoKids\n1,A,Dog,1,0,\n2,B,Dog,Yes,No,1\n3,C,Dog,,,\n';
    const known: unknown = (await profilesOf(text)).map((profile) => [
      ...[profile?.goodWithDogs, profile?.goodWithCats, profile?.goodWithChildren],
    ]);
    expect(known).toEqual([
      ['no', null, null],
      ['no', null, 'no'],
      [null, null, null],
    ]);
    using other = createWorkspace();
    await other.importCsv(text, '--good-with-dogs', 'NoDogs');
    const named: unknown = (await other.animals()).map(({ profile }) => profile?.goodWithDogs);
    expect(named).toEqual(['no', 'no', null]);
  });

  test('a second colour is one of the colours', async () => {
    const text =
      'Id,Name,Type,Primary Color,Secondary Color\n1,A,Dog,Black,White\n2,B,Dog,Tan,\n' +
      '3,C,Dog,Brown/White,Black\n4,D,Dog,Red,Red\n';
    expect((await profilesOf(text)).map((profile) => profile?.colours)).toEqual([
      ...[['Black', 'White'], ['Tan'], ['Brown', 'White', 'Black'], ['Red']],
    ]);
  });

  test.each<[string, unknown[], unknown[]]>([
    ['M,F,N,S,U', ['male', 'female', 'male', 'female', null], [null, null, true, true, null]],
    // Without the other letter, N may be none.
    ['M,F,N', ['male', 'female', null], [null, null, null]],
    ['Male,Female,N,S', ['male', 'female', null, null], [null, null, null, null]],
  ])('the letters %s of a column of sexes', async (letters, sexes, neutered) => {
    const rows = letters.split(',').map((sex, n) => `${n},P${n},Dog,${sex}`);
    const found = await profilesOf(`Id,Name,Type,Sex\n${rows.join('\n')}\n`);
    expect<unknown[]>(found.map((profile) => profile?.sex ?? null)).toEqual(sexes);
    expect<unknown[]>(found.map((profile) => profile?.neutered ?? null)).toEqual(neutered);
  });
});
