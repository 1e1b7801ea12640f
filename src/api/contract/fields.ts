import * as z from 'zod';
import {
  ASSIGNED_ID_MAX,
  INT64_MAX,
  INT64_MIN,
  int64FromJsonNumber,
  int64FromText,
  isInt64,
} from '../../domain/int64.ts';
import { LINES_PATTERN, linesProblem, NAME_PATTERN, nameProblem } from '../../domain/name.ts';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '../../domain/page.ts';
import { JsonNumber } from '../../http/json.ts';
import { CURSOR_LENGTH, CURSOR_PATTERN } from './cursor.ts';

/*
 * The kinds of fields and parameters. Each is both the validation and its schema in the document.
 * Messages are the end of a sentence that starts with the name of the field.
 */

/** An int64 in the document, which adds the bounds: see openapi/document.ts. */
export const INT64_SCHEMA = { type: 'integer', format: 'int64' } as const;

const INT64_RULE = `must be a whole number from ${INT64_MIN} to ${INT64_MAX}`;

/** Returns the message of a missing field, or else the rule of its value. */
export function orRequired(rule: string): (issue: { readonly input?: unknown }) => string {
  return (issue) => (issue.input === undefined ? 'is required' : rule);
}

/** An int64 in a request body: exact, as a number and not as a string. */
export function int64InBody(description: string) {
  return z
    .unknown()
    .transform((input, context): bigint => {
      if (input instanceof JsonNumber) {
        const value = int64FromJsonNumber(input.source);
        if (typeof value === 'bigint') return value;
      }
      const number = `${INT64_RULE}, without quotes`;
      context.addIssue({ code: 'custom', message: input === undefined ? 'is required' : number });
      return z.NEVER;
    })
    .meta({ description, override: INT64_SCHEMA });
}

/** An int64 in a path. */
export function int64InPath(description: string) {
  return z
    .string()
    .transform((text, context): bigint => {
      const value = int64FromText(text);
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: INT64_RULE });
      return z.NEVER;
    })
    .meta({ description, override: INT64_SCHEMA });
}

/** The schema of a path parameter: all are ids. */
export type Int64InPath = ReturnType<typeof int64InPath>;

/** An int64 as an optional query parameter. */
export function int64InQuery(description: string) {
  return int64InPath(description).optional().meta({ description });
}

/** Marks a parameter of a stable operation as beta: it may still change. */
export function beta<S extends z.ZodType>(parameter: S): S {
  return parameter.meta({ param: { ...parameter.meta()?.param, 'x-stability': 'beta' } });
}

/** Bound of a list in a query. */
const LIST_MAX = 100;

/** Query parameters that may be repeated. */
const lists = z.registry<{ readonly list: true }>();

/** Returns whether a query parameter is a list, so that each repetition adds values. */
export function isListInQuery(schema: z.ZodType): boolean {
  return lists.get(schema) !== undefined;
}

/** Several int64, comma-separated or repeated, as an optional query parameter. */
export function int64ListInQuery(description: string) {
  const schema = z
    .array(z.string())
    .transform((texts, context): bigint[] => {
      const values: bigint[] = [];
      for (const item of texts.flatMap((text) => text.split(',', LIST_MAX + 1))) {
        const value = values.length < LIST_MAX ? int64FromText(item) : undefined;
        if (value === undefined) {
          const message = `must be at most ${LIST_MAX} whole numbers, comma-separated or repeated`;
          context.addIssue({ code: 'custom', message });
          return z.NEVER;
        }
        values.push(value);
      }
      return values;
    })
    .optional()
    .meta({
      description,
      override: { type: 'array', items: INT64_SCHEMA, minItems: 1, maxItems: LIST_MAX },
      param: { style: 'form', explode: false },
    });
  lists.add(schema, { list: true });
  return schema;
}

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
export function nameOut(description: string, max: number) {
  return z.string().meta(textMeta(description, max, NAME_PATTERN));
}

/** A name in a request body: see `nameProblem` for its rules. */
export function nameInBody(description: string, max: number) {
  const meta = textMeta(description, max, NAME_PATTERN);
  return textInBody((text) => nameProblem(text, max)).meta(meta);
}

/** Text of several lines in a response body. */
export function linesOut(description: string, max: number) {
  return z.string().meta(textMeta(description, max, LINES_PATTERN));
}

/** Text of several lines in a request body: see `linesProblem` for its rules. */
export function linesInBody(description: string, max: number) {
  const meta = textMeta(description, max, LINES_PATTERN);
  return textInBody((text) => linesProblem(text, max)).meta(meta);
}

function textMeta(description: string, maxLength: number, pattern: string) {
  return { description, minLength: 1, maxLength, pattern };
}

function textInBody(problemOf: (text: string) => string | undefined) {
  return z.string({ error: orRequired('must be a string') }).superRefine((text, context) => {
    const problem = problemOf(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
}

/** One of these words. */
export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: orRequired(`must be one of ${values.join(', ')}`) });
}

/** A text in a query, such as a part of a name to search for. */
export function textInQuery(description: string, max: number) {
  return (
    z
      .string()
      .refine((part) => [...part].length <= max, { error: `must have at most ${max} characters` })
      .optional()
      // Any text may be searched for, even one that no name can contain.
      .meta({ description, minLength: 1, maxLength: max, pattern: String.raw`^[\s\S]+$` })
  );
}

const LIMIT = /^[1-9][0-9]{0,2}$/;

/** The maximum number of items on a page. */
export const limitInQuery = z
  .string()
  .transform((text, context): number => {
    const limit = LIMIT.test(text) ? Number(text) : 0;
    if (limit >= 1 && limit <= PAGE_LIMIT_MAX) return limit;
    const message = `must be a whole number from 1 to ${PAGE_LIMIT_MAX}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .optional()
  .meta({
    description: 'The largest number of items on a page.',
    override: {
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      default: PAGE_LIMIT_DEFAULT,
    },
  });

/** Several of these words, comma-separated or repeated, as an optional query parameter. */
export function wordsInQuery<const T extends string>(values: readonly T[], description: string) {
  const schema = z
    .array(z.string())
    .transform((texts, context): readonly T[] => {
      const given = texts.flatMap((text) => text.split(',', values.length + 1));
      const chosen = values.filter((value) => given.includes(value));
      if (given.every((word) => values.some((value) => value === word))) return chosen;
      const message = `must be one or more of ${values.join(', ')}, comma-separated or repeated`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .optional()
    .meta({
      description,
      override: {
        type: 'array',
        items: { type: 'string', enum: [...values] },
        minItems: 1,
        maxItems: values.length,
      },
      param: { style: 'form', explode: false },
    });
  lists.add(schema, { list: true });
  return schema;
}

const WHOLE = /^(?:0|[1-9][0-9]{0,8})$/;

/** A small whole number as an optional query parameter. */
export function wholeInQuery(description: string, max: number, fallback: number) {
  return z
    .string()
    .transform((text, context): number => {
      const value = WHOLE.test(text) ? Number(text) : Number.NaN;
      if (value <= max) return value;
      context.addIssue({ code: 'custom', message: `must be a whole number from 0 to ${max}` });
      return z.NEVER;
    })
    .optional()
    .meta({
      description,
      override: { type: 'integer', format: 'int32', minimum: 0, maximum: max, default: fallback },
    });
}

/**
 * An int64 or one word, as an optional query parameter. `id` names its schema in the document: some
 * generators make nothing that can be used of a choice without a name.
 */
export function int64OrWordInQuery<const W extends string>(
  word: W,
  description: string,
  id: string,
) {
  return z
    .string()
    .transform((text, context): bigint | W => {
      const value = text === word ? word : int64FromText(text);
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: `${INT64_RULE}, or ${word}` });
      return z.NEVER;
    })
    .optional()
    .meta({
      id,
      description,
      override({ jsonSchema }) {
        // An integer is no string, though both arrive as text.
        delete jsonSchema.type;
        jsonSchema.anyOf = [INT64_SCHEMA, { type: 'string', enum: [word] }];
      },
    });
}

/** The start of a page, from the `Link` header of the previous page. */
export const cursorInQuery = z.string().optional().meta({
  description:
    'Where the page starts. Opaque: take it from the `rel="next"` link of the previous page.',
  minLength: CURSOR_LENGTH,
  maxLength: CURSOR_LENGTH,
  pattern: CURSOR_PATTERN,
});
