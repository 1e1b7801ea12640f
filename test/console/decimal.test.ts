import { expect, test } from 'bun:test';
import { decimalProblem, readDecimal } from '../../src/console/decimal.ts';

test.each([
  ['12.5', 12.5],
  ['12,5', 12.5],
  [' 150,00 ', 150],
  ['0,125', 0.125],
  [',5', 0.5],
  ['1234', 1234],
  ['1.5000', 1.5],
] as const)('%s is a number', (text, number) => {
  expect(decimalProblem(text, { min: 0 })).toBeUndefined();
  expect(readDecimal(text)).toBe(number);
});

test.each(['1.234,5', '1,234.5', '1 234', "1'234", '-1', '1e3', '.', 'many', '1.234.567'])(
  '%s is refused',
  (text) => {
    expect(decimalProblem(text, { min: 0 })).toBe(
      'Enter digits, with one point or comma at most: 1234.5 or 1234,5.',
    );
    expect(readDecimal(text)).toBeNaN();
  },
);

test('what may be a thousand or a fraction is not guessed', () => {
  const problem = 'This could be 1500 or 1.5000: write one of them.';
  expect(decimalProblem('1.500', { min: 0 })).toBe(problem);
  expect(decimalProblem('1,500', { min: 0 })).toBe(problem);
});

test('the limits hold', () => {
  expect(decimalProblem('0', { min: 0.001, max: 2000 })).toBe('Enter 0.001 or more.');
  expect(decimalProblem('2000,1', { min: 0.001, max: 2000 })).toBe('Enter 2000 or less.');
  expect(decimalProblem('', { min: 1 })).toBeUndefined();
});
