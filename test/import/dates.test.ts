import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createDateColumn, readAge } from '../../src/import/dates.ts';

const NOW = Date.UTC(2026, 10, 23);

/** Reads all values of a column. */
function readColumn(...texts: readonly string[]) {
  const column = createDateColumn(() => NOW);
  for (const text of texts) column.add(text);
  return texts.map((text) => column.read(text));
}

describe('dates of a column', () => {
  test('are read in ISO form, with and without times', () => {
    expect(readColumn('2024-02-29', '2015-04-30 17:02:00', '2015-04-30T17:02:00.5Z')).toEqual([
      '2024-02-29',
      '2015-04-30',
      '2015-04-30',
    ]);
    expect(readColumn('2023-02-29', '2024-13-01', '1799-12-31', '20241301')).toEqual(
      Array(4).fill(undefined),
    );
  });

  test('are read in the one form that fits all values', () => {
    expect(readColumn('05/31/2024', '1/2/2020 12:00:00 AM')).toEqual(['2024-05-31', '2020-01-02']);
    expect(readColumn('31/05/2024', '1/2/2020')).toEqual(['2024-05-31', '2020-02-01']);
    expect(readColumn('01.02.2020', '31.5.2024')).toEqual(['2020-02-01', '2024-05-31']);
  });

  test('are not guessed', () => {
    expect(readColumn('01/02/2020', '03/04/2020')).toEqual([undefined, undefined]);
    expect(readColumn('13/02/2020', '02/13/2020', '03/04/2020')).toEqual([
      '2020-02-13',
      '2020-02-13',
      undefined,
    ]);
    expect(readColumn('30/02/2020', '03/04/2020', '2020-13-02')).toEqual(Array(3).fill(undefined));
  });

  test('are read one by one where they have one meaning', () => {
    expect(readColumn('24.12.2019', '2021-05-03', '03/05/2021', '05/05/2021', 'spring')).toEqual([
      '2019-12-24',
      '2021-05-03',
      undefined,
      '2021-05-05',
      undefined,
    ]);
    expect(readColumn('24/12/2019', '2021-05-03', '03/05/2021', '3.5.2021', '')).toEqual([
      '2019-12-24',
      '2021-05-03',
      '2021-05-03',
      '2021-05-03',
      undefined,
    ]);
  });

  test('after today are not read', () => {
    expect(readColumn('2026-11-23', '2026-11-24', '2026-11-25')).toEqual([
      '2026-11-23',
      undefined,
      undefined,
    ]);
  });

  test('in any form are read as they are, or not at all', () => {
    const dates = fc
      .date({ min: new Date('1901-01-01'), max: new Date(NOW), noInvalidDate: true })
      .map((time) => time.toISOString().slice(0, 10));
    const dotted = ([y, m, d]: readonly string[]) => `${d}.${m}.${y}`;
    const forms = [
      ([y, m, d]: readonly string[]) => `${m}/${d}/${y}`,
      ([y, m, d]: readonly string[]) => `${d}/${m}/${y}`,
      dotted,
    ];
    const column = fc.tuple(fc.array(dates, { minLength: 1 }), fc.constantFrom(...forms));
    fc.assert(
      fc.property(column, ([list, write]) => {
        const read = readColumn(...list.map((date) => write(date.split('-'))));
        expect(read).toEqual(list.map((date, n) => read[n] && date));
        if (write === dotted) expect(read).toEqual(list);
      }),
    );
  });
});

describe('an age', () => {
  test.each([
    ['2 years', '2012-02-29', { birthDate: '2010-03-01', birthDatePrecision: 'year' }],
    ['2 years', '2015-04-30', { birthDate: '2013-04-30', birthDatePrecision: 'year' }],
    ['1 year 3 months', '2015-04-30', { birthDate: '2014-01-30', birthDatePrecision: 'month' }],
    ['3 weeks', '2015-04-30', { birthDate: '2015-04-09', birthDatePrecision: 'month' }],
    ['5 days old', '2015-04-30', { birthDate: '2015-04-25', birthDatePrecision: 'day' }],
    ['0 years', '2015-04-30', { birthDate: '2015-04-30', birthDatePrecision: 'year' }],
    ['2 years', undefined, { ageGroup: 'young' }],
    ['8 years', undefined, { ageGroup: 'senior' }],
    ['3 weeks', undefined, { ageGroup: 'baby' }],
    ['old', undefined, undefined],
    ['2', undefined, undefined],
    ['300 years', '2015-04-30', undefined],
  ])('%p on %p', (text, at, said) => expect(readAge(text, at, NOW) as unknown).toEqual(said));

  test('that no date can hold is none', () => {
    const age = '999 years '.repeat(300);
    expect(readAge(age, '2015-04-30', NOW)).toBeUndefined();
    expect(readAge(age, undefined, NOW)).toBeUndefined();
  });
});
