import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  PROFILE_FIELD_NAMES,
  type ProfileChange,
  type ProfileFieldName,
} from '../../src/domain/profile.ts';
import { createDateColumn, readAge } from '../../src/import/dates.ts';
import { readValue, textOf } from '../../src/import/profile-values.ts';
import { arbitraryProfile } from '../support/arbitrary-profile.ts';
import { processorTime } from '../support/process-clock.ts';

type Value = Parameters<typeof textOf>[0];

const read = (name: ProfileFieldName, text: string) => readValue(name, text, false);

describe('a value of another program', () => {
  test.each<[string, ProfileChange | undefined]>([
    ['Neutered Male', { sex: 'male', neutered: true }],
    ['spayed female', { sex: 'female', neutered: true }],
    ['Intact Male', { sex: 'male', neutered: false }],
    ['Intact Female', { sex: 'female', neutered: false }],
    ['Male (neutered)', { sex: 'male', neutered: true }],
    ['FS', { sex: 'female', neutered: true }],
    [' F ', { sex: 'female' }],
    ['w', { sex: 'female' }],
    ['Männlich', { sex: 'male' }],
    ['Ma\u0308nnlich', { sex: 'male' }],
    ['Rüde', { sex: 'male' }],
    ['Hündin', { sex: 'female' }],
    ['Kater', { sex: 'male' }],
    ['Kätzin', { sex: 'female' }],
    ['männlich kastriert', { sex: 'male', neutered: true }],
    ['weiblich, kastriert', { sex: 'female', neutered: true }],
    ['Weiblich (kastriert)', { sex: 'female', neutered: true }],
    ['Rüde, nicht kastriert', { sex: 'male', neutered: false }],
    ['kastrierte Hündin', { sex: 'female', neutered: true }],
    ['unbekannt', {}],
    ['Unknown', {}],
    ['', {}],
    ['Hermaphrodite', undefined],
  ])('sex %p', (text, said) => expect(read('sex', text)).toEqual(said));

  test.each<[string, ProfileChange | undefined]>([
    ['Labrador Retriever Mix', { breed: 'Labrador Retriever', mixed: true }],
    ['Lab/Poodle', { breed: 'Lab', secondBreed: 'Poodle', mixed: true }],
    ['Lab / Poodle Mix', { breed: 'Lab', secondBreed: 'Poodle', mixed: true }],
    ['Lab x Poodle', { breed: 'Lab', secondBreed: 'Poodle', mixed: true }],
    ['Lab/Poodle/Boxer', { breed: 'Lab', secondBreed: 'Poodle', mixed: true }],
    ['Beagle cross', { breed: 'Beagle', mixed: true }],
    ['Manx', { breed: 'Manx' }],
    ['Phoenix', { breed: 'Phoenix' }],
    ['Black/Tan Hound', { breed: 'Black/Tan Hound' }],
    [
      'Plott Hound/Black/Tan Hound',
      { breed: 'Plott Hound', secondBreed: 'Black/Tan Hound', mixed: true },
    ],
    ['Mix', { mixed: true }],
    ['/', {}],
    ['x'.repeat(101), undefined],
  ])('breed %p', (text, said) => expect(read('breed', text)).toEqual(said));

  test.each<[ProfileFieldName, string, unknown]>([
    ['colours', 'Brown/White', ['Brown', 'White']],
    ['colours', 'Brown, White and Tan & Blue', ['Brown', 'White', 'Tan']],
    ['colours', 'Brown/Brown', ['Brown']],
    ['colours', `Brown/${'x'.repeat(51)}`, undefined],
    ['species', 'Dogs', 'dog'],
    ['species', 'Small & Furry', 'small_mammal'],
    ['species', 'Small-Mammal', 'small_mammal'],
    ['species', 'Livestock', 'farm'],
    ['species', 'Unicorn', undefined],
    ['species', 'Hund', 'dog'],
    ['species', 'Katzen', 'cat'],
    ['species', 'KANINCHEN', 'rabbit'],
    ['species', 'Kleintier', 'small_mammal'],
    ['species', 'Vögel', 'bird'],
    ['species', 'Pferd', 'horse'],
    ['neutered', 'ja', true],
    ['neutered', 'unkastriert', false],
    ['goodWithDogs', 'nein', 'no'],
    ['size', 'Medium (26-60 lbs)', 'medium'],
    ['size', 'XL', 'xlarge'],
    ['neutered', 'Altered', true],
    ['mixed', 'Purebred', false],
    ['vaccinated', '1', true],
    ['vaccinated', 'N', false],
    ['vaccinated', 'perhaps', undefined],
    ['goodWithCats', 'TRUE', 'yes'],
    ['goodWithChildren', 'over 5', 'over_5'],
    ['weightGrams', '12.5 kg', 12_500],
    ['weightGrams', '27 lbs', 12_247],
    ['weightGrams', '12,5 kg', 12_500],
    ['weightGrams', '4.2kg', 4_200],
    ['weightGrams', '350 g', 350],
    ['weightGrams', '10 lb', 4_536],
    ['weightGrams', '10 stone', undefined],
    ['weightGrams', '12.5', undefined],
    ['weightGrams', '12,5', undefined],
    ['weightGrams', '1,234', undefined],
    ['weightGrams', '1.234 kg', undefined],
    ['weightGrams', '1,250 g', undefined],
    ['weightGrams', '0', undefined],
    ['fee', '75 USD', { amount: 7_500, currency: 'USD' }],
    ['fee', 'eur 12,5', { amount: 1_250, currency: 'EUR' }],
    ['fee', '£80', { amount: 8_000, currency: 'GBP' }],
    ['fee', '9000 JPY', { amount: 9_000, currency: 'JPY' }],
    ['fee', '1,250 USD', undefined],
    ['fee', '$75', undefined],
    ['fee', '75', undefined],
    ['fee', '{"amount":7500,"currency":"USD"}', { amount: 7_500, currency: 'USD' }],
    ['fee', '{"amount":{"toString":1,"valueOf":1},"currency":"USD"}', undefined],
    ['microchip', "'985 112-000 123 456", '985112000123456'],
    ['microchip', '9.85E+14', undefined],
    ['videoUrl', 'http://example.org/rex', undefined],
    ['headline', ' Loves everybody ', 'Loves everybody'],
    ['headline', 'x'.repeat(81), undefined],
    ['description', 'Unknown', 'Unknown'],
  ])('%s %p', (name, text, value) =>
    expect(read(name, text)).toEqual(value === undefined ? undefined : { [name]: value }),
  );

  test.each<[header: string, text: string, grams: number | undefined]>([
    ['Gewicht (kg)', '12,5', 12_500],
    ['weight_kg', '12', 12_000],
    ['weightKg', '4.2', 4_200],
    ['Weight Lbs', '10', 4_536],
    ['Weight (kg)', '350 g', 350],
    ['Weight (kg)', '1,234', undefined],
    ['Weight (kg or lb)', '12', undefined],
    ['Weight (kg or lb)', '12 kg', 12_000],
    ['Weight', '350', undefined],
    ['Weight', '12,5', undefined],
    ['Background', '12,5', undefined],
  ])('a weight under %p: %p', (header, text, weightGrams) =>
    expect(readValue('weightGrams', text, false, header)).toEqual(
      weightGrams === undefined ? undefined : { weightGrams },
    ),
  );

  test('a weight of our own export is in grams, whatever its header', () =>
    expect(readValue('weightGrams', '350', true, 'kg')).toEqual({ weightGrams: 350 }));

  test.each(['(', ' x', '1d ', '"', '[', 'a/'])('of 256 Ki of %p is not read, at once', (part) => {
    const text = `${part.repeat(2 ** 18)}b`;
    const begin = process.cpuUsage();
    for (const name of PROFILE_FIELD_NAMES) expect(read(name, text)).toBeUndefined();
    const column = createDateColumn(Date.now);
    column.add(text);
    expect(column.read(text)).toBeUndefined();
    expect(readAge(text, undefined, Date.now())).toBeUndefined();
    // Of the processor, in microseconds: other tests may run meanwhile.
    const { user, system } = process.cpuUsage(begin);
    expect(user + system).toBeLessThan(5_000_000);
  });

  test('of any kind makes a change that is right, or none', () => {
    const names = fc.constantFrom<ProfileFieldName>('sex', 'breed', 'colours', 'fee', 'species');
    fc.assert(
      fc.property(names, fc.string({ unit: 'binary' }), (name, text) => {
        for (const value of Object.values(read(name, text) ?? {})) {
          expect(value).toBeDefined();
          expect(readValue(name, textOf(value as Value), true)).toBeDefined();
        }
      }),
    );
  });
});

test('every value that we export reads back exactly', () => {
  fc.assert(
    fc.property(arbitraryProfile, (profile) => {
      for (const [name, value] of Object.entries(profile)) {
        if (['birthDate', 'inCareSince', 'careUntil'].includes(name)) continue;
        const field = name as ProfileFieldName; // A key of a profile.
        expect(readValue(field, textOf(value as Value), true)).toEqual({ [name]: value });
      }
    }),
    { numRuns: 500 },
  );
});

test('long values are left unread, without trying patterns on them', () => {
  const dashes = '-'.repeat(1_990);
  const brackets = '('.repeat(1_990);
  const ages = '1y'.repeat(130_500);
  const dates = createDateColumn(() => 0);
  const time = processorTime(() => {
    for (let row = 0; row < 100; row++) {
      expect(read('breed', dashes)).toBeUndefined();
      for (const name of ['species', 'sex', 'size', 'mixed'] as const) {
        expect(read(name, brackets)).toBeUndefined();
      }
      expect(readAge(ages, undefined, 0)).toBeUndefined();
      dates.add(ages);
      expect(dates.read(ages)).toBeUndefined();
    }
  });
  expect(time).toBeLessThan(500);
});
