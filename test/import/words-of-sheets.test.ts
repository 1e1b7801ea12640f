import { expect, test } from 'bun:test';
import { createDateColumn, readAge } from '../../src/import/dates.ts';
import { readValue } from '../../src/import/profile-values.ts';

const NOW = Date.UTC(2026, 10, 26);
const DAY = '2026-11-01';

/** Values as people type them. Undefined is for what nobody is sure of: it stays unread. */
test.each<[Parameters<typeof readValue>[0], string, object | undefined]>([
  ['sex', 'CM', { sex: 'male', neutered: true }],
  ['sex', 'M/I', { sex: 'male', neutered: false }],
  ['sex', 'f/i', { sex: 'female', neutered: false }],
  ['sex', '♀', { sex: 'female' }],
  ['sex', '♂ kastriert', { sex: 'male', neutered: true }],
  ['sex', 'Weibchen', { sex: 'female' }],
  ['sex', 'mare', { sex: 'female' }],
  ['sex', 'Both', undefined],
  ['sex', 'Unsexed', undefined],
  ['breed', 'Labrador Retriever (mix)', { breed: 'Labrador Retriever', mixed: true }],
  ['breed', 'X-breed', { mixed: true }],
  ['breed', 'Mixed-Breed Large', { mixed: true }],
  ['breed', 'Crossbreed Terrier', { breed: 'Terrier', mixed: true }],
  ['breed', 'Cruce de pastor', { breed: 'pastor', mixed: true }],
  ['breed', 'Shih Tzu Mix, Poodle', { breed: 'Shih Tzu, Poodle', mixed: true }],
  ['breed', 'Xoloitzcuintli', { breed: 'Xoloitzcuintli' }],
  ['breed', 'Boxer', { breed: 'Boxer' }],
  ['species', 'Cat - Kitten', { species: 'cat' }],
  ['species', 'Community Cat', { species: 'cat' }],
  ['species', 'Domestic Dog', { species: 'dog' }],
  ['species', 'Nagetier', { species: 'small_mammal' }],
  ['species', 'Catfish', undefined],
  ['size', 'Mini', { size: 'small' }],
  ['size', 'PUPPY', undefined],
  ['size', '26-60 lbs', undefined],
  ['goodWithChildren', 'ab 12 Jahren', { goodWithChildren: 'over_12' }],
  // From which age is not said.
  ['goodWithChildren', 'Older Kids Only', undefined],
  ['goodWithChildren', '8+', undefined],
  ['weightGrams', '12-15 kg', undefined],
  ['weightGrams', '~12 kg', undefined],
  ['weightGrams', '1,200 g', undefined],
])('the %s %j', (field, text, read) => {
  expect(readValue(field, text, false)).toEqual(read as never);
});

test.each<[string, string | undefined]>([
  ['2½ years', '2024-05-01'],
  ['1 1/2 years', '2025-05-01'],
  ['2 yo', '2024-11-01'],
  ['3 y/o', '2023-11-01'],
  ['24 mths (approx.)', '2024-11-01'],
  ['6-8 weeks', undefined],
  ['<1 year', undefined],
  ['8+ years', undefined],
  ['Adult (2 years)', undefined],
  ['2/3 years', undefined],
])('the age %j', (text, birthDate) => {
  expect(readAge(text, DAY, NOW)?.birthDate).toBe(birthDate as never);
});

test.each<[string, string | undefined]>([
  ['Thu, 25 Mar 2021', '2021-03-25'],
  ['25-Mar-2021', '2021-03-25'],
  ['1900-01-00', undefined],
  ['1/1/1753', undefined],
  ['31.02.2020', undefined],
])('the date %j', (text, date) => {
  const column = createDateColumn(() => NOW);
  column.add(text);
  expect(column.read(text)).toBe(date);
});
