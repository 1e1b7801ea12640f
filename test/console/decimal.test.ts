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
  ['1.234,5', 1234.5],
  ['1,234.5', 1234.5],
  ['1.234.567', 1_234_567],
  ['1 234', 1234],
  ["1'234", 1234],
] as const)('%s is a number', (text, number) => {
  expect(decimalProblem(text, { min: 0 })).toBeUndefined();
  expect(readDecimal(text)).toBe(number);
});

test.each(['-1', '1,2,3', '.', '1.23.456', '12 34', '1.234.5'])('%s is refused', (text) => {
  expect(decimalProblem(text, { min: 0 })).toBe('Enter a number such as 1234.5 or 1234,5.');
  expect(readDecimal(text)).toBeNaN();
});

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

test.each([
  ['23.5 kg', 23.5],
  ['23,5kg', 23.5],
  ['€ 1.250,00', 1250],
  ['250 €', 250],
  ['EUR 250', 250],
])('%s is a number with a unit', (text, number) => {
  expect(readDecimal(text)).toBe(number);
  expect(decimalProblem(text, { min: 0, units: () => true })).toBeUndefined();
  expect(decimalProblem(text, { min: 0 })).toMatch(/^“.+” does not belong here\.$/);
});
