import { expect, test } from 'bun:test';
import { createReadyAnswers, type ReadySlot } from '../../src/api/ready-answers.ts';

const answerOf = (body: string) => ({ status: 200, body, headers: {} });
const slot = (): ReadySlot => ({ ready: undefined });
const MORE_THAN_KEPT = 10_001;
const MEBI = 1_048_576;

test('an answer is ready until the version is another one, and never after', () => {
  const answers = createReadyAnswers();
  const [first, second] = [slot(), slot()];
  answers.keep(first, 1, answerOf('one'));
  answers.keep(second, 1, answerOf('two'));
  expect(answers.find(first, 1)?.body).toBe('one');
  expect(answers.find(second, 2)).toBeUndefined();
  expect(answers.find(first, 2)).toBeUndefined();
  // No version comes again; nor may what belongs to one.
  expect(answers.find(first, 1)).toBeUndefined();
  answers.keep(first, 3, answerOf('three'));
  expect(answers.find(first, 3)?.body).toBe('three');
});

test('however many are kept, not more than a bound stay in memory', () => {
  const answers = createReadyAnswers();
  const slots = Array.from({ length: MORE_THAN_KEPT }, slot);
  for (const [i, one] of slots.entries()) answers.keep(one, 1, answerOf(String(i)));
  expect(slots.filter(({ ready }) => ready !== undefined)).toHaveLength(1);
  expect(answers.find(slots.at(-1) ?? slot(), 1)?.body).toBe(String(MORE_THAN_KEPT - 1));
});

test('however long they are, not more characters than a bound stay in memory', () => {
  const answers = createReadyAnswers();
  const slots = Array.from({ length: 64 }, slot);
  const long = 'x'.repeat(MEBI);
  for (const one of slots) answers.keep(one, 1, answerOf(long));
  expect(slots.filter(({ ready }) => ready !== undefined)).toHaveLength(32);
  answers.keep(slot(), 1, answerOf('one more'));
  expect(slots.filter(({ ready }) => ready !== undefined)).toBeEmpty();
});
