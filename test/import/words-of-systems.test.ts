import { describe, expect, test } from 'bun:test';
import { zipSync } from 'fflate';
import { createDateColumn, readAge } from '../../src/import/dates.ts';
import { plainText } from '../../src/import/html-text.ts';
import { readValue } from '../../src/import/profile-values.ts';
import { meaningOf } from '../../src/import/statuses.ts';
import { createXlsxSource } from '../../src/import/xlsx-rows.ts';

const NOW = Date.UTC(2026, 10, 26);
const MALE = { sex: 'male', neutered: true } as const;
const FEMALE = { sex: 'female', neutered: true } as const;

test.each<[string, object | undefined]>([
  ...['M/N', 'MN', 'Neutered', 'Neutered Male', 'Male - Neutered', 'Male (Neutered)', 'm.k.'].map(
    (text) => [text, MALE] as [string, object],
  ),
  ...['macho castrado', 'Rüde kastriert', 'kastrierter Kater', 'mâle castré', 'C/M'].map(
    (text) => [text, MALE] as [string, object],
  ),
  ...['F/S', 'FS', 'Spayed', 'Spayed Female', 'Female, Spayed', 'w.k.', 'hembra esterilizada'].map(
    (text) => [text, FEMALE] as [string, object],
  ),
  ['Unaltered', { neutered: false }],
  ['Intact Male', { sex: 'male', neutered: false }],
  ['weiblich, nicht kastriert', { sex: 'female', neutered: false }],
  ['Not neutered male', { sex: 'male', neutered: false }],
  ['samice', { sex: 'female' }],
  ['수컷', { sex: 'male' }],
  ['U', {}],
  ['Q', {}],
  // Nobody is sure of these.
  ...['N', 'S', 'Male Female', 'Spayed Male', 'M/S', 'Neutered intact', 'X', 'Mr'].map(
    (text) => [text, undefined] as [string, undefined],
  ),
])('the sex %j', (text, read) => {
  expect(readValue('sex', text, false)).toEqual(read);
});

test.each<[string, object]>([
  ['Beagle/Mix', { breed: 'Beagle', mixed: true }],
  ['Mix', { mixed: true }],
  ['Mischling', { mixed: true }],
  ['Shep Mix/Siberian Husky', { breed: 'Shep', secondBreed: 'Siberian Husky', mixed: true }],
  ['LABRADOR RETR/X', { breed: 'LABRADOR RETR', mixed: true }],
  ['Schäferhund-Mix', { breed: 'Schäferhund', mixed: true }],
  ['Labrador-Mischling', { breed: 'Labrador', mixed: true }],
  ['Kelpie Cross', { breed: 'Kelpie', mixed: true }],
  ['Podenco cruce', { breed: 'Podenco', mixed: true }],
  ['Rex', { breed: 'Rex' }],
  ['Manx', { breed: 'Manx' }],
])('the breed %j', (text, read) => {
  expect(readValue('breed', text, false)).toEqual(read);
});

test.each<[string, number | undefined]>([
  ['9 years 2 months.', 110],
  ['2y 4m 3d', 28],
  ['2Y/3M/0D', 27],
  ['1.5 years', 18],
  ['2 Jahre', 24],
  ['2 años y 3 meses', 27],
  ['2 years and 3 months', 27],
  ['10 mths', 10],
  ['3 YEARS', 36],
  ['1 an', 12],
  ...['12', '2', 'two years', '3 cats', '2 years 3 years', '200 years', 'y', '5-6 years'].map(
    (text) => [text, undefined] as [string, undefined],
  ),
])('the age %j, in months', (text, months) => {
  const read = readAge(text, '2026-11-26', NOW);
  const born = read?.birthDate;
  const [year = 0, month = 0] = (born ?? '').split('-').map(Number);
  expect(born && (2026 - year) * 12 + 11 - month).toBe(months);
});

test.each<[string[], (string | undefined)[]]>([
  [
    ['3/25/21', '1/2/21'],
    ['2021-03-25', '2021-01-02'],
  ],
  [
    ['26-May-00', '3. März 2021', 'March 25, 2021'],
    ['2000-05-26', '2021-03-03', '2021-03-25'],
  ],
  [
    ['20210325', '2021/03/25', '2021-3-5', '25.03.21'],
    ['2021-03-25', '2021-03-25', '2021-03-05', '2021-03-25'],
  ],
  [
    ['44197', '45000'],
    ['2021-01-01', '2023-03-15'],
  ],
  [
    ['44197', '2021-01-01'],
    [undefined, '2021-01-01'],
  ],
  [
    ['1899-12-30', '01/01/1900', '0000-00-00'],
    [undefined, undefined, undefined],
  ],
  [
    ['3 de noviembre de 2026', '03.11.2026'],
    ['2026-11-03', '2026-11-03'],
  ],
  [
    ['Ju 3 2020', '31/31/2020', '2027-01-01'],
    [undefined, undefined, undefined],
  ],
])('the dates %j', (written, read) => {
  const column = createDateColumn(() => NOW);
  for (const text of written) column.add(text);
  expect(written.map(column.read)).toEqual(read);
});

test.each<[string, number | undefined]>([
  ['12 lbs 4 oz', 5557],
  ['8.8(Kg)', 8800],
  ['28,5 kg', 28_500],
  ['61.5 lbs', 27_896],
  ...['12', '12 stone', '1,234 kg', '4 oz 12 lbs'].map(
    (text) => [text, undefined] as [string, undefined],
  ),
])('the weight %j', (text, grams) => {
  expect(readValue('weightGrams', text, false)?.weightGrams).toEqual(grams);
});

test.each<[string, string | undefined]>([
  ['X-LRG', 'xlarge'],
  ['Lg', 'large'],
  ['Medium 26-60 lbs (12-27 kg)', 'medium'],
  ['groß', 'large'],
  ['Pequeño', 'small'],
  ['KITTN', undefined],
])('the size %j', (text, size) => {
  expect(readValue('size', text, false)?.size).toEqual(size as 'small');
});

test.each<[string, unknown]>([
  ['Return_to_owner', { left: 'to_owner' }],
  ['EUTHANIZE', { left: 'euthanized' }],
  ['shelter, neuter, return', { left: 'to_field' }],
  ['IN VERMITTLUNG', { status: 'available' }],
  ['verstorben', { left: 'died' }],
  // Whoever is in a home is not here, however it came there.
  ['Healthy In Home', { left: 'other' }],
])('the status %j', (text, meaning) => {
  expect<unknown>(meaningOf(text)).toEqual(meaning);
});

test('HTML becomes text, and other text stays', () => {
  expect(plainText('Nice<br />dog &#039;x&#039;<script>x</script>')).toBe("Nice\ndog 'x'");
  expect(plainText('3 < 4 & 5 > 2')).toBe('3 < 4 & 5 > 2');
});

describe('a spreadsheet is refused before it is built', () => {
  const sheet = (xml: string | Uint8Array) =>
    zipSync({ 'xl/worksheets/sheet1.xml': typeof xml === 'string' ? Buffer.from(xml) : xml });
  test.each<[string, Uint8Array, RegExp]>([
    ['that unpacks to more than 64 MB', sheet(new Uint8Array(70_000_000)), /larger than 64 MB/],
    [
      'with 100,000 columns',
      sheet(
        `<worksheet><sheetData><row>${'<c><v>1</v></c>'.repeat(100_000)}</row></sheetData></worksheet>`,
      ),
      /more than 1000 columns/,
    ],
    ['with a document type', sheet('<!DOCTYPE x [<!ENTITY a "b">]><worksheet/>'), /document type/],
  ])('%s', async (_what, bytes, message) => {
    const read = Array.fromAsync(createXlsxSource('The file', bytes).rows());
    expect(read).rejects.toThrow(message);
    await read.catch(() => {});
  });
});
