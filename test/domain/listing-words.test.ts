import { expect, test } from 'bun:test';
import { wordsAsked } from '../../src/domain/listing.ts';

test('words that others start with are not looked for twice', () => {
  expect(wordsAsked('a an Ani  anima animal, calm')).toEqual(['animal', 'calm']);
  expect(wordsAsked('calm calm')).toEqual(['calm']);
  expect(wordsAsked(' ')).toEqual([]);
});
