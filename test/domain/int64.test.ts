import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  INT64_MAX,
  INT64_MIN,
  type Int64Problem,
  int64FromJsonNumber,
  int64FromText,
  isInt64,
} from '../../src/domain/int64.ts';
import { processorTime } from '../support/process-clock.ts';

/** A slow model: computes the value as a fraction of two integers. Only for small exponents. */
function model(source: string): bigint | Int64Problem {
  const [mantissa = '', exponent = '0'] = source.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  let numerator = BigInt(whole.replace('-', '') + fraction);
  let denominator = 10n ** BigInt(fraction.length);
  const power = 10n ** BigInt(exponent.replace(/^[+-]/, ''));
  if (exponent.startsWith('-')) denominator *= power;
  else numerator *= power;
  if (source.startsWith('-')) numerator = -numerator;
  if (numerator % denominator !== 0n) return 'not_an_integer';
  const value = numerator / denominator;
  return isInt64(value) ? value : 'out_of_range';
}

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength });
/** Whole numbers in JSON notation, with extra samples near the limits. */
const whole = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 70n }).map(String),
  fc.bigInt({ min: INT64_MAX - 3n, max: INT64_MAX + 3n }).map(String),
  fc.tuple(fc.bigInt({ min: 1n, max: 99n }), fc.nat(25)).map(([n, zeros]) => n + '0'.repeat(zeros)),
);
const jsonNumber = fc
  .tuple(
    fc.constantFrom('', '-'),
    whole,
    fc.option(
      fc.oneof(
        digits(30),
        fc.nat(25).map((n) => '0'.repeat(n + 1)),
      ),
      { nil: undefined },
    ),
    fc.option(
      fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.nat(40).map(String)),
      { nil: undefined },
    ),
  )
  .map(
    ([sign, integer, fraction, exponent]) =>
      sign + integer + (fraction === undefined ? '' : `.${fraction}`) + (exponent ?? []).join(''),
  );

describe('int64FromJsonNumber', () => {
  test('agrees with the model', () => {
    fc.assert(
      fc.property(jsonNumber, (source) => {
        expect(int64FromJsonNumber(source)).toBe(model(source));
      }),
      { numRuns: 5_000 },
    );
  });

  test('reads every int64, however its digits are split by a point and an exponent', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), fc.nat(19), (value, targets) => {
        const sign = value < 0n ? '-' : '';
        const text = String(value)
          .replace('-', '')
          .padStart(targets + 1, '0');
        const at = text.length - targets;
        const split = `${sign}${text.slice(0, at)}${targets > 0 ? '.' : ''}${text.slice(at)}`;
        expect(int64FromJsonNumber(String(value))).toBe(value);
        expect(int64FromJsonNumber(`${split}e${targets}`)).toBe(value);
        expect(int64FromJsonNumber(`${value}${'0'.repeat(targets)}E-${targets}`)).toBe(value);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each<[string, bigint | Int64Problem]>([
    ['9223372036854775807', INT64_MAX],
    ['9223372036854775808', 'out_of_range'],
    ['-9223372036854775808', INT64_MIN],
    ['-9223372036854775809', 'out_of_range'],
    ['-0', 0n],
    ['0.000', 0n],
    ['1e18', 10n ** 18n],
    ['1e19', 'out_of_range'],
    ['0.5', 'not_an_integer'],
    ['1e-1', 'not_an_integer'],
    ['0e9999', 0n],
    ['0e99999', 'out_of_range'],
    ['1e99999', 'out_of_range'],
  ])('%s is %p', (source, expected) => {
    expect(int64FromJsonNumber(source)).toBe(expected);
  });

  test('refuses numbers of absurd size without computing them', () => {
    const took = processorTime(() => {
      for (const exponent of ['999999999', '-999999999', '9'.repeat(60_000)]) {
        for (const mantissa of ['1', '0', '-5.5', '9'.repeat(60_000)]) {
          expect(int64FromJsonNumber(`${mantissa}e${exponent}`)).toBeString();
        }
      }
    });
    expect(took).toBeLessThan(1_000);
  });
});

describe('int64FromText', () => {
  test('reads the plain form of every int64', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (value) => {
        expect(int64FromText(String(value))).toBe(value);
      }),
    );
  });

  test('reads only what it would write itself', () => {
    const text = fc.oneof(
      fc.string(),
      jsonNumber,
      fc.string({ unit: fc.constantFrom(...'0123456789+- .e,') }),
    );
    fc.assert(
      fc.property(text, (candidate) => {
        const value = int64FromText(candidate);
        if (value !== undefined) expect(String(value)).toBe(candidate);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    '',
    '-',
    '01',
    '-01',
    '+1',
    '-0',
    '00',
    '1.0',
    '1e1',
    ' 1',
    '1 ',
    '1\n',
    '0x1',
    '1n',
    '１',
    '1_0',
    '9223372036854775808',
    '-9223372036854775809',
    '99999999999999999999',
  ])('gives undefined for %p', (text) => {
    expect(int64FromText(text)).toBeUndefined();
  });
});
