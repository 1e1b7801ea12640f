import * as z from 'zod';
import { int64FromJsonNumber } from '../../domain/int64.ts';
import { JsonNumber } from '../../http/json.ts';
import { INT64_SCHEMA, orRequired } from './fields.ts';

/** Numbers and times in requests, within the bounds of a `number`. */

/** Leaves room for an offset and nanoseconds. */
const TIME_LENGTH_MAX = 35;

/** A whole number in a request body, within bounds that a `number` holds exactly. */
export function wholeNumberInBody(description: string, minimum: number, maximum: number) {
  const rule = `must be a whole number from ${minimum} to ${maximum}, without quotes`;
  return z
    .unknown()
    .transform((input, context): number => {
      const value = input instanceof JsonNumber ? int64FromJsonNumber(input.source) : undefined;
      if (typeof value === 'bigint' && value >= minimum && value <= maximum) return Number(value);
      context.addIssue({ code: 'custom', message: rule });
      return z.NEVER;
    })
    .meta({ description, override: { ...INT64_SCHEMA, minimum, maximum } });
}

/** A time as an optional query parameter, in milliseconds since the Unix epoch. */
export function timeInQuery(description: string) {
  return timeInBody(description)
    .optional()
    .meta({ description: `${description} (RFC 3339).` });
}

/** A time in a request body, in milliseconds since the Unix epoch. */
export function timeInBody(description: string) {
  const error = orRequired('must be a time like 2027-01-31T12:00:00Z');
  return z.iso
    .datetime({ offset: true, error })
    .max(TIME_LENGTH_MAX, { error })
    .transform((text) => Date.parse(text))
    .meta({
      description: `${description} (RFC 3339).`,
      override: { type: 'string', format: 'date-time', maxLength: TIME_LENGTH_MAX },
    });
}
