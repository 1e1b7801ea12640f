import { expect, test } from 'bun:test';
import { wordsAsked } from '../../src/domain/listing-filter.ts';

test('words that others start with are not looked for twice', () => {
  expect(wordsAsked('a an Ani  anima animal, calm')).toEqual([
    { text: 'animal' },
    { text: 'calm' },
  ]);
  expect(wordsAsked('calm calm')).toEqual([{ text: 'calm' }]);
  expect(wordsAsked(' ')).toEqual([]);
});
