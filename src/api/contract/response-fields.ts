import * as z from 'zod';
import { ASSIGNED_ID_MAX, isInt64 } from '../../domain/int64.ts';
import { LINES_PATTERN, NAME_PATTERN } from '../../domain/name.ts';
import { INT64_SCHEMA } from './request-fields.ts';

/** The pattern of a text of any kind. */
export const ANY_TEXT = String.raw`^[\s\S]*$`;

/** The kinds of fields of response bodies: what the document says of them. */

/** A time in a response body. */
export function timeOut(description: string) {
  const maxLength = '2026-11-21T15:04:05.000Z'.length;
  return z.iso.datetime().meta({ description: `${description}, in UTC.`, maxLength });
}

/** Formats a time for a JSON body: RFC 3339, UTC, milliseconds. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Formats a time as `timeText` does. */
export function timeTextOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timeText(milliseconds);
}

/** Formats a time that a request may have given, for a link. */
export function timeTextIfGiven(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : timeText(milliseconds);
}

/** A record with its times as texts. */
type WithTimeTexts<T> = {
  [Name in keyof T]: Name extends `${string}${'At' | 'Until' | 'Since'}`
    ? string | Exclude<T[Name], number>
    : T[Name];
};

/** Returns a record as a body shows it: the numbers under names such as `createdAt` and `invitedUntil` are times. */
export function withTimeTexts<T extends object>(record: T): WithTimeTexts<T> {
  const shown = Object.entries(record).map(([name, value]) => {
    const isTime = typeof value === 'number' && /(?:At|Until|Since)$/.test(name);
    return [name, isTime ? timeText(value) : value];
  });
  return Object.fromEntries(shown);
}

/** An int64 in a response body. */
export function int64Out(description: string) {
  return z.bigint().refine(isInt64).meta({ description, override: INT64_SCHEMA });
}

/** A count in a response body. */
export function countOut(description: string) {
  return z.int().min(0).meta({ description, format: 'int64' });
}

/** An id assigned by the service, in a response body. */
export function assignedIdOut(description: string) {
  const bounds = { minimum: 1, maximum: Number(ASSIGNED_ID_MAX) };
  return z.bigint().meta({ description, override: { ...INT64_SCHEMA, ...bounds } });
}

/** A name in a response body. */
export function nameOut(description: string, maxLength: number) {
  return z.string().meta({ description, minLength: 1, maxLength, pattern: NAME_PATTERN });
}

/** A text of any kind in a response body, which may be empty. */
export function textOut(description: string, maxLength: number) {
  return z.string().meta({ description, maxLength, pattern: ANY_TEXT });
}

/** Such a text, or null. */
export function textOrNullOut(description: string, maxLength: number) {
  return z.string().nullable().meta({ description, maxLength, pattern: ANY_TEXT });
}

/** Text of several lines in a response body. */
export function linesOut(description: string, maxLength: number) {
  return z.string().meta({ description, minLength: 1, maxLength, pattern: LINES_PATTERN });
}

/**
 * A record in a response body, by its name in the document. Its fields are made when the document is:
 * nothing else needs them, and all of them take 7 % of a start.
 */
export function recordOut<S extends z.ZodRawShape>(
  id: string,
  description: string,
  fields: () => S,
) {
  return z.lazy(() => z.object(fields()).meta({ id, description }));
}
