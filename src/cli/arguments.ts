import { InvalidArgumentError } from 'commander';
import { durationFromText } from '../domain/duration.ts';
import { int64FromText } from '../domain/int64.ts';
import { PLAN_LIMIT_MAX } from '../domain/plan.ts';

/** Reads the id of a record. Throws `InvalidArgumentError`. */
export function idArgument(text: string): bigint {
  const id = int64FromText(text);
  if (id !== undefined && id > 0n) return id;
  throw new InvalidArgumentError('It must be a whole number, 1 or more.');
}

/** Returns milliseconds. Throws `InvalidArgumentError`. */
export function durationArgument(text: string): number {
  const milliseconds = durationFromText(text);
  if (milliseconds !== undefined) return milliseconds;
  throw new InvalidArgumentError('It must be like 30s, 15m, 24h or 90d.');
}

/** Reads the limit of a plan. Throws `InvalidArgumentError`. */
export function limitArgument(text: string): number {
  if (/^[1-9][0-9]*$/.test(text) && Number(text) <= PLAN_LIMIT_MAX) return Number(text);
  throw new InvalidArgumentError('It must be a whole number, 1 or more.');
}

/** Creates a reader for a list of these words, separated by commas. */
export function listArgument<T extends string>(words: readonly T[]): (text: string) => T[] {
  return (text) =>
    text.split(',').map((item) => {
      const word = words.find((known) => known === item.trim());
      if (word !== undefined) return word;
      throw new InvalidArgumentError(
        `It must be a list of ${words.join(', ')}, separated by commas.`,
      );
    });
}
