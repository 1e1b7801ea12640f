import * as z from 'zod';
import { INT64_MAX, INT64_MIN, int64FromJsonNumber, int64FromText } from '../../domain/int64.ts';
import { LINES_PATTERN, linesProblem, NAME_PATTERN, nameProblem } from '../../domain/name.ts';
import { JsonNumber } from '../../http/json.ts';

/*
 * The kinds of fields and parameters of requests. Each is both the validation and its schema in the
 * document. Messages are the end of a sentence that starts with the name of the field.
 */

/** An int64 in the document, which adds the bounds: see openapi/document.ts. */
export const INT64_SCHEMA = { type: 'integer', format: 'int64' } as const;

const INT64_RULE = `must be a whole number from ${INT64_MIN} to ${INT64_MAX}`;

/** Returns the message of a missing field, or else the rule of its value. */
export function orRequired(rule: string): (issue: { readonly input?: unknown }) => string {
  return (issue) => (issue.input === undefined ? 'is required' : rule);
}

/** Text that `read` turns into a value; undefined is refused with `rule`. */
export function readText<T>(read: (text: string) => T | undefined, rule: string) {
  return z.string().transform((text, context): T => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: rule });
    return z.NEVER;
  });
}

/** An integer in a body, as a number and not as a string, that `read` turns into a value. */
function readNumber<T>(read: (int64: bigint) => T | undefined, rule: string) {
  return z.unknown().transform((input, context): T => {
    const int64 = input instanceof JsonNumber ? int64FromJsonNumber(input.source) : undefined;
    const value = typeof int64 === 'bigint' ? read(int64) : undefined;
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: orRequired(`${rule}, without quotes`)({ input }) });
    return z.NEVER;
  });
}

/** An int64 in a request body. */
export function int64InBody(description: string) {
  return readNumber((value) => value, INT64_RULE).meta({ description, override: INT64_SCHEMA });
}

/** A whole number in a request body, within bounds that a `number` holds exactly. */
export function wholeNumberInBody(description: string, minimum: number, maximum: number) {
  return readNumber(
    (value) => (value >= minimum && value <= maximum ? Number(value) : undefined),
    `must be a whole number from ${minimum} to ${maximum}`,
  ).meta({ description, override: { ...INT64_SCHEMA, minimum, maximum } });
}

/** A number from 0 to 1 in a request body. */
export function shareInBody(description: string) {
  return z
    .unknown()
    .transform((input, context): number => {
      const value = input instanceof JsonNumber ? Number(input.source) : Number.NaN;
      if (value >= 0 && value <= 1) return value;
      context.addIssue({
        code: 'custom',
        message: orRequired('must be a number from 0 to 1')({ input }),
      });
      return z.NEVER;
    })
    .meta({ description, override: { type: 'number', minimum: 0, maximum: 1 } });
}

/** An int64 in a path. */
export function int64InPath(description: string) {
  return readText(int64FromText, INT64_RULE).meta({ description, override: INT64_SCHEMA });
}

/** The schema of a path parameter: all are ids. */
export type Int64InPath = ReturnType<typeof int64InPath>;

/** An int64 as an optional query parameter. */
export function int64InQuery(description: string) {
  return int64InPath(description).optional().meta({ description });
}

/**
 * An int64 or one word, as an optional query parameter. `id` names its schema in the document: some
 * generators cannot handle an unnamed `anyOf`.
 */
export function int64OrWordInQuery<const W extends string>(
  word: W,
  description: string,
  id: string,
) {
  const read = (text: string) => (text === word ? word : int64FromText(text));
  return readText<bigint | W>(read, `${INT64_RULE}, or ${word}`)
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

const WHOLE = /^(?:0|[1-9][0-9]{0,8})$/;

/** A small whole number as an optional query parameter. */
export function wholeInQuery(
  description: string,
  [minimum, maximum]: readonly [number, number],
  fallback: number,
) {
  const read = (text: string) => {
    const value = WHOLE.test(text) ? Number(text) : Number.NaN;
    return value >= minimum && value <= maximum ? value : undefined;
  };
  return readText(read, `must be a whole number from ${minimum} to ${maximum}`)
    .optional()
    .meta({
      description,
      override: { type: 'integer', format: 'int32', minimum, maximum, default: fallback },
    });
}

/** Marks a parameter of a stable operation as beta: it may still change. */
export function beta<S extends z.ZodType>(parameter: S): S {
  return parameter.meta({ param: { ...parameter.meta()?.param, 'x-stability': 'beta' } });
}

/** Query parameters that may be repeated. */
const lists = z.registry<{ readonly list: true }>();

/** Returns whether a query parameter is a list, so that each repetition adds values. */
export function isListInQuery(schema: z.ZodType): boolean {
  return lists.get(schema) !== undefined;
}

/** What a list holds, in the document. */
type ItemSchema = { readonly type: 'integer' | 'string' } | { readonly $ref: string };

/** Values that are comma-separated or repeated, as an optional query parameter. */
function listInQuery<T>(
  read: (items: readonly string[]) => readonly T[] | undefined,
  rule: string,
  description: string,
  [items, maxItems]: readonly [items: ItemSchema, max: number],
) {
  const schema = z
    .array(z.string())
    .transform((texts, context): readonly T[] => {
      const values = read(texts.flatMap((text) => text.split(',', maxItems + 1)));
      if (values !== undefined) return values;
      context.addIssue({ code: 'custom', message: `${rule}, comma-separated or repeated` });
      return z.NEVER;
    })
    .optional()
    .meta({
      description,
      override: { type: 'array', items, minItems: 1, maxItems },
      param: { style: 'form', explode: false },
    });
  lists.add(schema, { list: true });
  return schema;
}

/** Bound of a list of ids in a query. */
const IDS_MAX = 100;

/** Several int64, comma-separated or repeated, as an optional query parameter. */
export function int64ListInQuery(description: string) {
  const read = (items: readonly string[]) => {
    const values = items.slice(0, IDS_MAX + 1).map(int64FromText);
    const ids = values.filter((value) => value !== undefined);
    return ids.length === values.length && ids.length <= IDS_MAX ? ids : undefined;
  };
  const rule = `must be at most ${IDS_MAX} whole numbers`;
  return listInQuery(read, rule, description, [INT64_SCHEMA, IDS_MAX]);
}

/**
 * Several of these words, comma-separated or repeated, as an optional query parameter. `id` names the
 * schema in the document that has the same words.
 */
export function wordsInQuery<const T extends string>(
  values: readonly T[],
  description: string,
  id?: string,
) {
  const read = (items: readonly string[]) => {
    if (items.length > values.length) return undefined;
    const isKnown = items.every((item) => values.some((value) => value === item));
    return isKnown ? values.filter((value) => items.includes(value)) : undefined;
  };
  const words = { type: 'string' as const, enum: [...values] };
  const schema = id === undefined ? words : { $ref: `#/components/schemas/${id}` };
  const rule = `must be one or more of ${values.join(', ')}`;
  return listInQuery(read, rule, description, [schema, values.length]);
}

/** One of these words. */
export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: orRequired(`must be one of ${values.join(', ')}`) });
}

/** `true` or `false`, as an optional query parameter. */
export function trueOrFalseInQuery(description: string) {
  return oneOf(['true', 'false']).optional().meta({ description });
}

/** A name in a request body: see `nameProblem` for its rules. */
export function nameInBody(description: string, max: number) {
  return textInBody((text) => nameProblem(text, max), description, max, NAME_PATTERN);
}

/** Text of several lines in a request body: see `linesProblem` for its rules. */
export function linesInBody(description: string, max: number) {
  return textInBody((text) => linesProblem(text, max), description, max, LINES_PATTERN);
}

/** A text in a request body; `problemOf` says what is wrong with one. */
export function textInBody(
  problemOf: (text: string) => string | undefined,
  description: string,
  maxLength: number,
  pattern: string,
) {
  return z
    .string({ error: orRequired('must be a string') })
    .superRefine((text, context) => {
      const problem = problemOf(text);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    })
    .meta({ description, minLength: 1, maxLength, pattern });
}

/** A text in a query, such as a part of a name to search for. */
export function textInQuery(description: string, max: number, example: string) {
  return (
    z
      .string()
      .refine((part) => [...part].length <= max, { error: `must have at most ${max} characters` })
      .optional()
      // Any text may be searched for, even one that no name can contain.
      .meta({
        description,
        minLength: 1,
        maxLength: max,
        pattern: String.raw`^[\s\S]+$`,
        param: { example },
      })
  );
}

/** Words to search for, as an optional query parameter. */
export function searchInQuery(description: string, example: string) {
  return textInQuery(description, 200, example);
}

/** Leaves room for an offset and nanoseconds. */
const TIME_LENGTH_MAX = 35;

/** An offset may lead out of the years that a time can be written in. */
const [YEAR_0, YEAR_10000] = [Date.parse('0000-01-01T00:00:00Z'), Date.UTC(10_000, 0)];

/** A time in a request body, in milliseconds since the Unix epoch. */
export function timeInBody(description: string) {
  const error = orRequired('must be a time like 2027-01-31T12:00:00Z');
  return z.iso
    .datetime({ offset: true, error })
    .max(TIME_LENGTH_MAX, { error })
    .transform((text) => Date.parse(text))
    .refine((time) => time >= YEAR_0 && time < YEAR_10000, { error })
    .meta({
      description: `${description} (RFC 3339).`,
      override: { type: 'string', format: 'date-time', maxLength: TIME_LENGTH_MAX },
    });
}

/** A time as an optional query parameter, in milliseconds since the Unix epoch. */
export function timeInQuery(description: string, example: string) {
  return timeInBody(description)
    .optional()
    .meta({ description: `${description} (RFC 3339).`, param: { example } });
}
